import {
  APPLICATION_STATUSES,
  LOAN_STATUSES,
  REQUEST_STATUSES,
  SUBMISSION_KINDS,
} from '../../../data/model/submission-status.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { rowId } from '../../../data/store/row-id.ts';
import { openAppStore } from '../../../data/store/sqlite/app-store.ts';
import { sampleDocuments, sampleLoan } from '../../../data/store/testing/sample-loans.ts';
import {
  sampleApplication,
  sampleMessage,
  sampleRequest,
  sampleTerms,
} from '../../../data/store/testing/sample-submissions.ts';
import { type ComposedMail, composeMail } from '../mail/mail-composer.ts';

/** What a person wrote into every field that takes words. */
export interface Words {
  readonly name: string;
  /** Of several lines. */
  readonly text: string;
}

/** A letter as it is to arrive, with the delivery that brings it. */
export interface ExpectedLetter {
  /** Such as `card-application.received applicant`. */
  readonly what: string;
  readonly delivery: LeasedDelivery;
  readonly composed: ComposedMail;
}

/** For tests: a store in which a person sent in a form of every kind, with each letter that any of them leads to. */
export interface EveryLetter {
  readonly store: AppStore;
  readonly letters: readonly ExpectedLetter[];
}

export const LETTER_TERMS = { origin: 'https://portal.example.com', decimals: 6 };

const EVENTS = new Set([...APPLICATION_STATUSES, ...REQUEST_STATUSES, ...LOAN_STATUSES]);

async function sendIn(
  { applications, contacts, loans }: AppStore,
  { name, text }: Words,
): Promise<readonly string[]> {
  const outcomes = [
    await applications.submitApplication(
      sampleApplication({ name, notes: text, alias: name }),
      sampleTerms(),
    ),
    await applications.submitVerificationRequest(
      sampleRequest({ reason: text, evidence: text }),
      sampleTerms(),
    ),
    await contacts.submitMessage(sampleMessage({ name, subject: name, message: text }), sampleTerms()),
    await loans.submit(sampleLoan({ name, comments: text }), sampleDocuments(), sampleTerms()),
  ];
  return outcomes.map((outcome) => {
    if (outcome.kind !== 'accepted') throw new Error(`not accepted: ${outcome.kind}`);
    return String(outcome.answer.referenceNumber);
  });
}

/** Whatever becomes of a submission, told to whoever may be told: most of it is told by no letter. */
function deliveriesAbout(queued: LeasedDelivery): readonly LeasedDelivery[] {
  const kind = SUBMISSION_KINDS.find((known) => queued.event.startsWith(`${known}.`));
  return [...EVENTS].map((event) => {
    const id = rowId(queued.createdAt);
    return { ...queued, id, messageId: `${id}@blackduck-portal`, event: `${kind}.${event}` };
  });
}

/** @param file of the store, which the caller closes */
export async function openWithEveryLetter(file: string, words: Words): Promise<EveryLetter> {
  const store = await openAppStore(file);
  const letters: ExpectedLetter[] = [];
  for (const referenceNumber of await sendIn(store, words)) {
    const queued = await store.deliveries.deliveriesOf(referenceNumber);
    for (const delivery of queued.filter(({ channel }) => channel === 'mail').flatMap(deliveriesAbout)) {
      const composed = await composeMail(delivery, store, LETTER_TERMS);
      if (composed) letters.push({ what: `${delivery.event} ${delivery.audience}`, delivery, composed });
    }
  }
  return { store, letters };
}
