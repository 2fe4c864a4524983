import { ERASED_PARTS, type ErasedPart } from '../../model/erased-parts.ts';
import { hasName } from '../../model/has-name.ts';
import type { SavedFilter } from '../filter-port.ts';

/**
 * How an adapter's SQL expresses conditions about a person. The named parameters are: `:references` (the reference numbers
 * of the person's records and the ids of the person's invitations to the team), `:messages` (the ids of the emails that the
 * person sent), `:filters` (the ids of the saved filters that name the person), `:earlierAddresses` (the person's addresses
 * that the team replaced), `:wallet` and `:email` (each may be null), `:mailbox`, and `:at`, the time of the erasure.
 */
interface PersonSyntax {
  readonly isReference: (column: string) => string;
  /** `:references` as a table with the column `value`. */
  readonly references: string;
  readonly isMessage: (column: string) => string;
  readonly isFilter: (column: string) => string;
  readonly isEarlierAddress: (column: string) => string;
  /** The condition that the column `email` equals `:email`, ignoring case. */
  readonly matchesEmail: string;
  readonly contains: (text: string, part: string) => string;
  readonly emptyList: string;
}

/** The rows of one part of a person's data, and how they are erased. In the SQL, `$.` precedes the name of each table. */
interface PartRows {
  readonly table: string;
  readonly condition: string;
  /** The new values; absent if the rows are deleted. */
  readonly set?: string;
}

const FORM_TABLES = ['card_applications', 'verification_requests', 'contact_messages', 'loan_applications'];
const WALLET_TABLES = FORM_TABLES.slice(0, 3);
const RECEIVED = 'select id, sender from $.record_messages where sender is not null';
/** All invitations to the team with their addresses, including ended ones that were sent by email. */
const INVITATIONS = `
  select id, email from $.admin_links where kind = 'invitation'
  union select "referenceNumber", recipient from $.deliveries
  where event = 'admin-link.invitation' and recipient is not null`;
const TABLES_WITH_NAMES = FORM_TABLES.filter((table) => table !== 'verification_requests');

/**
 * The ids of the saved filters that contain one of the names as whole words, either in the filter's own name or in its search.
 */
export function filtersWithNames(
  filters: readonly Pick<SavedFilter, 'id' | 'name' | 'view'>[],
  names: readonly string[],
): readonly string[] {
  // Only the search in a view is compared, because a short name could be part of the ids and values that the view also contains.
  const textOf = (filter: (typeof filters)[number]) => `${filter.name} ${JSON.parse(filter.view).q ?? ''}`;
  return filters.filter((filter) => names.some((name) => hasName(textOf(filter), name))).map(({ id }) => id);
}

