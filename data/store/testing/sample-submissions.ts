import type {
  NewCardApplication,
  NewVerificationRequest,
  SubmissionOutcome,
  SubmissionTerms,
} from '../application-port.ts';
import type { NewContactMessage } from '../contact-port.ts';

/** 2026-01-02T03:04:05Z, in Unix milliseconds. */
export const SUBMITTED_AT = 1_767_323_045_000;

export function sampleApplication(changes: Partial<NewCardApplication> = {}): NewCardApplication {
  return {
    id: crypto.randomUUID(),
    shape: 'overlay',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    phone: null,
    telegram: 'ada',
    alias: 'Everyday',
    notes: null,
    walletAddress: 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
    statedAmount: '6200000',
    statedTier: 'Banker',
    checked: { amount: 6_200_000_000_000n, tier: 'Banker', at: SUBMITTED_AT - 1_000 },
    isOwnershipProven: true,
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

export function sampleRequest(changes: Partial<NewVerificationRequest> = {}): NewVerificationRequest {
  return {
    id: crypto.randomUUID(),
    walletAddress: 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
    email: 'ada@example.com',
    telegram: null,
    claimedAmount: '1500000',
    reason: 'My stake is in another pool.',
    evidence: null,
    statedDetection: 'No BD tokens found',
    checkedDetection: null,
    requestedAt: SUBMITTED_AT - 5_000,
    isOwnershipProven: false,
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

export function sampleMessage(changes: Partial<NewContactMessage> = {}): NewContactMessage {
  return {
    id: crypto.randomUUID(),
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    subject: 'My stake',
    category: 'staking',
    message: 'When does my lock end?\nI staked in May.',
    walletAddress: 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

let serial = 100_000;

/** Terms whose reference numbers rise by one, without a key, and with room for any number of submissions. */
export function sampleTerms(changes: Partial<SubmissionTerms> = {}): SubmissionTerms {
  return {
    drawReference: () => {
      serial += 1;
      return `BD-20260102-${serial}`;
    },
    answer: { success: true },
    idempotency: null,
    forgetAnswersBefore: 0,
    perRecipient: { atMost: 1_000, since: 0 },
    ...changes,
  };
}

/** The reference number of a submission that was taken. @throws where it was not */
export function acceptedReference(outcome: SubmissionOutcome): string {
  if (outcome.kind !== 'accepted') throw new Error(`The submission was not taken: ${outcome.kind}.`);
  return String(outcome.answer.referenceNumber);
}
