/**
 * Helius's getTransactionsForAddress (https://www.helius.dev/docs/rpc/gettransactionsforaddress), in the shape that helius-sdk
 * sends and reads: history in either direction, filtered, with details, in pages whose token is `slot:position`.
 *
 * Related token accounts are those which exist now; the history of one that was closed is found through its owner's own.
 */
import type { LedgerChain, LedgerTransaction, SignatureRecord } from '../../chain.ts';
import { checkMinContextSlot, confirmationStatus, isReached, slotAt } from '../commitment.ts';
import { encodeTransaction, readTransactionFormat, type TransactionFormat } from '../encode/transaction.ts';
import {
  type HistoryFilters,
  isPastFilters,
  passesFilters,
  readHistoryFilters,
  slotLimits,
} from '../history-filters.ts';
import { comparePoints, type Direction, type LedgerPoint, walkHistory } from '../history-walk.ts';
import type { RpcMethod } from '../method.ts';
import {
  type Commitment,
  checkCount,
  isAbsent,
  readAddress,
  readCommitment,
  readConfig,
  readInteger,
  readObject,
  readText,
  readWord,
} from '../params.ts';
import { invalidParams } from '../rpc-error.ts';
import { requireHistoryCommitment } from './transactions.ts';

const MOST_SIGNATURES = 1000;
const MOST_TRANSACTIONS = 100;
const TOKEN = /^([0-9]{1,15}):([0-9]{1,9})$/;

type RelatedAccounts = 'none' | 'balanceChanged' | 'all';

interface HistoryRequest {
  readonly address: string;
  readonly details: 'signatures' | 'full';
  readonly format: TransactionFormat;
  readonly direction: Direction;
  readonly limit: number;
  readonly from: LedgerPoint | null;
  readonly filters: HistoryFilters;
  readonly related: RelatedAccounts;
  readonly commitment: Commitment;
}

function readPaginationToken(value: unknown): LedgerPoint | null {
  if (isAbsent(value)) return null;
  const parts = TOKEN.exec(readText(value, 'params[1].paginationToken'));
  if (parts === null)
    throw invalidParams('params[1].paginationToken must be "slot:position" of an earlier answer');
  return { slot: Number(parts[1]), position: Number(parts[2]) };
}

function readRequest(chain: LedgerChain, params: readonly unknown[]): HistoryRequest {
  const at = 'params[1]';
  const config = readConfig(params, 1);
  const commitment = requireHistoryCommitment(readCommitment(config, at));
  checkMinContextSlot(config, at, slotAt(chain.clock(), commitment));
  const details = readWord(
    config.transactionDetails,
    `${at}.transactionDetails`,
    ['signatures', 'full'],
    'signatures',
  );
  const most = details === 'full' ? MOST_TRANSACTIONS : MOST_SIGNATURES;
  const filters = isAbsent(config.filters) ? {} : readObject(config.filters, `${at}.filters`);
  return {
    address: readAddress(params[0], 'params[0]'),
    details,
    format: readTransactionFormat(config, at),
    direction: readWord(config.sortOrder, `${at}.sortOrder`, ['asc', 'desc'], 'desc'),
    limit: isAbsent(config.limit) ? most : readInteger(config.limit, `${at}.limit`, 1, most),
    from: readPaginationToken(config.paginationToken),
    filters: readHistoryFilters(filters, `${at}.filters`),
    related: readWord(
      filters.tokenAccounts,
      `${at}.filters.tokenAccounts`,
      ['none', 'balanceChanged', 'all'],
      'none',
    ),
    commitment,
  };
}

/** Where to start: the token of the page before, or the edge of the slot filter where that is further on. */
function startOf({ from, filters, direction }: HistoryRequest): LedgerPoint | null {
  const { lowest, highest } = slotLimits(filters);
  const edge =
    direction === 'asc'
      ? { slot: lowest - 1, position: Number.MAX_SAFE_INTEGER }
      : { slot: highest + 1, position: 0 };
  const hasEdge = direction === 'asc' ? lowest > 0 : highest < Number.MAX_SAFE_INTEGER;
  if (!hasEdge) return from;
  if (from === null) return edge;
  const isEdgeFurther = comparePoints(edge, from) * (direction === 'asc' ? 1 : -1) > 0;
  return isEdgeFurther ? edge : from;
}

function requireTransaction(chain: LedgerChain, signature: string): LedgerTransaction {
  const transaction = chain.transaction(signature);
  if (transaction === null)
    throw new Error(`transaction ${signature} has a row in the ledger and nothing else`);
  return transaction;
}

/** Whether a transaction changed the balance of a token account that the address owns. */
function changesBalance(transaction: LedgerTransaction, owner: string): boolean {
  const amounts = new Map<number, bigint>();
  for (const record of transaction.preTokenBalances) {
    if (record.owner === owner) amounts.set(record.accountIndex, -record.amount);
  }
  for (const record of transaction.postTokenBalances) {
    if (record.owner === owner) {
      amounts.set(record.accountIndex, (amounts.get(record.accountIndex) ?? 0n) + record.amount);
    }
  }
  return [...amounts.values()].some((change) => change !== 0n);
}

function* matchingRows(chain: LedgerChain, request: HistoryRequest): Generator<SignatureRecord> {
  const { address, related, direction, filters } = request;
  const clock = chain.clock();
  const relatedAddresses =
    related === 'none' ? [] : Array.from(chain.tokenAccounts({ owner: address }), ([holder]) => holder);
  const walk = walkHistory(
    chain,
    [address, ...relatedAddresses],
    direction,
    startOf(request),
    Math.min(request.limit + 1, MOST_SIGNATURES),
  );
  for (const { row, isDirect } of walk) {
    if (isPastFilters(row, filters, direction)) return;
    if (!isReached(row.slot, clock, request.commitment) || !passesFilters(row, filters)) continue;
    if (
      !isDirect &&
      related === 'balanceChanged' &&
      !changesBalance(requireTransaction(chain, row.signature), address)
    ) {
      continue;
    }
    yield row;
  }
}

function shownRow(chain: LedgerChain, row: SignatureRecord, { details, format }: HistoryRequest): object {
  if (details === 'full') {
    return {
      blockTime: row.blockTime,
      slot: row.slot,
      transactionIndex: row.position,
      ...encodeTransaction(requireTransaction(chain, row.signature), format),
    };
  }
  return {
    blockTime: row.blockTime,
    confirmationStatus: confirmationStatus(row.slot, chain.clock()),
    err: row.err,
    memo: row.memo,
    signature: row.signature,
    slot: row.slot,
    transactionIndex: row.position,
  };
}

export const getTransactionsForAddress: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const request = readRequest(chain, params);
  const rows: SignatureRecord[] = [];
  let hasMore = false;
  for (const row of matchingRows(chain, request)) {
    if (rows.length === request.limit) {
      hasMore = true;
      break;
    }
    rows.push(row);
  }
  const last = rows.at(-1);
  return {
    data: rows.map((row) => shownRow(chain, row, request)),
    paginationToken: hasMore && last !== undefined ? `${last.slot}:${last.position}` : null,
  };
};
