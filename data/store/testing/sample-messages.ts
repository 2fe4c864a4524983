import type { MessageAttachment, MessageFile, NewIncomingMessage } from '../conversation-port.ts';
import type { AppStore } from '../ports.ts';
import type { RecordStore } from '../record-port.ts';
import { SUBMITTED_AT } from './sample-submissions.ts';

/** The bytes are not really encrypted. */
export function sampleFile(changes: Partial<MessageFile> = {}): {
  readonly file: MessageFile;
  readonly attachment: MessageAttachment;
} {
  const facts = { fileName: 'photo.png', mediaType: 'image/png', byteLength: 4 };
  const file = {
    ...facts,
    id: crypto.randomUUID(),
    contentHash: '1'.repeat(64),
    masterKeyId: 'a'.repeat(16),
    wrappedKey: Buffer.from([1, 0, 255]),
    content: Buffer.from([0, 1, 254]),
    ...changes,
  };
  const { fileName, mediaType, byteLength, id: fileId } = file;
  return { file, attachment: { fileName, mediaType, byteLength, fileId, refusal: null } };
}

export const sampleAnswer = (
  referenceNumber: string,
  changes: Partial<NewIncomingMessage> = {},
): NewIncomingMessage => ({
  referenceNumber,
  kind: 'answer',
  at: SUBMITTED_AT + 1_005,
  sender: 'ada@example.com',
  subject: 'Re: Your question',
  text: 'Thank you.',
  attachments: [],
  mailId: 'one@example.com',
  files: [],
  quotas: [],
  notifies: true,
  ...changes,
});

/** @returns the note's id */
export async function addSampleNote(
  { records }: Pick<AppStore, 'records'>,
  ...note: Parameters<RecordStore['addNote']>
): Promise<string> {
  const added = await records.addNote(...note);
  if (typeof added === 'string') throw new Error(`The note was not added: ${added}.`);
  return added.id;
}
