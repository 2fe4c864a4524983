import type { ResponseOf } from '../../data/contract/call.ts';
import type { buildStake, stakeProgress, submitStake } from '../../data/contract/stake-order.ts';
import { request } from './request.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const BUILD: (typeof buildStake)['path'] = '/api/staking/build';
const SUBMIT: (typeof submitStake)['path'] = '/api/staking/submit';
const PROGRESS: (typeof stakeProgress)['path'] = '/api/staking/progress';

/** A stake as the server built it: unsigned, tried out, with what it costs. */
export type StakeOrder = ResponseOf<typeof buildStake>;
export type StakeProgress = ResponseOf<typeof stakeProgress>;

/** Builds the transaction that stakes `amount` BD (decimal text). @throws {RequestError} */
export async function orderStake(walletAddress: string, amount: string): Promise<StakeOrder> {
  return (await request('POST', BUILD, { payload: { walletAddress, amount } })).json();
}

/** Sends a signed stake (base64) to the chain. Sending the same one twice stakes once. @throws {RequestError} */
export async function sendStake(transaction: string): Promise<{ readonly signature: string }> {
  return (await request('POST', SUBMIT, { payload: { transaction } })).json();
}

/** How far a stake that was sent has come. @throws {RequestError} */
export async function readProgress(
  signature: string,
  lastValidBlockHeight: number,
  signal: AbortSignal,
): Promise<StakeProgress> {
  const query = new URLSearchParams({ signature, lastValidBlockHeight: String(lastValidBlockHeight) });
  return (await request('GET', `${PROGRESS}?${query}`, { signal })).json();
}
