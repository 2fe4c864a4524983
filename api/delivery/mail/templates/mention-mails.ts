import type { LeasedDelivery } from '../../../../data/store/delivery-port.ts';
import type { Mention, RecordStore } from '../../../../data/store/record-port.ts';
import { mentionIdOf } from '../../../../data/store/rules/record-notes.ts';
import { recordUrl } from '../../record-url.ts';
import type { MailTemplate } from '../mail-template.ts';

export interface MentionContext {
  readonly records: Pick<RecordStore, 'mention'>;
  readonly teamOrigin: string;
}

/** Does not quote the note, because a note can contain personal data. */
export function mentionTemplate(
  { by, referenceNumber }: Pick<Mention, 'by' | 'referenceNumber'>,
  teamOrigin: string,
): MailTemplate {
  return {
    subject: `You were mentioned in a note on ${referenceNumber}`,
    title: 'You were mentioned in a note',
    preheader: `${by} mentioned you.`,
    parts: [
      `${by} mentioned you in a note on a record.`,
      { kind: 'facts', facts: [['Reference number', referenceNumber]] },
      { kind: 'button', label: 'Open the record', url: recordUrl(teamOrigin, referenceNumber) },
    ],
  };
}

/** The email to a mentioned admin; null if the mention was withdrawn. */
export async function mentionMail(
  delivery: Pick<LeasedDelivery, 'event'>,
  { records, teamOrigin }: MentionContext,
): Promise<MailTemplate | null> {
  const mention = await records.mention(mentionIdOf(delivery) ?? '');
  return mention && mentionTemplate(mention, teamOrigin);
}
