import { isDeepStrictEqual } from 'node:util';
import type { AuditRecord, AuditStore, StoredAuditRecord } from '../audit-port.ts';
import { auditHash } from '../rules/audit-chain.ts';
import { auditConditions, conditionValues, whereClause } from '../rules/list-conditions.ts';
import type { Database, Queries } from './database.ts';
import { readRows } from './list-statements.ts';
import { storableRecord } from './storable-text.ts';

const COLUMNS = 'id, at, actor, action, details, address';

type AuditRow = AuditRecord & { readonly address: string | null };

/**
 * Adds records to the audit trail, at the end of a transaction. The head of the trail is locked until the transaction ends,
 * so that the order of the trail is the order of the commits. A record that is already stored is not added again.
 * @param mayRepeat whether some records may already be stored. If false, adding such a record violates `audit_records_id`.
 * @throws {RangeError} when a stored record has the same id as a new one, but different contents
 */
export async function appendRecords(
  queries: Queries & Pick<Database, 'statement'>,
  records: readonly AuditRecord[],
  mayRepeat: boolean,
): Promise<void> {
  const lockHead = queries.statement<{ sequence: number; hash: string }>(
    'select sequence, hash from $.audit_head for update',
  );
  const withIds = queries.statement<AuditRow>(`select ${COLUMNS} from $.audit_records where id = any($1)`);
  const append = queries.statement(`
    with added as (
      insert into $.audit_records (sequence, ${COLUMNS}, hash)
      select sequence, id, at, actor, action, details::json, address, hash
      from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        as row (sequence, id, at, actor, action, details, address, hash)
    )
    update $.audit_head set sequence = $9, hash = $10`);
  const head = await queries.get(lockHead);
  if (!head) throw new Error('The audit trail has no head.');
  const ids = records.map(({ id }) => id);
  const storedRecords = mayRepeat ? await queries.all(withIds, ids) : [];
  const storedById = new Map(storedRecords.map((record) => [record.id, record]));
  let { sequence, hash } = head;
  const rows = [];
  for (const { address = null, ...record } of records.map(storableRecord)) {
    const storedRecord = storedById.get(record.id);
    if (storedRecord && !isDeepStrictEqual(storedRecord, { ...record, address })) {
      throw new RangeError(
        `The audit record ${record.id} exists with other contents. Records are never overwritten.`,
      );
    }
    if (storedRecord) continue;
    sequence += 1;
    hash = auditHash(hash, { ...record, address });
    const added = { ...record, address };
    storedById.set(record.id, added);
    rows.push({ ...added, sequence, hash });
  }
  if (rows.length === 0) return;
  await queries.run(
    append,
    rows.map((row) => row.sequence),
    rows.map((row) => row.id),
    rows.map((row) => row.at),
    rows.map((row) => row.actor),
    rows.map((row) => row.action),
    rows.map((row) => JSON.stringify(row.details)),
    rows.map((row) => row.address),
    rows.map((row) => row.hash),
    sequence,
    hash,
  );
}

/** Must match the expression in the table's index. `->>` would fail for details with the character U+0000. */
const REFERENCE = `substring(details::text from '"referenceNumber":"(BD-[0-9]{8}-[0-9]{6})"')`;

export function openAuditTrail(db: Database): AuditStore {
  const recordsBefore = db.statement<AuditRow & { sequence: number }>(
    `select ${COLUMNS}, sequence from $.audit_records where sequence < $1 order by sequence desc limit $2`,
  );
  const actions = db.statement<{ action: string }>(`
    with recursive found (action) as (
      select min(action) from $.audit_records
      union all
      select (select min(action) from $.audit_records where action > found.action) from found where found.action is not null
    )
    select action from found where action is not null`);
  return {
    findAudit: (filter, limit, after) => {
      const conditions = auditConditions(filter, after, REFERENCE);
      const sql = `select ${COLUMNS}, sequence from $.audit_records ${whereClause(conditions)} order by at desc, sequence desc limit ?`;
      return readRows<StoredAuditRecord>(db, sql, [...conditionValues(conditions), limit]);
    },
    auditActions: async () => (await db.all(actions)).map(({ action }) => action),
    recordAudit: (record) => db.transaction([], async (transaction) => transaction.record(record)),
    auditTrail: (limit, sequence = Number.MAX_SAFE_INTEGER) =>
      db.all(recordsBefore, sequence, Math.max(0, limit)),
  };
}
