/** Blockhashes and what a message would cost. The newest blockhash is answered at any commitment. */
import { parseMessage } from '../../wire.ts';
import { readStateConfig, withContext } from '../commitment.ts';
import type { RpcMethod } from '../method.ts';
import { checkCount, decodeBase64, readBlockhash, readText } from '../params.ts';
import { invalidParams } from '../rpc-error.ts';
import { MOST_BASE64_TEXT } from '../transaction-text.ts';

export const getLatestBlockhash: RpcMethod = (chain, params) => {
  checkCount(params, 1);
  readStateConfig(chain, params, 0);
  const { blockhash, lastValidBlockHeight } = chain.latestBlockhash();
  return withContext(chain, { blockhash, lastValidBlockHeight });
};

export const isBlockhashValid: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const blockhash = readBlockhash(params[0], 'params[0]');
  readStateConfig(chain, params, 1);
  return withContext(chain, chain.isBlockhashValid(blockhash));
};

/** Lamports, or null where the message's blockhash is not valid. The message is base64. */
export const getFeeForMessage: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const text = readText(params[0], 'params[0]');
  const message = text.length > MOST_BASE64_TEXT ? null : decodeBase64(text);
  if (message === null) throw invalidParams('params[0] must be a message in base64 of at most 1232 bytes');
  const parsed = parseMessage(message);
  if (parsed.kind === 'malformed') throw invalidParams(`params[0] is not a message: ${parsed.reason}`);
  readStateConfig(chain, params, 1);
  return withContext(chain, chain.feeForMessage(message));
};
