/** The history of an address and the status of signatures. */
import {
  FINALITY_SLOTS,
  type LedgerChain,
  type LedgerClock,
  type SignatureRecord,
  type SignaturesQuery,
} from '../../chain.ts';
import { checkMinContextSlot, confirmationStatus, isReached, slotAt, withContext } from '../commitment.ts';
import type { RpcMethod } from '../method.ts';
import {
  type Commitment,
  checkCount,
  isAbsent,
  readAddress,
  readArray,
  readCommitment,
  readConfig,
  readFlag,
  readInteger,
  readSignature,
} from '../params.ts';
import { cursorNotFound } from '../rpc-error.ts';
import { requireHistoryCommitment } from './transactions.ts';

const MOST_SIGNATURES = 1000;
const MOST_STATUSES = 256;
/** Slots whose statuses a node keeps at hand; older ones take `searchTransactionHistory`. */
const RECENT_SLOTS = 300;

/** Rows of an address, newest first. @throws -32020 where a cursor names a signature the ledger does not have */
function readRows(chain: LedgerChain, address: string, query: SignaturesQuery): readonly SignatureRecord[] {
  const answer = chain.signaturesFor(address, query);
  if (answer.kind === 'unknown-cursor') throw cursorNotFound(answer.signature);
  return answer.rows;
}

/** Rows at a commitment: the newest ones that have not reached it are passed over, and do not count against the limit. */
function rowsAt(
  chain: LedgerChain,
  address: string,
  query: SignaturesQuery,
  clock: LedgerClock,
  commitment: Commitment,
): SignatureRecord[] {
  const reached: SignatureRecord[] = [];
  let page = readRows(chain, address, query);
  for (;;) {
    reached.push(...page.filter((row) => isReached(row.slot, clock, commitment)));
    const last = page.at(-1);
    if (last === undefined || page.length < query.limit || reached.length >= query.limit) break;
    page = readRows(chain, address, { ...query, before: last.signature });
  }
  return reached.slice(0, query.limit);
}

export const getSignaturesForAddress: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const address = readAddress(params[0], 'params[0]');
  const config = readConfig(params, 1);
  const commitment = requireHistoryCommitment(readCommitment(config, 'params[1]'));
  const query: SignaturesQuery = {
    limit: isAbsent(config.limit)
      ? MOST_SIGNATURES
      : readInteger(config.limit, 'params[1].limit', 1, MOST_SIGNATURES),
    ...(isAbsent(config.before) ? {} : { before: readSignature(config.before, 'params[1].before') }),
    ...(isAbsent(config.until) ? {} : { until: readSignature(config.until, 'params[1].until') }),
  };
  const clock = chain.clock();
  checkMinContextSlot(config, 'params[1]', slotAt(clock, commitment));
  return rowsAt(chain, address, query, clock, commitment).map((row) => ({
    blockTime: row.blockTime,
    confirmationStatus: confirmationStatus(row.slot, clock),
    err: row.err,
    memo: row.memo,
    signature: row.signature,
    slot: row.slot,
    transactionIndex: row.position,
  }));
};

function statusOf(
  chain: LedgerChain,
  clock: LedgerClock,
  signature: string,
  searchesHistory: boolean,
): object | null {
  const transaction = chain.transaction(signature);
  if (transaction === null) return null;
  const age = clock.slot - transaction.slot;
  if (!searchesHistory && age > RECENT_SLOTS) return null;
  return {
    confirmationStatus: confirmationStatus(transaction.slot, clock),
    confirmations: age >= FINALITY_SLOTS ? null : age,
    err: transaction.err,
    slot: transaction.slot,
    status: transaction.err === null ? { Ok: null } : { Err: transaction.err },
  };
}

export const getSignatureStatuses: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const signatures = readArray(params[0], 'params[0]', MOST_STATUSES).map((signature, index) =>
    readSignature(signature, `params[0][${index}]`),
  );
  const config = readConfig(params, 1);
  const searchesHistory = readFlag(
    config.searchTransactionHistory,
    'params[1].searchTransactionHistory',
    false,
  );
  const clock = chain.clock();
  return withContext(
    chain,
    signatures.map((signature) => statusOf(chain, clock, signature, searchesHistory)),
  );
};
