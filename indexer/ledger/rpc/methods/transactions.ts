import { isReached } from '../commitment.ts';
import { encodeTransaction, readTransactionFormat } from '../encode/transaction.ts';
import type { RpcMethod } from '../method.ts';
import {
  type Commitment,
  type Config,
  checkCount,
  readCommitment,
  readConfig,
  readSignature,
} from '../params.ts';
import { invalidParams } from '../rpc-error.ts';

/** History is not served below `confirmed`, as on a Solana node. */
export function requireHistoryCommitment(commitment: Commitment): Commitment {
  if (commitment === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`');
  }
  return commitment;
}

/** The second parameter is a configuration, or the encoding alone as in older clients. */
function readTransactionConfig(params: readonly unknown[]): Config {
  return typeof params[1] === 'string' ? { encoding: params[1] } : readConfig(params, 1);
}

/** One transaction, or null where the ledger does not have it or it has not reached the commitment. */
export const getTransaction: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const signature = readSignature(params[0], 'params[0]');
  const config = readTransactionConfig(params);
  const commitment = requireHistoryCommitment(readCommitment(config, 'params[1]'));
  const format = readTransactionFormat(config, 'params[1]');
  const transaction = chain.transaction(signature);
  if (transaction === null || !isReached(transaction.slot, chain.clock(), commitment)) return null;
  return {
    blockTime: transaction.blockTime,
    slot: transaction.slot,
    transactionIndex: transaction.position,
    ...encodeTransaction(transaction, format),
  };
};