export function personalRows({
  isReference,
  references,
  isMessage,
  isFilter,
  isEarlierAddress,
  matchesEmail,
  contains,
  emptyList,
}: PersonSyntax) {
  const byRecord = isReference('"referenceNumber"');
  const byWallet = '"walletAddress" = :wallet';
  const bySubscription = `subject = :wallet or ${isReference('subject')} or mailbox = :mailbox`;
  /** SQL for the ids of rows that belong to emails from the person. Such an email may be about another person's record. */
  const ofEmails = (table: string, belongs: string) =>
    `select r.id from $.record_messages m join $.${table} r on r."referenceNumber" = m."referenceNumber" where ${isMessage('m.id')} and ${belongs}`;
  const isPersonsFile = `(${byRecord} or id in (${ofEmails('message_files', contains('attachments', `'"fileId":"' || r.id || '"'`))}))`;
  const isPersonsDelivery = `(${byRecord} or "referenceNumber" in (select id from $.subscriptions where ${bySubscription}) or id in (${ofEmails('deliveries', contains('event', 'm.id'))}))`;
  const ofCard = `"cardId" in (select id from $.cards where ${byWallet})`;
  const isClosed = `${byWallet} and state in ('closed', 'failed')`;
  /**
   * Condition: a closed card bars its wallet from getting another card until the team whitelists the wallet (see
   * `reservationRefusal`).
   */
  const isBan = `id in (select id from $.cards where ${byWallet} and state = 'closed' order by "changedAt" desc, "createdAt" desc limit 1) and coalesce("closedByTeamAt", "frozenByTeamAt", -1) >= coalesce((select "whitelistedAt" from $.whitelisted_wallets where ${byWallet}), 0)`;
  const ofClosedCard = `"cardId" in (select id from $.cards where ${isClosed})`;

  /** The parts in the order of erasure: rows that reference a record are erased before the record. */
  const parts: Readonly<Record<ErasedPart, PartRows>> = {
    loanDocuments: { table: 'loan_documents', condition: byRecord },
    loanVotes: { table: 'loan_votes', condition: byRecord },
    notes: { table: 'record_notes', condition: byRecord },
    // Erased after the notes, so that the earlier texts and mentions of a note that is being changed at the same time are found
    // too.
    noteVersions: { table: 'record_note_versions', condition: byRecord },
    mentions: { table: 'note_mentions', condition: byRecord },
    merges: { table: 'record_merges', condition: byRecord },
    decisionReasons: {
      table: 'record_decisions',
      condition: `${byRecord} and reason is not null`,
      set: 'reason = null',
    },
    timelineNotes: {
      table: 'submission_events',
      condition: `${byRecord} and note is not null`,
      set: 'note = null',
    },
    openUndos: { table: 'record_undos', condition: byRecord },
    // The fence is raised, so that the store rejects the outcome from a worker that still holds a lease.
    cancelledDeliveries: {
      table: 'deliveries',
      condition: `${isPersonsDelivery} and state in ('waiting', 'leased')`,
      set: `state = 'settled', "leasedUntil" = null, fence = fence + 1, "finishedAt" = :at`,
    },
    // Erased before the subscriptions, through which the notices are found.
    reminderNotices: {
      table: 'subscription_notices',
      condition: `"subscriptionId" in (select id from $.subscriptions where ${bySubscription})`,
    },
    // Some erasure requests name only an address that the team replaced in a record. The address may belong to someone other than
    // the applicant, so only the address is erased from the record's deliveries.
    recipients: {
      table: 'deliveries',
      condition: `recipient is not null and (${isPersonsDelivery} or ("referenceNumber", recipient) in (select "referenceNumber", email from $.address_corrections where ${isEarlierAddress('email')}))`,
      set: 'recipient = null',
    },
    earlierAddresses: {
      table: 'address_corrections',
      condition: `(${byRecord} or ${isEarlierAddress('email')})`,
    },
    deliveryAttempts: {
      table: 'delivery_attempts',
      condition: `"deliveryId" in (select id from $.deliveries where ${isPersonsDelivery}) and "maskedRecipient" <> '…'`,
      set: `"maskedRecipient" = '…', error = null, "providerId" = null`,
    },
    messageFiles: { table: 'message_files', condition: isPersonsFile },
    // Erased after the files and the deliveries, which are found through the messages.
    conversation: { table: 'record_messages', condition: `(${byRecord} or ${isMessage('id')})` },
    reminders: { table: 'subscriptions', condition: `(${bySubscription})` },
    // Erased before the records, because the filters are compared with the addresses in the records.
    savedFilters: {
      table: 'saved_filters',
      condition: `(${[
        isFilter('id'),
        contains('lower(name || view)', 'lower(:email)'),
        contains('name || view', ':wallet'),
        `exists (select 1 from ${references} where ${contains('name || view', 'value')})`,
        ...FORM_TABLES.map((table) => {
          const hasAddress = contains('lower(saved_filters.name || view)', 'lower(p.email)');
          return `exists (select 1 from $.${table} p where p.${byRecord} and length(p.email) > 2 and ${hasAddress})`;
        }),
      ].join(' or ')})`,
    },
    invitations: { table: 'admin_links', condition: isReference('id') },
    // Includes waiting events, because a later attempt would store the receiver's response again.
    webhookEvents: { table: 'webhook_deliveries', condition: byRecord },
    repeatedAnswers: {
      table: 'idempotent_answers',
      condition: isReference("(answer ->> 'referenceNumber')"),
    },
    mailboxEntries: {
      table: 'reference_numbers',
      condition: `${byRecord} and mailbox is not null`,
      set: 'mailbox = null',
    },
    cardApplications: { table: 'card_applications', condition: byRecord },
    verificationRequests: { table: 'verification_requests', condition: byRecord },
    contactMessages: { table: 'contact_messages', condition: byRecord },
    loanApplications: { table: 'loan_applications', condition: byRecord },
    walletSessions: { table: 'wallet_sessions', condition: byWallet },
    walletChallenges: { table: 'proof_challenges', condition: byWallet },
    provenWallets: { table: 'proven_wallets', condition: byWallet },
    cardReasons: {
      table: 'card_decisions',
      condition: `${ofCard} and reason is not null`,
      set: 'reason = null',
    },
    // Erased even while the card is being created: either the issuer already has the data, or it refuses the card at the next
    // attempt.
    cardholders: {
      table: 'cards',
      condition: `${byWallet} and cardholder is not null`,
      set: 'cardholder = null',
    },
    cardSpends: { table: 'card_spends', condition: ofCard },
    cardTags: { table: 'top_up_tags', condition: ofClosedCard },
    cardTopUps: {
      table: 'usdt_transfers',
      condition: ofClosedCard,
      set: `"cardId" = null, counterparty = ''`,
    },
    bannedCards: {
      table: 'cards',
      condition: `${isClosed} and ${isBan} and "holderName" <> ''`,
      set: `"holderName" = '', "issuerCard" = null, "issuerCardholder" = null, "lastFour" = null, "expiryMonth" = null, "expiryYear" = null, "stakeEntries" = ${emptyList}`,
    },
    closedCards: { table: 'cards', condition: `${isClosed} and not (${isBan})` },
    // Erased after the closed cards: whether a card counts as a ban depends on a later whitelisting.
    whitelistedWallets: { table: 'whitelisted_wallets', condition: `(${byWallet} or ${byRecord})` },
  };

  const unionOf = (tables: readonly string[], condition: string) =>
    tables.map((table) => `union select "referenceNumber" from $.${table} where ${condition}`).join(' ');

  return {
    /** In the order of erasure. */
    eraseStatements: Object.entries(parts).map(([part, { table, condition, set }]) => ({
      part: part as ErasedPart,
      table,
      sql: `${set ? `update $.${table} set ${set}` : `delete from $.${table}`} where ${condition}`,
    })),
    countStatements: ERASED_PARTS.map((part) => {
      const { table, condition } = parts[part];
      return [part, `select count(*) from $.${table} where ${condition}`] as const;
    }),
    /** Finds the records by mailbox, by the email address as typed, or by wallet, and also the records merged with them. */
    records: `
      with recursive person as (
        select "referenceNumber" from $.reference_numbers where mailbox = :mailbox
        ${unionOf(FORM_TABLES, matchesEmail)}
        ${unionOf(WALLET_TABLES, byWallet)}
        union select case m."referenceNumber" when p."referenceNumber" then m."mergedInto" else m."referenceNumber" end
        from person p join $.record_merges m on p."referenceNumber" in (m."referenceNumber", m."mergedInto")
      )
      select "referenceNumber", kind from $.reference_numbers
      where "referenceNumber" in (select "referenceNumber" from person) order by "createdAt", "referenceNumber"`,
    received: RECEIVED,
    invitations: INVITATIONS,
    names: TABLES_WITH_NAMES.map(
      (table) => `select name from $.${table} where ${byRecord} and length(name) > 2`,
    ).join(' union '),
    earlierAddresses: 'select distinct email from $.address_corrections',
    savedFilters: 'select id, name, view from $.saved_filters',
    /** All stored email addresses and mailboxes by which an erasure could find data. */
    emails: [
      ...[...FORM_TABLES, 'address_corrections'].map((table) => `select email from $.${table}`),
      ...['reference_numbers', 'subscriptions'].map(
        (table) => `select mailbox from $.${table} where mailbox is not null`,
      ),
      `select sender from (${RECEIVED})`,
      `select email from (${INVITATIONS})`,
    ].join(' union '),
    /** All stored wallet addresses by which an erasure could find data. */
    wallets: [
      ...[
        ...WALLET_TABLES,
        'wallet_sessions',
        'proof_challenges',
        'proven_wallets',
        'whitelisted_wallets',
        'cards',
      ].map((table) => `select "walletAddress" from $.${table} where "walletAddress" is not null`),
      `select subject from $.subscriptions where about = 'stakes'`,
    ].join(' union '),
    /** The records that the person sent emails about. */
    answeredRecords: `
      select "referenceNumber", kind from $.reference_numbers
      where "referenceNumber" in (select "referenceNumber" from $.record_messages where ${isMessage('id')})`,
    /** Deletes the files of messages, and returns what their audit records need. */
    deleteFiles: `delete from $.message_files where ${isPersonsFile} returning "referenceNumber", "contentHash"`,
    namedWallets: WALLET_TABLES.map(
      (table) => `select "walletAddress" from $.${table} where ${byRecord} and "walletAddress" is not null`,
    ).join(' union '),
    deliveries: `select id from $.deliveries where ${isPersonsDelivery}`,
    liveCards: `select count(*) from $.cards where ${byWallet} and state not in ('closed', 'failed')`,
    adminEmails: 'select email from $.admins where email is not null',
    lockStatements: FORM_TABLES.map(
      (table) => `select from $.${table} where ${byRecord} order by "referenceNumber" for update`,
    ),
  };
}
