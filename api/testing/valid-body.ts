import { correctAddress } from '../../data/contract/admin-bounces.ts';
import { erasePerson } from '../../data/contract/admin-erasures.ts';
import { FILTERED_EXPORT_CALLS } from '../../data/contract/admin-files.ts';
import { adminSetup } from '../../data/contract/admin-session.ts';
import { inviteToTeam } from '../../data/contract/admin-team.ts';
import type { Call } from '../../data/contract/call.ts';
import { createCard } from '../../data/contract/cards.ts';
import { createTelegramAnswerLink } from '../../data/contract/reminders.ts';
import {
  applicationStatus,
  applyForLoan,
  requestVerification,
  submitApplication,
  submitApplicationV2,
  submitContactMessage,
} from '../../data/contract/submissions.ts';
import { PASSWORD } from '../admin/testing/team.ts';
import { SAMPLE_CARDHOLDER } from '../cards/testing/sample-cardholder.ts';
import { LOAN_FIELDS } from '../loan/testing/send-loan.ts';
import { bodyFromSchema } from './body-from-schema.ts';

const emailOf = (number: number) => `ada${number}@example.com`;

/** Bodies, by path, that `bodyFromSchema` cannot derive. The number makes each body different. */
const WRITTEN_BODIES: Readonly<
  Record<string, (number: number, walletAddress: string) => Record<string, unknown>>
> = {
  [submitApplication.path]: (number, walletAddress) => ({
    cardAlias: 'Ada',
    fullName: 'Ada Lovelace',
    email: emailOf(number),
    telegram: '@ada',
    notes: 'None.',
    walletAddress,
    tier: 'Duckling',
    bdAmount: '1500000',
    website: '',
  }),
  [submitApplicationV2.path]: (number, walletAddress) => ({
    name: 'Ada Lovelace',
    email: emailOf(number),
    wallet: walletAddress,
    bd_amount: 1_500_000,
    tier: 'Duckling',
    phone: '+441632960000',
    alias: 'Ada',
    website: '',
  }),
  [createCard.path]: (_number, walletAddress) => ({
    walletAddress,
    holderName: 'Ada Lovelace',
    cardholder: { ...SAMPLE_CARDHOLDER },
  }),
  [correctAddress.path]: (number) => ({
    referenceNumber: 'BD-20260101-123456',
    email: emailOf(number),
  }),
  [erasePerson.path]: (number, walletAddress) => ({
    email: emailOf(number),
    walletAddress,
    request: `MAIL-${number}`,
    preview: true,
  }),
  [adminSetup.path]: (number) => ({
    username: `Ada ${number}`,
    password: PASSWORD,
    email: emailOf(number),
  }),
  [inviteToTeam.path]: (number) => ({
    username: `Grace ${number}`,
    email: `grace${number}@example.com`,
    role: 'viewer',
    ownPassword: PASSWORD,
  }),
  // Exported as JSON, because the test parses the answer.
  ...Object.fromEntries(
    Object.values(FILTERED_EXPORT_CALLS).map(({ path }) => [
      path,
      () => ({ q: 'Ada', order: 'asc', format: 'json', columns: ['referenceNumber'] }),
    ]),
  ),
  [applyForLoan.path]: (number) => ({ ...LOAN_FIELDS, email: emailOf(number) }),
  [applicationStatus.path]: (number) => ({
    referenceNumber: 'BD-20260101-123456',
    email: emailOf(number),
  }),
  [createTelegramAnswerLink.path]: (number) => ({
    referenceNumber: 'BD-20260101-123456',
    email: emailOf(number),
  }),
  [requestVerification.path]: (number, walletAddress) => ({
    walletAddress,
    userEmail: emailOf(number),
    userTelegram: '@ada',
    claimedStakedAmount: '1500000',
    requestReason: 'The automatic check did not find my stake, which I made last week.',
    evidenceProvided: 'A signature of the transaction.',
    currentDetection: 'No stake was found.',
    requestedAt: '2026-01-01T00:00:00.000Z',
    website: '',
  }),
  [submitContactMessage.path]: (number, walletAddress) => ({
    name: 'Ada Lovelace',
    email: emailOf(number),
    subject: 'My stake',
    category: 'staking',
    message: 'When does my lock end?',
    walletAddress,
    website: '',
  }),
};

/** Caches derived bodies by path and wallet, because deriving one takes a while. */
const derivedBodies = new Map<string, Record<string, unknown>>();

/** Forms with different numbers are different submissions. */
export function validBody(call: Call, number: number, walletAddress: string): Record<string, unknown> {
  const key = `${call.path} ${walletAddress}`;
  const knownBody = WRITTEN_BODIES[call.path]?.(number, walletAddress) ?? derivedBodies.get(key);
  if (knownBody !== undefined) return knownBody;
  const body = call.body ? (bodyFromSchema(call.body, { walletAddress }) as Record<string, unknown>) : {};
  derivedBodies.set(key, body);
  return body;
}
