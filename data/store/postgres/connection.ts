import { createHash } from 'node:crypto';
import pg from 'pg';
import type { AuditRecord } from '../audit-port.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { appendRecords } from './audit-trail.ts';
import type { Database, DatabaseSettings, Queries, Statement, Transaction, Value } from './database.ts';
import {
  databaseError,
  isConflict,
  isConnectTimeout,
  isDiskFull,
  isRepeatedRecord,
  poolExhaustedError,
} from './database-errors.ts';
import { storableValue } from './storable-text.ts';
import { queueWebhooks } from './webhook-queue.ts';

/** Without deadlines, a network that silently drops packets would block every call. */
export interface Deadlines {
  /** How long to wait for a connection from the pool. */
  readonly connectMs: number;
  /** How long a statement may take, including its wait for locks. */
  readonly statementMs: number;
}

const DEADLINES: Deadlines = { connectMs: 5_000, statementMs: 10_000 };
/**
 * How much longer (ms) the portal waits for a statement than the server's own limit allows, so that a busy server can still
 * answer with its own error.
 */
const ANSWER_MARGIN_MS = 2_000;
/**
 * How long (ms) the server lets a transaction wait for its client. Without this limit, the locks of a stopped process would
 * block other transactions.
 */
const IDLE_DEADLINE_MS = 5_000;
/** How many times a transaction, or a statement outside a transaction, is tried if it conflicts with others. */
const MAX_TRIES = 5;
/**
 * The number of locks that names are mapped to. If two names share a lock, the only effect is that their
 * transactions wait for each other.
 */
const LOCK_COUNT = 1024;

