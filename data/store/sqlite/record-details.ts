import type { Actor, CurrentVote, Decision, FullRecord, RecordHistory, RecordNote } from '../record-port.ts';
import type { RecordListId } from '../rules/record-lists.ts';
import { mergedReferencesSql } from '../rules/record-merges.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import type { Statements } from './list-statements.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { mentionsIn } from './record-notes.ts';
import { kindOf } from './submission-rows.ts';

const ADMIN_NAME = 'coalesce((select m.username from admins m where m.id = r.adminId), r.adminId) as "by"';

/** A record's decisions, oldest first. */
export function decisionsOf(statements: Statements, referenceNumber: string): readonly Decision[] {
  const sql = `select r.at, ${ADMIN_NAME}, r.decision, r.reason from record_decisions r where r.referenceNumber = ? order by r.sequence`;
  return statements(sql).all(referenceNumber) as Decision[];
}

/** Call it in the transaction of the decision. */
export function addDecision(
  statements: Statements,
  referenceNumber: string,
  { at, adminId }: Pick<Actor, 'at' | 'adminId'>,
  { decision, reason }: Pick<Decision, 'decision' | 'reason'>,
): void {
  statements(
    'insert into record_decisions (referenceNumber, at, adminId, decision, reason) values (?, ?, ?, ?, ?)',
  ).run(referenceNumber, at, adminId, decision, reason);
}

/** The current votes of admins who may still vote, oldest first. */
export function votesOf(statements: Statements, referenceNumber: string): readonly CurrentVote[] {
  const sql = `select r.votedAt as at, ${ADMIN_NAME}, r.decision, r.reason, r.adminId, (select o.username from admins o where o.id = a.addedBy) as addedBy
    from loan_votes r join admins a on a.id = r.adminId
    where r.referenceNumber = ? and a.disabledAt is null and a.role <> 'viewer' order by r.votedAt, r.id`;
  return statements(sql).all(referenceNumber) as CurrentVote[];
}

function readHistory(statements: Statements, referenceNumber: string): RecordHistory {
  const all = <Row>(sql: string, value = referenceNumber) => statements(sql).all(value) as Row[];
  const deliveries = all<Omit<RecordHistory['deliveries'][number], 'attempts'>>(
    'select id, event, channel, audience, state, createdAt, nextAttemptAt, finishedAt from deliveries where referenceNumber = ? order by createdAt, channel, audience',
  );
  return {
    timeline: all(
      'select at, status, note from submission_events where referenceNumber = ? order by sequence',
    ),
    decisions: decisionsOf(statements, referenceNumber),
    mergedInto: (statements('select mergedInto from record_merges where referenceNumber = ?')
      .pluck()
      .get(referenceNumber) ?? null) as string | null,
    merged: all(
      `select r.referenceNumber, r.at, ${ADMIN_NAME} from record_merges r where r.mergedInto = ? order by r.at, r.referenceNumber`,
    ),
    notes: all<Omit<RecordNote, 'mentions' | 'versions'>>(
      `select r.id, r.referenceNumber, r.createdAt as at, r.adminId, ${ADMIN_NAME}, r.text, r.changedAt, r.removedAt
       from record_notes r where r.referenceNumber in ${mergedReferencesSql('', '?')} order by r.sequence`,
    ).map((note) => ({
      ...note,
      mentions: mentionsIn(statements, note.id),
      versions: all('select at, text from record_note_versions where noteId = ? order by sequence', note.id),
    })),
    earlierAddresses: all(
      `select r.email, r.at, ${ADMIN_NAME} from address_corrections r where r.referenceNumber = ? order by r.sequence`,
    ),
    deliveries: deliveries.map((delivery) => ({
      ...delivery,
      attempts: all(
        'select at, outcome, error, code, maskedRecipient from delivery_attempts where deliveryId = ? order by sequence',
        delivery.id,
      ),
    })),
  };
}

export function readFullRecord(statements: Statements, referenceNumber: string): FullRecord | null {
  const kind = kindOf(statements, referenceNumber);
  const read = <Id extends RecordListId>(list: Id) => {
    const { table, columns, toRow } = LISTED_TABLES[list];
    const sql = `select ${columns} from ${table} a where a.referenceNumber = ?`;
    const row = statements(sql).get(referenceNumber) as RawRow | undefined;
    return row ? toRow(row) : null;
  };
  const history = readHistory(statements, referenceNumber);
  switch (kind) {
    case undefined:
      return null;
    case 'card-application': {
      const record = read('applications');
      return record && { kind, record, ...history };
    }
    case 'contact-message': {
      const record = read('contacts');
      return record && { kind, record, ...history };
    }
    case 'verification-request': {
      const record = read('verification-requests');
      if (!record) return null;
      const whitelisting = statements(
        'select tier, referenceNumber from whitelisted_wallets where walletAddress = ?',
      ).get(record.walletAddress) as
        | Extract<FullRecord, { kind: 'verification-request' }>['whitelisting']
        | undefined;
      return { kind, record, whitelisting: whitelisting ?? null, ...history };
    }
    case 'loan-application': {
      const record = read('loan-applications');
      if (!record) return null;
      const documents = statements(
        `select id, referenceNumber, kind, fileName, mediaType, byteLength from loan_documents
         where referenceNumber in ${mergedReferencesSql('', '?')} order by referenceNumber <> ?, referenceNumber, kind`,
      ).all(referenceNumber, referenceNumber) as Extract<
        FullRecord,
        { kind: 'loan-application' }
      >['documents'];
      return { kind, record, documents, votes: votesOf(statements, referenceNumber), ...history };
    }
  }
}
