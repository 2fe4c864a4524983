import type { ErasedPart } from '../../model/erased-parts.ts';

/** The rows of one part of what is held of a person, and how they are erased. */
interface PartRows {
  readonly table: string;
  /** Which rows: `:references` is a JSON list of reference numbers, `:wallet` an address or null. */
  readonly rows: string;
  /** What takes their place; absent where the rows are deleted. `:at` is the moment. */
  readonly set?: string;
}

const OF_RECORDS = 'referenceNumber in (select value from json_each(:references))';
const OF_WALLET = 'walletAddress = :wallet';

/** In the order of erasing: what points to a record goes before it. */
export const PART_ROWS: Readonly<Record<ErasedPart, PartRows>> = {
  loanDocuments: { table: 'loan_documents', rows: OF_RECORDS },
  loanVotes: { table: 'loan_votes', rows: OF_RECORDS },
  notes: { table: 'record_notes', rows: OF_RECORDS },
  decisionReasons: {
    table: 'record_decisions',
    rows: `${OF_RECORDS} and reason is not null`,
    set: 'reason = null',
  },
  timelineNotes: {
    table: 'submission_events',
    rows: `${OF_RECORDS} and note is not null`,
    set: 'note = null',
  },
  // The fence refuses the outcome of a worker that holds one.
  cancelledDeliveries: {
    table: 'deliveries',
    rows: `${OF_RECORDS} and state in ('waiting', 'leased')`,
    set: "state = 'dead', leasedUntil = null, fence = fence + 1, finishedAt = :at",
  },
  recipients: {
    table: 'deliveries',
    rows: `${OF_RECORDS} and recipient is not null`,
    set: 'recipient = null',
  },
  deliveryAttempts: {
    table: 'delivery_attempts',
    rows: `deliveryId in (select id from deliveries where ${OF_RECORDS}) and maskedRecipient <> '…'`,
    set: "maskedRecipient = '…', error = null, providerId = null",
  },
  repeatedAnswers: {
    table: 'idempotent_answers',
    rows: "json_extract(answer, '$.referenceNumber') in (select value from json_each(:references))",
  },
  mailboxEntries: {
    table: 'reference_numbers',
    rows: `${OF_RECORDS} and mailbox is not null`,
    set: 'mailbox = null',
  },
  cardApplications: { table: 'card_applications', rows: OF_RECORDS },
  verificationRequests: { table: 'verification_requests', rows: OF_RECORDS },
  contactMessages: { table: 'contact_messages', rows: OF_RECORDS },
  loanApplications: { table: 'loan_applications', rows: OF_RECORDS },
  walletSessions: { table: 'wallet_sessions', rows: OF_WALLET },
  walletChallenges: { table: 'proof_challenges', rows: OF_WALLET },
  provenWallets: { table: 'proven_wallets', rows: OF_WALLET },
  whitelistedWallets: { table: 'whitelisted_wallets', rows: `(${OF_WALLET} or ${OF_RECORDS})` },
  closedCards: { table: 'cards', rows: `${OF_WALLET} and state in ('closed', 'failed')` },
};

const FORMS = ['card_applications', 'verification_requests', 'contact_messages', 'loan_applications'];
const WITH_WALLET = FORMS.slice(0, 3);
const named = (column: string, value: string) => (table: string) =>
  `union select referenceNumber from ${table} where ${column} = ${value}`;

/** The records of a person: by mailbox, by the address as it was written, or by wallet. */
export const RECORDS_OF = `select referenceNumber, kind from reference_numbers where referenceNumber in (
  select referenceNumber from reference_numbers where mailbox = :mailbox
  ${FORMS.map(named('email', ':email collate nocase')).join(' ')}
  ${WITH_WALLET.map(named('walletAddress', ':wallet')).join(' ')}
) order by createdAt, referenceNumber`;

/** Wallets that the records name. */
export const WALLETS_NAMED = WITH_WALLET.map(
  (table) => `select walletAddress from ${table} where ${OF_RECORDS} and walletAddress is not null`,
).join(' union ');

export const DELIVERIES_OF = `select id from deliveries where ${OF_RECORDS}`;
export const LIVE_CARDS = `select count(*) from cards where ${OF_WALLET} and state not in ('closed', 'failed')`;
