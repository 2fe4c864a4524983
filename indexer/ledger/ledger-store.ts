import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type {
  LedgerAccount,
  LedgerTransaction,
  SignatureRecord,
  TokenBalanceRecord,
  TransactionErrorJson,
} from './chain.ts';
import type { AccountChange } from './execute.ts';

/** Version of the tables below. A file with a different version is rejected. */
const FORMAT = '1';

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

export class LedgerFileError extends Error {
  override readonly name = 'LedgerFileError';
}

/** `commit` is atomic. To make other writes atomic, run them inside `atomically`. */
export type LedgerStore = ReturnType<typeof openLedgerStore>;

type SignatureRow = Omit<SignatureRecord, 'err'> & { readonly err: string | null };

type TransactionRow = Omit<SignatureRow, 'memo'> & { readonly wire: Uint8Array; readonly outcome: string };

interface AccountRow {
  readonly address: string;
  readonly lamports: bigint;
  readonly owner: string;
  readonly executable: bigint;
  readonly data: Uint8Array;
}

const SIGNATURE_COLUMNS = 't.signature, t.slot, t.position, t.block_time AS blockTime, t.err, t.memo';

/**
 * Opens or creates the file. `:memory:` keeps everything in memory only.
 * @throws {LedgerFileError} if the file has a different format, is not a database, or is in use
 */
export function openLedgerStore(file: string) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const db = new Database(file);
  try {
    db.pragma('busy_timeout = 500');
    // Exclusive, because a second process would not see the accounts that the first one holds in memory.
    db.pragma('locking_mode = EXCLUSIVE');
    // A development ledger may lose its last transactions in a power failure, but WAL never leaves a partial commit.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 4000');
    prepareTables(db, file);
    return createStore(db);
  } catch (error) {
    db.close();
    throw fileError(error, file);
  }
}

function fileError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_BUSY') {
    return new LedgerFileError(
      `The ledger file ${file} is in use by another process. Stop that process first.`,
    );
  }
  if (error.code === 'SQLITE_NOTADB' || error.code === 'SQLITE_CORRUPT') {
    return new LedgerFileError(
      `The ledger file ${file} is not a ledger database. Delete the file; the ledger creates a new one.`,
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
    `The ledger file ${file} has format ${format ?? 'unknown'}; this version reads ${FORMAT}. Delete the file; the ledger creates a new one.`,
  );
}

