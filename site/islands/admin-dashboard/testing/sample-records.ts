import type { RowOf } from '../../../../data/model/admin-lists.ts';
import type { AdminRole } from '../../../../data/model/admin-rules.ts';
import type { DashboardStats, OwnSession, StoredRecord } from '../../admin/admin-calls.ts';

const AT = '2026-11-20T09:00:00.000Z';
/** Fields of a record that is assigned to nobody and is not waiting for the team. */
export const NO_WORK = { assigneeId: null, assignee: null, dueAt: null, isWaiting: false };
const NO_HISTORY = {
  timeline: [],
  decisions: [],
  notes: [],
  mergedInto: null,
  merged: [],
  earlierAddresses: [],
  bounces: [],
  deliveries: [],
};

export const STATS: DashboardStats = {
  totalApplications: 1_234,
  recentApplications: 7,
  totalContacts: 56,
  recentContacts: 3,
  deliverySuccessRate: 98.5,
  successfulDeliveries: 197,
  totalDeliveries: 200,
  waitingDeliveries: 0,
  deadDeliveries: 0,
  openApplications: 0,
  totalRequests: 2,
  openRequests: 2,
  totalLoans: 0,
  openLoans: 0,
  openContacts: 0,
  assignedToMe: 0,
  unreadMentions: 0,
  overdue: { applications: 0, contacts: 0, 'verification-requests': 0, 'loan-applications': 0 },
  isOperational: true,
  alerts: [],
  parts: [
    { part: 'index', name: 'Index', isHealthy: true, problems: [] },
    { part: 'mail', name: 'Mail delivery', isHealthy: true, problems: [] },
  ],
};

export const APPLICATION: RowOf<'applications'> = {
  id: 'a1',
  referenceNumber: 'BD-20261120-100001',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  tier: 'Banker',
  bdAmount: '6200000.00',
  isStakeChecked: true,
  emailSent: true,
  telegramSent: false,
  emailState: 'sent',
  telegramState: 'failed',
  mailBounced: false,
  createdAt: AT,
  status: 'received',
  changedAt: AT,
  ...NO_WORK,
  walletAddress: null,
  isOwnershipProven: false,
};

export function requestRow(number: number): RowOf<'verification-requests'> {
  return {
    id: `r${number}`,
    referenceNumber: `BD-20261120-20000${number}`,
    walletAddress: 'Demo1111111111111111111111111111111111111',
    email: `sender-${number}@example.com`,
    telegram: null,
    claimedAmount: '2000000',
    checkedDetection: null,
    isOwnershipProven: false,
    emailSent: true,
    telegramSent: true,
    emailState: 'sent',
    telegramState: 'sent',
    mailBounced: false,
    createdAt: AT,
    status: 'received',
    changedAt: AT,
    ...NO_WORK,
  };
}

export function requestRecord(row: RowOf<'verification-requests'>): StoredRecord {
  return {
    kind: 'verification-request',
    record: {
      ...row,
      reason: 'It is staked elsewhere.',
      evidence: null,
      statedDetection: '2,000,000 BD in wallet (not staked)',
      requestedAt: AT,
      refusalReason: null,
      whitelistedTier: null,
      whitelistedThrough: null,
      card: null,
      walletNow: { tier: 'None', staked: '0' },
    },
    referenceNumber: row.referenceNumber,
    ...NO_HISTORY,
  };
}

export function loanRecord(
  votes: readonly { by: string; addedBy: null; isYours: boolean; decision: 'approve' | 'refuse' }[],
): StoredRecord {
  const referenceNumber = 'BD-20261120-300001';
  return {
    kind: 'loan-application',
    record: {
      id: 'l1',
      referenceNumber,
      name: 'Bo Holder',
      email: 'bo@example.com',
      investmentAmount: 75_000,
      investorType: 'HNW Individual',
      country: 'AE',
      emailSent: true,
      telegramSent: true,
      emailState: 'sent',
      telegramState: 'sent',
      mailBounced: false,
      createdAt: AT,
      status: 'in-review',
      changedAt: AT,
      ...NO_WORK,
      riskSuitability: 'Yes',
      conversionOption: 'Convert',
      comments: null,
      refusalReason: null,
      decidedAt: null,
      mailboxConfirmedAt: AT,
      confirmBy: null,
      documents: [
        {
          id: '11111111-1111-4111-8111-111111111111',
          referenceNumber,
          kind: 'passport-copy',
          fileName: 'passport.png',
          mediaType: 'image/png',
          byteLength: 1_400_000,
        },
      ],
      votes: votes.map((vote) => ({ ...vote, reason: null, at: AT })),
    },
    referenceNumber,
    ...NO_HISTORY,
  };
}

export const LAST_PAGE = { isTotalExact: true, next: null };

export function sessionOf(role: AdminRole): OwnSession {
  return {
    id: 's1',
    user: { id: 'u1', username: 'ada', role, email: null },
    hasTotp: false,
    recoveryCodesLeft: 0,
    startedAt: AT,
    expiresAt: AT,
  };
}
