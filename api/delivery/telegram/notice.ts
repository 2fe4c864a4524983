import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';

/** A message to a chat. */
export interface Notice {
  readonly text: string;
}

/** What takes a notice on its way. */
export interface OutgoingNotice extends Notice {
  readonly chatId: string;
  readonly delivery: Pick<LeasedDelivery, 'id' | 'createdAt'>;
}

const KINDS: Readonly<Record<string, string>> = {
  'card-application.received': 'New card application',
  'verification-request.received': 'New verification request',
  'contact-message.received': 'New message to support',
  'loan-application.received': 'New loan note application',
};

/**
 * The notice of a delivery: kind, reference number and where to read it, nothing of a person. Null where its event is
 * not told this way.
 */
export function composeNotice(
  { event, referenceNumber, audience }: Pick<LeasedDelivery, 'event' | 'referenceNumber' | 'audience'>,
  origin: string,
): Notice | null {
  const kind = KINDS[event];
  if (kind === undefined || audience !== 'team') return null;
  return { text: `${kind}\n${referenceNumber}\n${origin}/admin/dashboard` };
}
