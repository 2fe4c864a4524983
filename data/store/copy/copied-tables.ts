export interface CopiedTable {
  readonly name: string;
  /** The columns of a unique key. Rows are sorted by them. */
  readonly key: readonly string[];
  /** Whether a row can be several MB in size. */
  readonly hasLargeRows?: true;
}

/**
 * The tables to copy. Each comes after the tables that it refers to. Derived data, such as search words and
 * counts, is not copied but rebuilt in the target. Rate-limit counts and setup links are left out, because
 * they soon expire.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'audit_records', key: ['sequence'] },
  { name: 'reference_numbers', key: ['referenceNumber'] },
  { name: 'card_applications', key: ['id'] },
  { name: 'verification_requests', key: ['id'] },
  { name: 'contact_messages', key: ['id'] },
  { name: 'loan_applications', key: ['id'] },
  { name: 'submission_events', key: ['sequence'] },
  { name: 'idempotent_answers', key: ['keyHash'] },
  { name: 'loan_documents', key: ['id'], hasLargeRows: true },
  { name: 'document_usage', key: ['subject'] },
  { name: 'loan_votes', key: ['id'] },
  { name: 'record_notes', key: ['sequence'] },
  { name: 'record_note_versions', key: ['sequence'] },
  { name: 'note_mentions', key: ['id'] },
  { name: 'record_messages', key: ['sequence'] },
  { name: 'message_files', key: ['id'], hasLargeRows: true },
  { name: 'record_decisions', key: ['sequence'] },
  { name: 'record_undos', key: ['referenceNumber'] },
  { name: 'record_merges', key: ['referenceNumber'] },
  { name: 'address_corrections', key: ['sequence'] },
  { name: 'deliveries', key: ['id'] },
  { name: 'delivery_attempts', key: ['sequence'] },
  { name: 'webhook_endpoints', key: ['id'] },
  { name: 'webhook_deliveries', key: ['id'] },
  { name: 'alerts', key: ['id'] },
  { name: 'proof_challenges', key: ['nonceHash'] },
  { name: 'passkey_challenges', key: ['challengeHash'] },
  { name: 'wallet_sessions', key: ['tokenHash'] },
  { name: 'proven_wallets', key: ['walletAddress'] },
  { name: 'whitelisted_wallets', key: ['walletAddress'] },
  { name: 'cards', key: ['id'] },
  { name: 'card_decisions', key: ['sequence'] },
  { name: 'issuer_messages', key: ['id'] },
  { name: 'card_spends', key: ['id'] },
  { name: 'usdt_feeds', key: ['id'] },
  { name: 'usdt_transfers', key: ['id'] },
  { name: 'top_up_tags', key: ['cardId'] },
  { name: 'admins', key: ['id'] },
  { name: 'admin_sessions', key: ['tokenHash'] },
  { name: 'admin_recovery_codes', key: ['codeHash'] },
  { name: 'admin_passkeys', key: ['id'] },
  { name: 'saved_filters', key: ['id'] },
  { name: 'subscriptions', key: ['id'] },
  { name: 'subscription_notices', key: ['id'] },
  { name: 'admin_addresses', key: ['addressHash'] },
  { name: 'admin_links', key: ['id'] },
  { name: 'report_subscriptions', key: ['adminId'] },
  { name: 'report_records', key: ['referenceNumber'] },
  { name: 'report_days', key: ['day', 'kind'] },
  { name: 'report_deliveries', key: ['day', 'channel'] },
  { name: 'report_kind_deliveries', key: ['day', 'kind', 'channel'] },
  { name: 'report_state', key: ['id'] },
  { name: 'sign_in_failures', key: ['subjectHash'] },
  { name: 'unanswered_questions', key: ['question'] },
  { name: 'assistant_additions', key: ['sequence'] },
  { name: 'answer_verdicts', key: ['day', 'source', 'verdict'] },
  { name: 'chat_transcripts', key: ['sequence'] },
];

/**
 * A column that both stores have. `json` is read as JSON text from both. `list` is a JSON array in SQLite and an array in
 * PostgreSQL.
 */
export interface Column {
  readonly name: string;
  readonly type: 'plain' | 'boolean' | 'json' | 'list';
}

/** For each table, its columns, sorted by name. */
export type Columns = Readonly<Record<string, readonly Column[]>>;

export type Cell = string | number | boolean | Buffer | null;
/** A row in the same form in both stores: the cells in the order of the columns, JSON and lists as JSON text. */
export type CopiedRow = readonly Cell[];
export type RowKey = readonly (string | number)[];

export interface CopyPageSize {
  readonly rows: number;
  readonly largeRows: number;
}

export const PAGE_SIZE: CopyPageSize = { rows: 500, largeRows: 2 };

export const rowsAtOnce = ({ hasLargeRows }: CopiedTable, size: CopyPageSize): number =>
  hasLargeRows ? size.largeRows : size.rows;

/**
 * SQL for a page of a table: its first rows or, with parameters for a key, the rows after that key.
 * @param selected SQL expressions for the cells
 * @param parameters the placeholders for the key's values, if there is a key, and for the number of rows
 */
export function pageSql(
  { name, key }: CopiedTable,
  selected: readonly string[],
  parameters: readonly string[],
): string {
  const columns = key.map((column) => `"${column}"`).join(', ');
  const [limit, ...reversedKey] = parameters.toReversed();
  const where =
    reversedKey.length > 0 ? `where (${columns}) > (${reversedKey.toReversed().join(', ')}) ` : '';
  return `select ${selected.join(', ')} from ${name} ${where}order by ${columns} limit ${limit}`;
}

/** @throws {RangeError} when a key column contains neither text nor a number */
export function rowKey({ name, key }: CopiedTable, columns: Columns, row: CopiedRow): RowKey {
  return key.map((column) => {
    const value = row[tableColumns(columns, name).findIndex((one) => one.name === column)];
    if (typeof value === 'string' || typeof value === 'number') return value;
    throw new RangeError(`The key column ${column} of ${name} contains neither text nor a number.`);
  });
}

export function tableColumns(columns: Columns, table: string): readonly Column[] {
  const found = columns[table];
  if (found === undefined) throw new RangeError(`The store has no table ${table}.`);
  return found;
}
