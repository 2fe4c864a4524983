import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { LedgerAccount, LedgerTransaction, SignatureRecord, TransactionErrorJson } from './chain.ts';
import type { AccountChange } from './execute.ts';
import { readTransactionRow, type TransactionRow, writeTransactionRow } from './transaction-row.ts';

/** Raised with every change to the tables below: a file of another version is refused, never guessed at. */
const FORMAT = '1';

/** Addresses whose row ids are held in memory. */
const ID_CACHE_LIMIT = 50_000;

const TABLES = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE accounts (
  address TEXT PRIMARY KEY,
  lamports INTEGER NOT NULL,
  owner TEXT NOT NULL,
  executable INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
-- Ids rise with (slot, position), so the newest transaction of an address is its highest id.
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  signature TEXT NOT NULL UNIQUE,
  slot INTEGER NOT NULL,
  position INTEGER NOT NULL,
  block_time INTEGER NOT NULL,
  err TEXT,
  memo TEXT,
  wire BLOB NOT NULL,
  outcome TEXT NOT NULL,
  UNIQUE (slot, position)
) STRICT;
CREATE TABLE addresses (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE address_transactions (
  address_id INTEGER NOT NULL REFERENCES addresses (id),
  transaction_id INTEGER NOT NULL REFERENCES transactions (id),
  PRIMARY KEY (address_id, transaction_id)
) STRICT, WITHOUT ROWID;
`;

export interface Genesis {
  /** Unix milliseconds of slot 0. */
  readonly time: number;
  readonly hash: string;
}

/** The ledger's file cannot be used as it is; the message says what to do. */
export class LedgerFileError extends Error {
  override readonly name = 'LedgerFileError';
}

/** The ledger's own file. Every method is one durable step. */
export interface LedgerStore {
  readGenesis(): Genesis | null;
  writeGenesis(genesis: Genesis): void;
  /** Runs all of `work` as one step: it is kept whole, or, where it throws, not at all. */
  atomically<T>(work: () => T): T;
  writeAccounts(changes: readonly Pick<AccountChange, 'address' | 'after'>[]): void;
  readAccounts(): Iterable<readonly [address: string, account: LedgerAccount]>;
  /** Stores a transaction, its addresses and the accounts that it changed. */
  commit(
    transaction: LedgerTransaction,
    memo: string | null,
    keys: readonly string[],
    changes: readonly AccountChange[],
  ): void;
  newest(): { readonly slot: number; readonly position: number } | null;
  has(signature: string): boolean;
  transaction(signature: string): LedgerTransaction | null;
  /** Row id of a signature, for `newestFirst`, or null where the ledger has none. */
  idOf(signature: string): number | null;
  /** Signatures of an address between two row ids, both left out, newest first. */
  newestFirst(address: string, beforeId: number, afterId: number, limit: number): SignatureRecord[];
  /** Signatures of an address after a (slot, position), oldest first. */
  oldestFirst(address: string, slot: number, position: number, limit: number): SignatureRecord[];
  close(): void;
}

interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
  readonly position: number;
  readonly block_time: number;
  readonly err: string | null;
  readonly memo: string | null;
}

interface AccountRow {
  readonly address: string;
  readonly lamports: bigint;
  readonly owner: string;
  readonly executable: bigint;
  readonly data: Uint8Array;
}

const SIGNATURE_COLUMNS = 't.signature, t.slot, t.position, t.block_time, t.err, t.memo';

/**
 * Opens or creates the file; `:memory:` keeps nothing. Throws `LedgerFileError` where the file is of another format, no
 * database, or in use.
 */
export function openLedgerStore(file: string): LedgerStore {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const db = new Database(file);
  try {
    db.pragma('busy_timeout = 500');
    // One process is the ledger: a second would run on accounts of its own and mix its transactions in.
    db.pragma('locking_mode = EXCLUSIVE');
    // Losing the last moments to a power cut is fine for a development ledger; a torn commit never happens in WAL.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 4000');
    prepareTables(db, file);
    return storeOver(db);
  } catch (error) {
    db.close();
    throw knownFault(error, file);
  }
}

function knownFault(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_BUSY') {
    return new LedgerFileError(`The ledger file ${file} is in use by another process. Stop that one first.`);
  }
  if (error.code === 'SQLITE_NOTADB' || error.code === 'SQLITE_CORRUPT') {
    return new LedgerFileError(
      `The ledger file ${file} is not a database of the ledger. Delete the file: the ledger makes a new one.`,
    );
  }
  return error;
}

function prepareTables(db: Database.Database, file: string): void {
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() === undefined;
  if (isEmpty) {
    db.transaction(() => {
      db.exec(TABLES);
      db.prepare("INSERT INTO meta VALUES ('format', ?)").run(FORMAT);
    })();
    return;
  }
  const format = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'format'").pluck().get();
  if (format === FORMAT) return;
  throw new LedgerFileError(
    `The ledger file ${file} has format ${format ?? 'unknown'}, this version reads ${FORMAT}. Delete the file: the ledger makes a new one.`,
  );
}

function storeOver(db: Database.Database): LedgerStore {
  const readMeta = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck();
  const writeMeta = db.prepare('INSERT INTO meta VALUES (?, ?)');
  const putAccount = db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?)');
  const dropAccount = db.prepare('DELETE FROM accounts WHERE address = ?');
  const allAccounts = db.prepare<[], AccountRow>('SELECT * FROM accounts').safeIntegers();
  const putTransaction = db.prepare(
    'INSERT INTO transactions (signature, slot, position, block_time, err, memo, wire, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const addressId = db.prepare<[string], number>('SELECT id FROM addresses WHERE address = ?').pluck();
  const putAddress = db.prepare('INSERT INTO addresses (address) VALUES (?)');
  const putTouch = db.prepare('INSERT INTO address_transactions VALUES (?, ?)');
  const newest = db.prepare<[], { slot: number; position: number }>(
    'SELECT slot, position FROM transactions ORDER BY id DESC LIMIT 1',
  );
  const idOf = db.prepare<[string], number>('SELECT id FROM transactions WHERE signature = ?').pluck();
  const bySignature = db.prepare<[string], TransactionRow>(
    'SELECT signature, slot, position, block_time, wire, err, outcome FROM transactions WHERE signature = ?',
  );
  const newestFirst = db.prepare<[string, number, number, number], SignatureRow>(
    `SELECT ${SIGNATURE_COLUMNS} FROM address_transactions a JOIN transactions t ON t.id = a.transaction_id
     WHERE a.address_id = (SELECT id FROM addresses WHERE address = ?)
       AND a.transaction_id < ? AND a.transaction_id > ?
     ORDER BY a.transaction_id DESC LIMIT ?`,
  );
  const idAt = db
    .prepare<[number, number], number>(
      'SELECT id FROM transactions WHERE (slot, position) <= (?, ?) ORDER BY slot DESC, position DESC LIMIT 1',
    )
    .pluck();
  const oldestFirst = db.prepare<[string, number, number], SignatureRow>(
    `SELECT ${SIGNATURE_COLUMNS} FROM address_transactions a JOIN transactions t ON t.id = a.transaction_id
     WHERE a.address_id = (SELECT id FROM addresses WHERE address = ?) AND a.transaction_id > ?
     ORDER BY a.transaction_id LIMIT ?`,
  );

  const ids = new Map<string, number>();
  const knownId = (address: string): number | undefined => {
    const cached = ids.get(address);
    if (cached !== undefined) return cached;
    // Only ids read back are kept: one just given is gone again where the step fails.
    const id = addressId.get(address);
    if (ids.size >= ID_CACHE_LIMIT) ids.clear();
    if (id !== undefined) ids.set(address, id);
    return id;
  };
  const writeAccounts = (changes: readonly Pick<AccountChange, 'address' | 'after'>[]): void => {
    for (const { address, after } of changes) {
      if (after === null) dropAccount.run(address);
      else putAccount.run(address, after.lamports, after.owner, after.executable ? 1 : 0, after.data);
    }
  };
  const commit = db.transaction(
    (...[transaction, memo, keys, changes]: Parameters<LedgerStore['commit']>) => {
      const row = writeTransactionRow(transaction);
      const id = putTransaction.run(
        row.signature,
        row.slot,
        row.position,
        row.block_time,
        row.err,
        memo,
        row.wire,
        row.outcome,
      ).lastInsertRowid;
      for (const key of keys) putTouch.run(knownId(key) ?? putAddress.run(key).lastInsertRowid, id);
      writeAccounts(changes);
    },
  );

  return {
    readGenesis() {
      const time = readMeta.get('genesis-time');
      const hash = readMeta.get('genesis-hash');
      return time === undefined || hash === undefined ? null : { time: Number(time), hash };
    },
    writeGenesis(genesis) {
      writeMeta.run('genesis-time', String(genesis.time));
      writeMeta.run('genesis-hash', genesis.hash);
    },
    atomically: (work) => db.transaction(work).immediate(),
    writeAccounts,
    *readAccounts() {
      for (const row of allAccounts.iterate()) {
        const { address, lamports, owner, data } = row;
        yield [address, { lamports, owner, executable: row.executable === 1n, data }];
      }
    },
    commit,
    newest: () => newest.get() ?? null,
    has: (signature) => idOf.get(signature) !== undefined,
    transaction(signature) {
      const row = bySignature.get(signature);
      return row === undefined ? null : readTransactionRow(row);
    },
    idOf: (signature) => idOf.get(signature) ?? null,
    newestFirst: (address, beforeId, afterId, limit) =>
      newestFirst.all(address, beforeId, afterId, limit).map(readSignatureRow),
    oldestFirst: (address, slot, position, limit) =>
      oldestFirst.all(address, idAt.get(slot, position) ?? 0, limit).map(readSignatureRow),
    close() {
      db.close();
    },
  };
}

function readSignatureRow(row: SignatureRow): SignatureRecord {
  const err: TransactionErrorJson | null = row.err === null ? null : JSON.parse(row.err);
  const { signature, slot, position, memo } = row;
  return { signature, slot, position, blockTime: row.block_time, err, memo };
}
