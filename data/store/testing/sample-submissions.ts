import { CARD_APPLICATION_FIELDS } from '../../model/forms/card-forms.ts';
import { CONTACT_FORM } from '../../model/forms/contact-form.ts';
import { toStoredFields } from '../../model/forms/field.ts';
import { VERIFICATION_REQUEST_FIELDS } from '../../model/forms/verification-forms.ts';
import type { AppStore } from '../ports.ts';
import type { ListQuery } from '../record-port.ts';
import type {
  CardApplication,
  ContactMessage,
  SubmissionOptions,
  SubmissionOutcome,
  VerificationRequest,
} from '../submission-port.ts';

/** 2026-01-02T03:04:05Z, in Unix milliseconds. */
export const SUBMITTED_AT = 1_767_323_045_000;

const WALLET = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';

type SampleApplication = Omit<CardApplication, 'referenceNumber' | 'status' | 'changedAt'>;
type SampleRequest = Omit<VerificationRequest, 'referenceNumber' | 'status' | 'changedAt' | 'refusalReason'>;
type SampleMessage = Omit<ContactMessage, 'referenceNumber' | 'status' | 'changedAt' | 'closedAt'>;

export function sampleApplication(changes: Partial<SampleApplication> = {}): SampleApplication {
  return {
    ...toStoredFields(CARD_APPLICATION_FIELDS, {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      telegram: 'ada',
      alias: 'Everyday',
      walletAddress: WALLET,
    }),
    id: crypto.randomUUID(),
    shape: 'overlay',
    statedAmount: '6200000',
    statedTier: 'Banker',
    checked: { amount: 6_200_000_000_000n, tier: 'Banker', at: SUBMITTED_AT - 1_000 },
    isOwnershipProven: true,
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

export function sampleRequest(changes: Partial<SampleRequest> = {}): SampleRequest {
  return {
    ...toStoredFields(VERIFICATION_REQUEST_FIELDS, {
      walletAddress: WALLET,
      email: 'ada@example.com',
      claimedAmount: '1500000',
      reason: 'My stake is in another pool.',
      statedDetection: 'No BD tokens found',
    }),
    id: crypto.randomUUID(),
    checkedDetection: null,
    requestedAt: SUBMITTED_AT - 5_000,
    isOwnershipProven: false,
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

export function sampleMessage(changes: Partial<SampleMessage> = {}): SampleMessage {
  return {
    ...toStoredFields(CONTACT_FORM.fields, {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      subject: 'My stake',
      category: 'staking',
      message: 'When does my lock end?\nI staked in May.',
      walletAddress: WALLET,
    }),
    id: crypto.randomUUID(),
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

let serial = 100_000;

/** Options without an idempotency key and practically without a limit. Reference numbers count up. */
export function sampleOptions(changes: Partial<SubmissionOptions> = {}): SubmissionOptions {
  return {
    drawReference: () => {
      serial += 1;
      return `BD-20260102-${serial}`;
    },
    answer: { success: true },
    idempotency: null,
    forgetAnswersBefore: 0,
    confirmations: { limit: 1_000, since: 0 },
    ...changes,
  };
}

/** @throws unless the submission was accepted */
export function acceptedReference(outcome: SubmissionOutcome): string {
  if (outcome.kind !== 'accepted') throw new Error(`The submission was not accepted: ${outcome.kind}.`);
  return String(outcome.answer.referenceNumber);
}

type StoreWithSubmissions = Pick<AppStore, 'submissions'>;

// Each of these functions submits a sample and returns its reference number.
export const submitApplication = async (
  { submissions }: StoreWithSubmissions,
  changes?: Partial<SampleApplication>,
  options = sampleOptions(),
) => acceptedReference(await submissions.submit('card-application', sampleApplication(changes), options));
export const submitRequest = async (
  { submissions }: StoreWithSubmissions,
  changes?: Partial<SampleRequest>,
) =>
  acceptedReference(
    await submissions.submit('verification-request', sampleRequest(changes), sampleOptions()),
  );
export const submitMessage = async (
  { submissions }: StoreWithSubmissions,
  changes?: Partial<SampleMessage>,
) => acceptedReference(await submissions.submit('contact-message', sampleMessage(changes), sampleOptions()));

export const FIRST_PAGE: ListQuery = {
  limit: 10,
  sort: 'createdAt',
  order: 'desc',
  after: null,
  from: null,
  before: null,
  filters: {},
  search: null,
};
