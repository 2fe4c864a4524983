import type { SubmissionKind } from '../../model/submission-status.ts';
import type { CurrentVote, Decision, FullRecord, RecordHistory } from '../record-port.ts';
import type { RecordListId } from '../rules/record-lists.ts';
import { mergedReferencesSql } from '../rules/record-merges.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import type { Database, Queries } from './database.ts';
import { LISTED_TABLES, type ListedTable } from './listed-tables.ts';
import { mentionsInSql } from './record-notes.ts';
import { SELECT_KIND } from './submission-rows.ts';

const ADMIN_NAME = `coalesce((select m.username from $.admins m where m.id = r."adminId"), r."adminId") as by`;

const decisionsSql = (reference: string) =>
  `select r.at, ${ADMIN_NAME}, r.decision, r.reason from $.record_decisions r where r."referenceNumber" = ${reference} order by r.sequence`;
/** The current votes of admins who may still vote, oldest first. */
const votesSql = (reference: string) => `
  select r."votedAt" as at, ${ADMIN_NAME}, r.decision, r.reason, r."adminId",
    (select o.username from $.admins o where o.id = a."addedBy") as "addedBy"
  from $.loan_votes r join $.admins a on a.id = r."adminId"
  where r."referenceNumber" = ${reference} and a."disabledAt" is null and a.role <> 'viewer' order by r."votedAt", r.id`;

const jsonList = (query: string): string => `(select coalesce(json_agg(row), '[]') from (${query}) row)`;

const HISTORY_COLUMNS = `
  ${jsonList(`select at, status, note from $.submission_events where "referenceNumber" = $1 order by sequence`)} as timeline,
  ${jsonList(decisionsSql('$1'))} as decisions,
  ${jsonList(`
    select r.id, r."referenceNumber", r."createdAt" as at, r."adminId", ${ADMIN_NAME}, r.text, r."changedAt", r."removedAt",
      ${jsonList(mentionsInSql('r.id'))} as mentions,
      ${jsonList('select at, text from $.record_note_versions where "noteId" = r.id order by sequence')} as versions
    from $.record_notes r where r."referenceNumber" in ${mergedReferencesSql('$.', '$1')} order by r.sequence`)} as notes,
  (select "mergedInto" from $.record_merges where "referenceNumber" = $1) as "mergedInto",
  ${jsonList(`
    select r."referenceNumber", r.at, ${ADMIN_NAME} from $.record_merges r where r."mergedInto" = $1
    order by r.at, r."referenceNumber"`)} as merged,
  ${jsonList(`select r.email, r.at, ${ADMIN_NAME} from $.address_corrections r where r."referenceNumber" = $1 order by r.sequence`)} as "earlierAddresses",
  ${jsonList(`
    select id, event, channel, audience, state, "createdAt", "nextAttemptAt", "finishedAt",
      ${jsonList(`
        select at, outcome, error, code, "maskedRecipient" from $.delivery_attempts
        where "deliveryId" = d.id order by sequence`)} as attempts
    from $.deliveries d where "referenceNumber" = $1 order by "createdAt", channel, audience`)} as deliveries`;

type RecordWith<Kind extends FullRecord['kind'], Name extends string> = Extract<
  FullRecord,
  Record<Name, unknown> & { kind: Kind }
>;
type Request = RecordWith<'verification-request', 'whitelisting'>;
type Loan = RecordWith<'loan-application', 'votes'>;

export function prepareDetails({ statement }: Database) {
  // One statement reads the record and all its related data, so that they are from the same moment.
  const prepareFullRecord = <ExtraColumns extends object>(list: RecordListId, extraColumns = '') => {
    const { table, columns }: ListedTable = LISTED_TABLES[list];
    return statement<RawRow & RecordHistory & ExtraColumns>(
      `select ${columns}, ${HISTORY_COLUMNS}${extraColumns} from ${table} a where a."referenceNumber" = $1`,
    );
  };
  const kindOf = statement<{ kind: SubmissionKind }>(SELECT_KIND);
  const application = prepareFullRecord('applications');
  const message = prepareFullRecord('contacts');
  const request = prepareFullRecord<Pick<Request, 'whitelisting'>>(
    'verification-requests',
    `, (select json_build_object('tier', tier, 'referenceNumber', w."referenceNumber")
        from $.whitelisted_wallets w where w."walletAddress" = a."walletAddress") as whitelisting`,
  );
  const documents = `
    select id, "referenceNumber", kind, "fileName", "mediaType", "byteLength" from $.loan_documents
    where "referenceNumber" in ${mergedReferencesSql('$.', '$1')} order by "referenceNumber" <> $1, "referenceNumber", kind`;
  const loan = prepareFullRecord<Pick<Loan, 'documents' | 'votes'>>(
    'loan-applications',
    `, ${jsonList(documents)} as documents, ${jsonList(votesSql('$1'))} as votes`,
  );
  const decisionsOf = statement<Decision>(decisionsSql('$1'));
  const votesOf = statement<CurrentVote>(votesSql('$1'));

  async function readFullRecord(on: Queries, referenceNumber: string): Promise<FullRecord | null> {
    const kind = (await on.get(kindOf, referenceNumber))?.kind;
    switch (kind) {
      case undefined:
        return null;
      case 'card-application': {
        const row = await on.get(application, referenceNumber);
        return row && { kind, ...splitHistory(row, LISTED_TABLES.applications) };
      }
      case 'contact-message': {
        const row = await on.get(message, referenceNumber);
        return row && { kind, ...splitHistory(row, LISTED_TABLES.contacts) };
      }
      case 'verification-request': {
        const row = await on.get(request, referenceNumber);
        if (!row) return null;
        const { whitelisting, ...rest } = row;
        return { kind, ...splitHistory(rest, LISTED_TABLES['verification-requests']), whitelisting };
      }
      case 'loan-application': {
        const row = await on.get(loan, referenceNumber);
        if (!row) return null;
        const { documents: files, votes: currentVotes, ...rest } = row;
        return {
          kind,
          ...splitHistory(rest, LISTED_TABLES['loan-applications']),
          documents: files,
          votes: currentVotes,
        };
      }
    }
  }

  return {
    fullRecord: readFullRecord,
    /** Oldest first. */
    decisionsOf: (on: Queries, referenceNumber: string) => on.all(decisionsOf, referenceNumber),
    votesOf: (on: Queries, referenceNumber: string) => on.all(votesOf, referenceNumber),
  };
}
export type Details = ReturnType<typeof prepareDetails>;

function splitHistory<Row>(
  {
    timeline,
    decisions,
    notes,
    mergedInto,
    merged,
    earlierAddresses,
    deliveries,
    ...row
  }: RawRow & RecordHistory,
  { toRow }: ListedTable<Row>,
): RecordHistory & { readonly record: Row } {
  return { record: toRow(row), timeline, decisions, notes, mergedInto, merged, earlierAddresses, deliveries };
}
