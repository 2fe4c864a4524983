import { ERASED_PARTS, type ErasedPart } from '../../model/erased-parts.ts';
import { NAMING_COLUMNS } from '../rules/naming-columns.ts';
import { countingRows } from './count-changes.ts';
import { SUBMISSION_TABLES } from './submission-rows.ts';

/** The values that statements about a person use, with their SQL types. */
const TYPES = { references: 'text[]', wallet: 'text', email: 'text', mailbox: 'text', at: 'bigint' } as const;
type Name = keyof typeof TYPES;

/** SQL about a person, and the names of its values in their order. */
export interface PersonSql {
  readonly text: string;
  readonly names: readonly Name[];
}

/** Replaces values such as `:wallet` in SQL with numbered placeholders. */
function personSql(sql: string): PersonSql {
  const names: Name[] = [];
  const text = sql.replace(/:(references|wallet|email|mailbox|at)\b/g, (_, name: Name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${TYPES[name]}`;
  });
  return { text, names };
}

/** The rows of one part of a person's data, and how they are erased. */
interface PartRows {
  readonly table: string;
  /** The condition for a row. */
  readonly rows: string;
  /** The new values; absent if the rows are deleted. */
  readonly set?: string;
  /** If the rows are counted: their kind and status, and whether the erasure adds or removes one. */
  readonly counted?: readonly [kind: string, status: string, change: 1 | -1];
}

const BY_RECORD = '"referenceNumber" = any(:references)';
const BY_ADDRESS = 'lower(email) = lower(:email collate "C")';
const BY_WALLET = '"walletAddress" = :wallet';
const BY_SUBSCRIPTION = 'subject = :wallet or subject = any(:references) or mailbox = :mailbox';
const IS_DELIVERED = `(${BY_RECORD} or "referenceNumber" in (select id from $.subscriptions where ${BY_SUBSCRIPTION}))`;

/** A name in a regular expression. */
const LITERAL = String.raw`regexp_replace(p.name, '([][\\^.$*+?(){}|])', '\\\1', 'g')`;

/** The search of a view. A cast to JSON would fail for searches with U+0000 or lone surrogates. */
const SEARCH = String.raw`replace(substring(view from '"q":"((?:[^"\\]|\\.)*)"'), '\"', '"')`;

const OF_CLOSED_CARD = `"cardId" in (select id from $.cards where ${BY_WALLET} and state in ('closed', 'failed'))`;

/** The parts in the order of erasure: rows that reference a record are erased before the record. */
const PART_ROWS: Readonly<Record<ErasedPart, PartRows>> = {
  loanDocuments: { table: 'loan_documents', rows: BY_RECORD },
  loanVotes: { table: 'loan_votes', rows: BY_RECORD },
  noteVersions: { table: 'record_note_versions', rows: BY_RECORD },
  notes: { table: 'record_notes', rows: BY_RECORD },
  // Erased after the notes, so that the mentions of a note that is being changed are found too.
  mentions: { table: 'note_mentions', rows: BY_RECORD },
  merges: { table: 'record_merges', rows: BY_RECORD },
  messageFiles: { table: 'message_files', rows: BY_RECORD },
  conversation: { table: 'record_messages', rows: BY_RECORD },
  decisionReasons: {
    table: 'record_decisions',
    rows: `${BY_RECORD} and reason is not null`,
    set: 'reason = null',
  },
  timelineNotes: {
    table: 'submission_events',
    rows: `${BY_RECORD} and note is not null`,
    set: 'note = null',
  },
  openUndos: { table: 'record_undos', rows: BY_RECORD },
  // With the higher fence, the store refuses the outcome of a worker that still has a lease.
  cancelledDeliveries: {
    table: 'deliveries',
    rows: `${IS_DELIVERED} and state in ('waiting', 'leased')`,
    set: `state = 'dead', "leasedUntil" = null, fence = fence + 1, "finishedAt" = :at`,
    counted: ['delivery', 'state', 1],
  },
  // Erased before the recipients and the subscriptions, by which they are found.
  reminderNotices: {
    table: 'subscription_notices',
    rows: `"subscriptionId" in (select id from $.subscriptions where ${BY_SUBSCRIPTION})`,
  },
  // A request that names only a corrected address erases that address from the deliveries, because it may belong to another
  // person.
  recipients: {
    table: 'deliveries',
    rows: `recipient is not null and (${IS_DELIVERED} or ("referenceNumber", recipient) in (select "referenceNumber", email from $.address_corrections where ${BY_ADDRESS}))`,
    set: 'recipient = null',
  },
  earlierAddresses: { table: 'address_corrections', rows: `(${BY_RECORD} or ${BY_ADDRESS})` },
  deliveryAttempts: {
    table: 'delivery_attempts',
    rows: `"deliveryId" in (select id from $.deliveries where ${IS_DELIVERED}) and "maskedRecipient" <> '…'`,
    set: `"maskedRecipient" = '…', error = null, "providerId" = null`,
  },
  reminders: { table: 'subscriptions', rows: `(${BY_SUBSCRIPTION})` },
  // Erased before the records, because their names are compared.
  savedFilters: {
    table: 'saved_filters',
    rows: `(${[
      'strpos(lower(name || view), lower(:email)) > 0',
      'strpos(name || view, :wallet) > 0',
      'exists (select from unnest(:references) named where strpos(name || view, named) > 0)',
      // Only the search in a view is compared with names, because a short name could be part of the ids and values that the
      // view also contains.
      ...NAMING_COLUMNS.map(([table, column]) => {
        const names =
          column === 'name'
            ? `concat_ws(' ', saved_filters.name, ${SEARCH}) ~* ('(^|[^[:alnum:]])' || ${LITERAL} || '($|[^[:alnum:]])')`
            : 'strpos(lower(saved_filters.name || view), lower(p.email)) > 0';
        return `exists (select from $.${table} p where p.${BY_RECORD} and length(p.${column}) > 2 and ${names})`;
      }),
    ].join(' or ')})`,
  },
  // Includes waiting events, because a later attempt would store the receiver's response again.
  webhookEvents: { table: 'webhook_deliveries', rows: BY_RECORD },
  repeatedAnswers: { table: 'idempotent_answers', rows: `answer ->> 'referenceNumber' = any(:references)` },
  mailboxEntries: {
    table: 'reference_numbers',
    rows: `${BY_RECORD} and mailbox is not null`,
    set: 'mailbox = null',
  },
  cardApplications: {
    table: 'card_applications',
    rows: BY_RECORD,
    counted: ['card-application', 'status', -1],
  },
  verificationRequests: {
    table: 'verification_requests',
    rows: BY_RECORD,
    counted: ['verification-request', 'status', -1],
  },
  contactMessages: {
    table: 'contact_messages',
    rows: BY_RECORD,
    counted: ['contact-message', 'status', -1],
  },
  loanApplications: {
    table: 'loan_applications',
    rows: BY_RECORD,
    counted: ['loan-application', 'status', -1],
  },
  walletSessions: { table: 'wallet_sessions', rows: BY_WALLET },
  walletChallenges: { table: 'proof_challenges', rows: BY_WALLET },
  provenWallets: { table: 'proven_wallets', rows: BY_WALLET },
  whitelistedWallets: { table: 'whitelisted_wallets', rows: `(${BY_WALLET} or ${BY_RECORD})` },
  cardReasons: {
    table: 'card_decisions',
    rows: `"cardId" in (select id from $.cards where ${BY_WALLET}) and reason is not null`,
    set: 'reason = null',
  },
  // Erased even while the card is being created: the issuer has the data already, or refuses the card at the next attempt.
  cardholders: {
    table: 'cards',
    rows: `${BY_WALLET} and cardholder is not null`,
    set: 'cardholder = null',
  },
  cardSpends: {
    table: 'card_spends',
    rows: `"cardId" in (select id from $.cards where ${BY_WALLET})`,
  },
  cardTags: { table: 'top_up_tags', rows: OF_CLOSED_CARD },
  cardTopUps: {
    table: 'usdt_transfers',
    rows: OF_CLOSED_CARD,
    set: `"cardId" = null, counterparty = ''`,
  },
  closedCards: { table: 'cards', rows: `${BY_WALLET} and state in ('closed', 'failed')` },
};

/** The tables with personal data. */
export const PERSONAL_TABLES: readonly string[] = [
  ...new Set(Object.values(PART_ROWS).map(({ table }) => table)),
];

/** The statements of an erasure, in their order. */
export const ERASING = Object.values(PART_ROWS).map(({ table, rows, set, counted }) => {
  const erase = `${set ? `update $.${table} set ${set}` : `delete from $.${table}`} where ${rows}`;
  if (!counted) return personSql(erase);
  const [kind, status, change] = counted;
  return personSql(countingRows(kind, `${erase} returning ${status} as status`, change));
});

const FORMS = Object.values(SUBMISSION_TABLES).map(({ name }) => name);
const WITH_WALLET = Object.values(SUBMISSION_TABLES)
  .filter(({ columns }) => columns.includes('walletAddress'))
  .map(({ name }) => name);
const references = (condition: string) => (table: string) =>
  `union select "referenceNumber" from $.${table} where ${condition}`;

/** Finds a person's records by mailbox, by the mail address as it was typed, or by wallet, and those merged with them. */
export const PERSON_RECORDS = personSql(`
  with recursive person as (
    select "referenceNumber" from $.reference_numbers where mailbox = :mailbox
    ${FORMS.map(references('lower(email) = lower(:email collate "C")')).join(' ')}
    ${WITH_WALLET.map(references(BY_WALLET)).join(' ')}
    union select case m."referenceNumber" when p."referenceNumber" then m."mergedInto" else m."referenceNumber" end
    from person p join $.record_merges m on p."referenceNumber" in (m."referenceNumber", m."mergedInto")
  )
  select "referenceNumber", kind from $.reference_numbers
  where "referenceNumber" in (select "referenceNumber" from person) order by "createdAt", "referenceNumber"`);

/** Locks records, so that no decision adds personal data to them. */
export const LOCKING = FORMS.map((table) =>
  personSql(`select from $.${table} where ${BY_RECORD} order by "referenceNumber" for update`),
);

const countOf = ({ table, rows }: PartRows) => `(select count(*) from $.${table} where ${rows})`;
const NAMED_WALLETS = WITH_WALLET.map(
  (table) => `select "walletAddress" from $.${table} where ${BY_RECORD} and "walletAddress" is not null`,
).join(' union ');

/** What is stored about a person. */
export const PERSON_FACTS = personSql(`
  select json_build_object(${ERASED_PARTS.map((part) => `'${part}', ${countOf(PART_ROWS[part])}`).join(', ')}) as counts,
    array(${NAMED_WALLETS} order by 1) as wallets,
    array(select id from $.deliveries where ${IS_DELIVERED} order by id) as deliveries,
    (select count(*) from $.cards where ${BY_WALLET} and state not in ('closed', 'failed')) as "liveCards",
    array(select email from $.admins where email is not null) as "adminMails"`);
