import {
  FINALITY_SLOTS,
  type LedgerChain,
  type LedgerClock,
  type SignatureRecord,
  type SignaturesQuery,
} from '../chain.ts';
import { encodeTransaction, readTransactionFormat } from './encode-transaction.ts';
import { RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  type Commitment,
  checkMinContextSlot,
  confirmationStatus,
  isReached,
  Param,
  type RpcMethods,
  readHistoryCommitment,
  slotAt,
  withContext,
} from './params.ts';

const MAX_SIGNATURES = 1000;
const MAX_STATUSES = 256;
/** A node caches statuses for this many slots. To get older ones, callers set `searchTransactionHistory`. */
const RECENT_SLOTS = 300;

function encodeRow(row: SignatureRecord, clock: LedgerClock): object {
  const { blockTime, err, memo, signature, slot, position } = row;
  const status = confirmationStatus(slot, clock);
  return { blockTime, confirmationStatus: status, err, memo, signature, slot, transactionIndex: position };
}

/**
 * Returns an address's signatures, newest first. Transactions that have not reached the commitment are left out, and do not
 * count toward `query.limit`.
 */
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

export const HISTORY_METHODS: RpcMethods = {
  /** Null if the ledger does not have the transaction, or the transaction has not reached the requested commitment. */
  getTransaction(chain, params) {
    params.checkCount(2);
    const signature = params.get(0).signature();
    // Older clients send only the encoding, as a string.
    const { value, path } = params.get(1);
    const config = typeof value === 'string' ? new Param({ encoding: value }, path) : params.config(1);
    const commitment = readHistoryCommitment(config);
    const format = readTransactionFormat(config);
    const transaction = chain.transaction(signature);
    if (transaction === null || !isReached(transaction.slot, chain.clock(), commitment)) return null;
    return encodeTransaction(transaction, format);
  },

  getSignaturesForAddress(chain, params) {
    params.checkCount(2);
    const address = params.get(0).address();
    const config = params.config(1);
    const commitment = readHistoryCommitment(config);
    const [before, until] = [config.get('before'), config.get('until')];
    const query: SignaturesQuery = {
      limit: config.get('limit').integer(1, MAX_SIGNATURES, MAX_SIGNATURES),
      ...(!before.isAbsent && { before: before.signature() }),
      ...(!until.isAbsent && { until: until.signature() }),
    };
    const clock = chain.clock();
    checkMinContextSlot(config, slotAt(clock, commitment));
    return readRows(chain, address, query, commitment).map((row) => encodeRow(row, clock));
  },

  getSignatureStatuses(chain, params) {
    params.checkCount(2);
    const items = params.get(0).items(MAX_STATUSES);
    const signatures = items.map((item) => item.signature());
    const searchesHistory = params.config(1).get('searchTransactionHistory').flag();
    const statuses = signatures.map((signature) => statusOf(chain, signature, searchesHistory));
    return withContext(chain, statuses);
  },
};