/** `bigint` columns hold times and counts. Amounts, which can be larger, are stored as text. */
function parseBigint(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The store contains the number ${text}, which is too large.`);
  return number;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? parseBigint : pg.types.getTypeParser(oid, format),
};

function lockNumber(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE() % LOCK_COUNT;
}

/**
 * Runs work, and repeats it if the server rolled it back because of a conflict, or because one of its audit
 * records is already stored.
 * @param work called with true if some of its audit records may already be stored
 */
async function retryConflicts<T>(work: (mayRepeatRecords: boolean) => Promise<T>): Promise<T> {
  let mayRepeatRecords = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await work(mayRepeatRecords);
    } catch (error) {
      mayRepeatRecords = isRepeatedRecord(error);
      if (tries >= MAX_TRIES || !(mayRepeatRecords || isConflict(error))) throw error;
    }
  }
}

export function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** @param deadlines `statementMs`: how long to wait for the answer to a statement */
export function connectionOptions(
  { host, port, user, password, database, tls }: DatabaseSettings,
  deadlines: Deadlines,
): pg.ClientConfig {
  return {
    host,
    port: port ?? undefined,
    user,
    // A function, so that an error or a log that prints the options does not show the password.
    password: () => password ?? '',
    database,
    ssl: tls === null ? false : { rejectUnauthorized: true, ...(tls.ca === null ? {} : { ca: tls.ca }) },
    connectionTimeoutMillis: deadlines.connectMs,
    query_timeout: deadlines.statementMs,
    keepAlive: true,
    application_name: 'blackduck-portal',
  };
}

function createPool(settings: DatabaseSettings, { connectMs, statementMs }: Deadlines): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(settings, { connectMs, statementMs: statementMs + ANSWER_MARGIN_MS }),
    // Makes the server end a statement that the portal no longer waits for, instead of letting it wait for a lock. Poolers
    // reject this option.
    statement_timeout: settings.preparesStatements && statementMs,
    max: settings.poolSize,
    types,
  });
  // Without a listener, a lost connection would end the process. If the lost connection is idle, the pool replaces it.
  // If it is in use, its next statement fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Opens a database without connecting yet. While the server cannot be used, queries throw `StoreUnavailableError`. */
export function openDatabase(settings: DatabaseSettings, deadlines = DEADLINES): Database {
  const pool = createPool(settings, deadlines);
  const schema = quoteIdentifier(settings.schema);
  let isClosed = false;

  let isFull = false;
  let announceWebhooks = (): void => {};
  let announceRecords = (_records: readonly AuditRecord[]): void => {};
  let connectionsInUse = 0;
  pool.on('acquire', () => {
    connectionsInUse += 1;
  });
  pool.on('release', () => {
    connectionsInUse -= 1;
  });

  const failure = (error: unknown): unknown => {
    const thrown =
      isConnectTimeout(error) && connectionsInUse >= settings.poolSize
        ? poolExhaustedError(settings.poolSize, error)
        : databaseError(error, settings);
    if (isDiskFull(thrown)) isFull = true;
    return thrown;
  };
  const assertOpen = (): void => {
    if (isClosed) throw new StoreUnavailableError('The database was closed by this program. Open it again.');
  };
  const statement = <Row extends object>(text: string): Statement<Row> => {
    const withSchema = text.replaceAll('$.', `${schema}.`);
    const name = settings.preparesStatements
      ? createHash('sha256').update(withSchema).digest('hex').slice(0, 32)
      : undefined;
    return { text: withSchema, name };
  };

  /**
   * @param poolOrClient the pool, to use any of its connections, or the connection of a transaction
   * @param onLost called when a statement gets no answer. The state of the connection is then unknown.
   */
  const createQueries = (poolOrClient: pg.Pool | pg.PoolClient, onLost = (): void => {}): Queries => {
    const query = async <Row extends object>(
      { text, name }: Statement<Row>,
      values: readonly Value[],
    ): Promise<{ readonly rows: readonly Row[]; readonly changes: number }> => {
      assertOpen();
      const run = () => poolOrClient.query<Row>({ text, name, values: values.map(storableValue) });
      try {
        const { rows, rowCount } = await (poolOrClient === pool ? retryConflicts(run) : run());
        return { rows, changes: rowCount ?? 0 };
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) onLost();
        throw failure(error);
      }
    };
    return {
      all: async (preparedStatement, ...values) => (await query(preparedStatement, values)).rows,
      get: async (preparedStatement, ...values) => (await query(preparedStatement, values)).rows[0] ?? null,
      run: async (preparedStatement, ...values) => (await query(preparedStatement, values)).changes,
    };
  };

  // Several statements in one message, which takes only one round trip. `set local` also works through a pooler.
  const begin: Statement<object> = {
    name: undefined,
    text: `begin isolation level read committed; set local statement_timeout = ${deadlines.statementMs}; set local idle_in_transaction_session_timeout = ${IDLE_DEADLINE_MS}`,
  };
  const commit: Statement<object> = { name: undefined, text: 'commit' };
  const rollback: Statement<object> = { name: undefined, text: 'rollback' };
  const lock = statement(
    'select number from $.named_locks where number = any($1) order by number for update',
  );

  async function runTransaction<T>(
    locks: readonly string[],
    work: (transaction: Transaction) => Promise<T>,
    mayRepeatRecords: boolean,
  ): Promise<T> {
    assertOpen();
    const client = await pool.connect().catch((error: unknown) => {
      throw failure(error);
    });
    const records: AuditRecord[] = [];
    let isLost = false;
    let queuedWebhooks = 0;
    const connectionQueries = createQueries(client, () => {
      isLost = true;
    });
    try {
      await connectionQueries.run(begin);
      if (locks.length > 0) await connectionQueries.all(lock, [...new Set(locks.map(lockNumber))]);
      const result = await work({ ...connectionQueries, record: (added) => records.push(added) });
      if (records.length > 0) {
        // Webhooks are queued first, because adding records locks the trail, which blocks others that add records.
        queuedWebhooks = await queueWebhooks({ statement, ...connectionQueries }, records);
        await appendRecords({ statement, ...connectionQueries }, records, mayRepeatRecords);
      }
      await connectionQueries.run(commit);
      if (queuedWebhooks > 0) announceWebhooks();
      if (records.length > 0) announceRecords(records);
      return result;
    } catch (error) {
      if (!isLost) await connectionQueries.run(rollback).catch(() => {});
      throw error;
    } finally {
      // If the connection may be lost, this closes it.
      client.release(isLost);
    }
  }

  return {
    ...createQueries(pool),
    channel: settings.schema,
    statement,
    transaction: (locks, work) =>
      retryConflicts((mayRepeatRecords) => runTransaction(locks, work, mayRepeatRecords)),
    onWebhooksQueued: (announce) => {
      announceWebhooks = announce;
    },
    onRecorded: (announce) => {
      announceRecords = announce;
    },
    pool: () => ({
      max: settings.poolSize,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    isFull: () => isFull,
    async retryWriting(write) {
      if (!isFull) return;
      try {
        await write();
        isFull = false;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await pool.end();
    },
  };
}