function createStore(db: Database.Database) {
  const readMeta = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck();
  const writeMeta = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const putAccount = db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?)');
  const dropAccount = db.prepare('DELETE FROM accounts WHERE address = ?');
  const allAccounts = db.prepare<[], AccountRow>('SELECT * FROM accounts').safeIntegers();
  const putTransaction = db.prepare(
    'INSERT INTO transactions (signature, slot, position, block_time, err, memo, wire, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const addressId = db.prepare<[string], number>('SELECT id FROM addresses WHERE address = ?').pluck();
  const putAddress = db.prepare('INSERT INTO addresses (address) VALUES (?)');
  const putAddressTransaction = db.prepare('INSERT INTO address_transactions VALUES (?, ?)');
  const newest = db.prepare<[], { slot: number; position: number }>(
    'SELECT slot, position FROM transactions ORDER BY id DESC LIMIT 1',
  );
  // Rows are never deleted, so the highest id equals the number of rows.
  const transactionCount = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM transactions').pluck();
  const idOf = db.prepare<[string], number>('SELECT id FROM transactions WHERE signature = ?').pluck();
  const bySignature = db.prepare<[string], TransactionRow>(
    'SELECT signature, slot, position, block_time AS blockTime, wire, err, outcome FROM transactions WHERE signature = ?',
  );
  const newestFirst = db.prepare<[string, number, number, number], SignatureRow>(
    `SELECT ${SIGNATURE_COLUMNS} FROM address_transactions a JOIN transactions t ON t.id = a.transaction_id
     WHERE a.address_id = (SELECT id FROM addresses WHERE address = ?)
       AND a.transaction_id < ? AND a.transaction_id > ?
     ORDER BY a.transaction_id DESC LIMIT ?`,
  );

  const addressIdCache = new Map<string, number>();
  const addressIdOf = (address: string): number | undefined => {
    const cached = addressIdCache.get(address);
    if (cached !== undefined) return cached;
    // Only stored ids are cached, because a new id disappears if its transaction rolls back.
    const id = addressId.get(address);
    if (addressIdCache.size >= ID_CACHE_LIMIT) addressIdCache.clear();
    if (id !== undefined) addressIdCache.set(address, id);
    return id;
  };
  const writeAccounts = (changes: readonly Pick<AccountChange, 'address' | 'after'>[]): void => {
    for (const { address, after } of changes) {
      if (after === null) dropAccount.run(address);
      else putAccount.run(address, after.lamports, after.owner, after.executable ? 1 : 0, after.data);
    }
  };
  const commit: (
    transaction: LedgerTransaction,
    memo: string | null,
    keys: readonly string[],
    changes: readonly AccountChange[],
  ) => void = db.transaction((...[transaction, memo, keys, changes]: Parameters<typeof commit>) => {
    const { signature, slot, position, blockTime, wire } = transaction;
    const err = transaction.err === null ? null : JSON.stringify(transaction.err);
    const row = [signature, slot, position, blockTime, err, memo, wire, stringifyOutcome(transaction)];
    const { lastInsertRowid: id } = putTransaction.run(row);
    for (const key of keys)
      putAddressTransaction.run(addressIdOf(key) ?? putAddress.run(key).lastInsertRowid, id);
    writeAccounts(changes);
  });

  return {
    readGenesis(): Genesis | null {
      const time = readMeta.get('genesis-time');
      const hash = readMeta.get('genesis-hash');
      return time === undefined || hash === undefined ? null : { time: Number(time), hash };
    },
    writeGenesis(genesis: Genesis): void {
      writeMeta.run('genesis-time', String(genesis.time));
      writeMeta.run('genesis-hash', genesis.hash);
    },
    /** How far the programs' clock has been advanced, in milliseconds. */
    readClockAdvance: (): number => Number(readMeta.get('clock-ahead') ?? 0),
    writeClockAdvance: (milliseconds: number): unknown => writeMeta.run('clock-ahead', String(milliseconds)),
    /** Runs `work` in a transaction, which is rolled back if `work` throws. */
    atomically: <T>(work: () => T): T => db.transaction(work).immediate(),
    writeAccounts,
    *readAccounts(): Iterable<readonly [address: string, account: LedgerAccount]> {
      for (const row of allAccounts.iterate()) {
        const { address, lamports, owner, data } = row;
        yield [address, { lamports, owner, executable: row.executable === 1n, data }];
      }
    },
    commit,
    newest: () => newest.get() ?? null,
    transactionCount: () => transactionCount.get() ?? 0,
    has: (signature: string): boolean => idOf.get(signature) !== undefined,
    transaction(signature: string): LedgerTransaction | null {
      const row = bySignature.get(signature);
      return row === undefined ? null : readTransaction(row);
    },
    /** The row id of a transaction, for `signaturesNewestFirst`. Null if the transaction is not stored. */
    idOf: (signature: string): number | null => idOf.get(signature) ?? null,
    /** Signatures of an address between two row ids, both exclusive, newest first. */
    signaturesNewestFirst: (
      address: string,
      beforeId: number,
      afterId: number,
      limit: number,
    ): SignatureRecord[] => newestFirst.all(address, beforeId, afterId, limit).map(readSignatureRow),
    close: (): unknown => db.close(),
  };
}

function readSignatureRow(row: SignatureRow): SignatureRecord {
  return { ...row, err: readError(row.err) };
}

function readError(text: string | null): TransactionErrorJson | null {
  return text === null ? null : JSON.parse(text);
}

type Outcome = Omit<LedgerTransaction, keyof SignatureRecord | 'wire'>;

/**
 * Writes lamports and base units as decimal strings and bytes as base64, because JSON has no byte arrays and no exact integers
 * above 2⁵³.
 */
function stringifyOutcome(transaction: LedgerTransaction): string {
  const { signature, slot, position, blockTime, err, wire, innerInstructions, ...outcome } = transaction;
  const written = {
    ...outcome,
    innerInstructions: innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((inner) => ({
        ...inner,
        data: Buffer.from(inner.data).toString('base64'),
      })),
    })),
  };
  return JSON.stringify(written, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));
}

/** The JSON that `stringifyOutcome` writes. */
type Stored<T> = T extends bigint | Uint8Array
  ? string
  : T extends object
    ? { readonly [Key in keyof T]: Stored<T[Key]> }
    : T;

/** Converts each field explicitly: `JSON.parse` with a reviver takes six times as long. */
function parseOutcome(text: string): Outcome {
  const stored: Stored<Outcome> = JSON.parse(text);
  const withAmount = (balance: Stored<TokenBalanceRecord>): TokenBalanceRecord => ({
    ...balance,
    amount: BigInt(balance.amount),
  });
  return {
    ...stored,
    fee: BigInt(stored.fee),
    computeUnits: BigInt(stored.computeUnits),
    preBalances: stored.preBalances.map(BigInt),
    postBalances: stored.postBalances.map(BigInt),
    preTokenBalances: stored.preTokenBalances.map(withAmount),
    postTokenBalances: stored.postTokenBalances.map(withAmount),
    innerInstructions: stored.innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((inner) => ({
        ...inner,
        data: new Uint8Array(Buffer.from(inner.data, 'base64')),
      })),
    })),
  };
}

function readTransaction({ outcome, ...row }: TransactionRow): LedgerTransaction {
  return { ...row, wire: new Uint8Array(row.wire), err: readError(row.err), ...parseOutcome(outcome) };
}
