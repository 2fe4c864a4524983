/** Transactions, the history of an address, and the status of signatures. */
import {
  FINALITY_SLOTS,
  type LedgerChain,
  type LedgerClock,
  type SignatureRecord,
  type SignaturesQuery,
} from '../chain.ts';
import { encodeTransaction, readTransactionFormat } from './encode-transaction.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  type Commitment,
  type Config,
  checkCount,
  checkMinContextSlot,
  confirmationStatus,
  isAbsent,
  isReached,
  type RpcMethods,
  readAddress,
  readArray,
  readChoice,
  readConfig,
  readFlag,
  readHistoryCommitment,
  readInteger,
  readObject,
  readSignature,
  readText,
  slotAt,
  withContext,
} from './params.ts';

const MAX_SIGNATURES = 1000;
const MAX_FULL_TRANSACTIONS = 100;
const MAX_STATUSES = 256;
/** Slots for which a node caches statuses; older ones need `searchTransactionHistory`. */
const RECENT_SLOTS = 300;

function encodeRow(row: SignatureRecord, clock: LedgerClock): object {
  const { blockTime, err, memo, signature, slot, position } = row;
  const status = confirmationStatus(slot, clock);
  return { blockTime, confirmationStatus: status, err, memo, signature, slot, transactionIndex: position };
}

/** Rows of an address, newest first. Rows that have not reached the commitment do not count against the limit. */
function readRows(
  chain: LedgerChain,
  address: string,
  query: SignaturesQuery,
  commitment: Commitment,
): SignatureRecord[] {
  const clock = chain.clock();
  const rows: SignatureRecord[] = [];
  for (let page = query; ; ) {
    const answer = chain.signaturesFor(address, page);
    if (answer.kind === 'unknown-cursor') {
      throw new RpcError(RPC_ERROR.filterTransactionNotFound, `Transaction ${answer.signature} not found`);
    }
    rows.push(...answer.rows.filter(({ slot }) => isReached(slot, clock, commitment)));
    const last = answer.rows.at(-1);
    if (last === undefined || answer.rows.length < query.limit || rows.length >= query.limit) break;
    page = { ...query, before: last.signature };
  }
  return rows.slice(0, query.limit);
}

function statusOf(chain: LedgerChain, signature: string, searchesHistory: boolean): object | null {
  const clock = chain.clock();
  const transaction = chain.transaction(signature);
  if (transaction === null) return null;
  const { slot, err } = transaction;
  const age = clock.slot - slot;
  if (!searchesHistory && age > RECENT_SLOTS) return null;
  return {
    confirmationStatus: confirmationStatus(slot, clock),
    confirmations: age >= FINALITY_SLOTS ? null : age,
    err,
    slot,
    status: err === null ? { Ok: null } : { Err: err },
  };
}

/** A place in the ledger: a slot and the position among its transactions. */
type LedgerPoint = Pick<SignatureRecord, 'slot' | 'position'>;
const PAGINATION_TOKEN = /^([0-9]{1,15}):([0-9]{1,9})$/;

function readPaginationToken(value: unknown): LedgerPoint | null {
  if (isAbsent(value)) return null;
  const [, slot, position] = PAGINATION_TOKEN.exec(readText(value, 'params[1].paginationToken')) ?? [];
  if (slot === undefined)
    throw invalidParams('params[1].paginationToken must be "slot:position" of an earlier answer');
  return { slot: Number(slot), position: Number(position) };
}

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  eq: (value, bound) => value === bound,
  gte: (value, bound) => value >= bound,
  gt: (value, bound) => value > bound,
  lte: (value, bound) => value <= bound,
  lt: (value, bound) => value < bound,
};

function readRange(value: unknown, at: string): (value: number) => boolean {
  const range = isAbsent(value) ? {} : readObject(value, at);
  const checks = Object.entries(COMPARISONS)
    .filter(([name]) => !isAbsent(range[name]))
    .map(([name, compare]) => {
      const bound = readInteger(range[name], `${at}.${name}`);
      return (tested: number) => compare(tested, bound);
    });
  return (tested) => checks.every((check) => check(tested));
}

/** The filters on slot, block time and outcome; the history of related token accounts is not served. */
function readHistoryFilters(config: Config): (row: SignatureRecord) => boolean {
  const at = 'params[1].filters';
  const filters = isAbsent(config.filters) ? {} : readObject(config.filters, at);
  if (!isAbsent(filters.signature)) throw invalidParams(`${at}.signature is not supported`);
  readChoice(filters.tokenAccounts, `${at}.tokenAccounts`, ['none'], 'none');
  const status = readChoice(filters.status, `${at}.status`, ['succeeded', 'failed', 'any'], 'any');
  const slot = readRange(filters.slot, `${at}.slot`);
  const blockTime = readRange(filters.blockTime, `${at}.blockTime`);
  return (row) =>
    slot(row.slot) &&
    blockTime(row.blockTime) &&
    (status === 'any' || (row.err === null) === (status === 'succeeded'));
}

