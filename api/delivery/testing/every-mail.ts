import { SUBMISSION_KINDS } from '../../../data/model/submission-status.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { rowId } from '../../../data/store/row-id.ts';
import { openNewApp } from '../../../data/store/testing/new-stores.ts';
import { sampleDocuments, sampleLoan } from '../../../data/store/testing/sample-loans.ts';
import {
  acceptedReference,
  sampleOptions,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../../../data/store/testing/sample-submissions.ts';
import { composeMail, createMailSender, MAIL_TEMPLATES } from '../mail/mail-sender.ts';
import type { ComposedMail } from '../mail/mail-transport.ts';
import { createSmtpTransport } from '../mail/smtp-transport.ts';
import { ORGANIZATION } from './organization.ts';
import { UNUSED_MAIL_CONTEXT } from './unused-mail-context.ts';

export interface EnteredTexts {
  readonly name: string;
  /** Has several lines. */
  readonly text: string;
}

interface EventMail {
  /** For example, `card-application.received applicant`. */
  readonly title: string;
  readonly delivery: LeasedDelivery;
  readonly composed: ComposedMail;
}

export interface StoreWithEveryMail {
  readonly store: AppStore;
  readonly mails: readonly EventMail[];
}

export const ORIGIN = 'https://portal.example.com';

const MAIL_OPTIONS = {
  origin: ORIGIN,
  teamOrigin: ORIGIN,
  decimals: 6,
  confirmationToken: () => 'x'.repeat(43),
  adminLinkToken: () => 'x'.repeat(43),
  organization: ORGANIZATION,
};

export const FROM = { name: 'BlackDuck 🦆', address: 'portal@example.com' };

export function localMailSender(
  { submissions, alerts, admins, deliveries }: AppStore,
  port: number,
  teamAddress: string,
) {
  const server = { kind: 'smtp', host: '127.0.0.1', port, isSecure: false, credentials: null } as const;
  const transport = createSmtpTransport(server);
  const { decimals, ...options } = MAIL_OPTIONS;
  return createMailSender({
    ...UNUSED_MAIL_CONTEXT,
    submissions,
    alerts,
    admins,
    deliveries,
    transport,
    from: FROM,
    teamAddress,
    ...options,
    decimals: async () => decimals,
  });
}

async function submitEach(store: AppStore, { name, text }: EnteredTexts): Promise<readonly string[]> {
  const loan = sampleLoan({ name, comments: text });
  return [
    await submitApplication(store, { name, applicantNotes: text, alias: name }),
    await submitRequest(store, { reason: text, evidence: text }),
    await submitMessage(store, { name, subject: name, message: text }),
    acceptedReference(
      await store.submissions.submit('loan-application', loan, sampleOptions(), sampleDocuments()),
    ),
  ];
}

/** Copies the delivery once for each email that its audience can get about this kind of submission. */
function copyForEachEvent(queued: LeasedDelivery): readonly LeasedDelivery[] {
  const kind = SUBMISSION_KINDS.find((known) => queued.event.startsWith(`${known}.`));
  if (!kind) return [];
  return Object.keys(MAIL_TEMPLATES[kind])
    .map((key) => key.split(' '))
    .filter(([, audience]) => audience === queued.audience)
    .map(([event]) => {
      const id = rowId(queued.createdAt);
      return { ...queued, id, messageId: `${id}@blackduck-portal`, event: `${kind}.${event}` };
    });
}

/**
 * Opens a store, stores a submission of each kind, and composes every email about them.
 * @param file the store's file; the caller closes the store
 */
export async function openWithEveryMail(file: string, texts: EnteredTexts): Promise<StoreWithEveryMail> {
  const store = await openNewApp(file);
  const mails: EventMail[] = [];
  for (const referenceNumber of await submitEach(store, texts)) {
    const queued = await store.deliveries.deliveriesOf(referenceNumber);
    for (const delivery of queued.filter(({ channel }) => channel === 'mail').flatMap(copyForEachEvent)) {
      const composed = await composeMail(delivery, { submissions: store.submissions, ...MAIL_OPTIONS });
      if (composed) mails.push({ title: `${delivery.event} ${delivery.audience}`, delivery, composed });
    }
  }
  return { store, mails };
}