/** Rows of an address after a place, exclusive; null starts at the end of the history. */
function* rowsFrom(
  chain: LedgerChain,
  address: string,
  order: 'asc' | 'desc',
  from: LedgerPoint | null,
): Generator<SignatureRecord> {
  if (order === 'asc') {
    for (let after = from; ; ) {
      const page = chain.signaturesAscending(address, after, MAX_SIGNATURES);
      yield* page;
      after = page.at(-1) ?? null;
      if (after === null || page.length < MAX_SIGNATURES) return;
    }
  }
  const start = from && { slot: from.slot, position: from.position - 1 };
  const first = start && chain.signaturesAscending(address, start, 1)[0];
  for (let before = first?.signature; ; ) {
    const query = { limit: MAX_SIGNATURES, ...(before === undefined ? {} : { before }) };
    const answer = chain.signaturesFor(address, query);
    if (answer.kind === 'unknown-cursor') throw new Error(`the ledger lost row ${answer.signature}`);
    yield* answer.rows;
    before = answer.rows.at(-1)?.signature;
    if (before === undefined || answer.rows.length < MAX_SIGNATURES) return;
  }
}

function requireTransaction(chain: LedgerChain, signature: string) {
  const transaction = chain.transaction(signature);
  if (transaction === null) throw new Error(`the ledger lost transaction ${signature}`);
  return transaction;
}

export const HISTORY_METHODS: RpcMethods = {
  /** One transaction, or null if the ledger does not have it or it has not reached the commitment. */
  getTransaction(chain, params) {
    checkCount(params, 2);
    const signature = readSignature(params[0], 'params[0]');
    // Older clients send the encoding alone.
    const config = typeof params[1] === 'string' ? { encoding: params[1] } : readConfig(params, 1);
    const commitment = readHistoryCommitment(config, 'params[1]');
    const format = readTransactionFormat(config, 'params[1]');
    const transaction = chain.transaction(signature);
    if (transaction === null || !isReached(transaction.slot, chain.clock(), commitment)) return null;
    return encodeTransaction(transaction, format);
  },

  getSignaturesForAddress(chain, params) {
    checkCount(params, 2);
    const address = readAddress(params[0], 'params[0]');
    const config = readConfig(params, 1);
    const commitment = readHistoryCommitment(config, 'params[1]');
    const query: SignaturesQuery = {
      limit: isAbsent(config.limit)
        ? MAX_SIGNATURES
        : readInteger(config.limit, 'params[1].limit', 1, MAX_SIGNATURES),
      ...(isAbsent(config.before) ? {} : { before: readSignature(config.before, 'params[1].before') }),
      ...(isAbsent(config.until) ? {} : { until: readSignature(config.until, 'params[1].until') }),
    };
    const clock = chain.clock();
    checkMinContextSlot(config, 'params[1]', slotAt(clock, commitment));
    return readRows(chain, address, query, commitment).map((row) => encodeRow(row, clock));
  },

  getSignatureStatuses(chain, params) {
    checkCount(params, 2);
    const signatures = readArray(params[0], 'params[0]', MAX_STATUSES).map((signature, index) =>
      readSignature(signature, `params[0][${index}]`),
    );
    const { searchTransactionHistory } = readConfig(params, 1);
    const searches = readFlag(searchTransactionHistory, 'params[1].searchTransactionHistory');
    return withContext(
      chain,
      signatures.map((signature) => statusOf(chain, signature, searches)),
    );
  },

  /**
   * Helius's history of an address, in either direction; a page token is `slot:position`
   * (https://www.helius.dev/docs/rpc/gettransactionsforaddress).
   */
  getTransactionsForAddress(chain, params) {
    checkCount(params, 2);
    const address = readAddress(params[0], 'params[0]');
    const config = readConfig(params, 1);
    const commitment = readHistoryCommitment(config, 'params[1]');
    const clock = chain.clock();
    checkMinContextSlot(config, 'params[1]', slotAt(clock, commitment));
    const details = readChoice(
      config.transactionDetails,
      'params[1].transactionDetails',
      ['signatures', 'full'],
      'signatures',
    );
    const most = details === 'full' ? MAX_FULL_TRANSACTIONS : MAX_SIGNATURES;
    const limit = isAbsent(config.limit) ? most : readInteger(config.limit, 'params[1].limit', 1, most);
    const order = readChoice(config.sortOrder, 'params[1].sortOrder', ['asc', 'desc'], 'desc');
    const from = readPaginationToken(config.paginationToken);
    const format = readTransactionFormat(config, 'params[1]');
    const passes = readHistoryFilters(config);

    const rows: SignatureRecord[] = [];
    for (const row of rowsFrom(chain, address, order, from)) {
      if (isReached(row.slot, clock, commitment) && passes(row)) rows.push(row);
      if (rows.length > limit) break;
    }
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      data: page.map((row) =>
        details === 'full'
          ? encodeTransaction(requireTransaction(chain, row.signature), format)
          : encodeRow(row, clock),
      ),
      paginationToken: rows.length > limit && last ? `${last.slot}:${last.position}` : null,
    };
  },
};
