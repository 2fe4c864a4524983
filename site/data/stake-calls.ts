import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf } from '../../data/contract/call.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type {
  availableForStake,
  buildStake,
  buildUnstake,
  stakeProgress,
} from '../../data/contract/stake-order.ts';
import { post, request } from './request.ts';

/** An unsigned transaction that the server built and simulated, with its costs. */
export type StakeOrder = ResponseOf<typeof buildStake>;
export type WithdrawalOrder = ResponseOf<typeof buildUnstake>;
export type AvailableBalance = ResponseOf<typeof availableForStake>;
export type StakeProgress = ResponseOf<typeof stakeProgress>;

export const availableBalanceKey = (wallet: string): readonly string[] => [PATHS.availableForStake, wallet];

/** This call is slow, because the server reads the chain. */
export function availableBalanceQuery(wallet: string) {
  return queryOptions({
    queryKey: availableBalanceKey(wallet),
    queryFn: async ({ signal }): Promise<AvailableBalance> => {
      const query = new URLSearchParams({ walletAddress: wallet });
      const response = await request('GET', `${PATHS.availableForStake}?${query}`, { signal });
      return response.json();
    },
  });
}

/** Builds the transaction that stakes `amount` BD (a decimal string). @throws {RequestError} */
export async function orderStake(walletAddress: string, amount: string): Promise<StakeOrder> {
  return post(PATHS.buildStake, { walletAddress, amount });
}

/** Builds the transaction that withdraws a stake. @param entry the address of the stake entry @throws {RequestError} */
export async function orderWithdrawal(walletAddress: string, entry: string): Promise<WithdrawalOrder> {
  return post(PATHS.buildUnstake, { walletAddress, entry });
}

/** Sends a signed transaction (base64) to the chain. Repeating the call has no further effect. @throws {RequestError} */
export async function sendOrder(transaction: string): Promise<{ readonly signature: string }> {
  return post(PATHS.submitStake, { transaction });
}

/** Milliseconds to wait for the status of an order. */
const PROGRESS_TIMEOUT_MS = 30_000;

/** @throws {RequestError} */
export async function readProgress(signature: string, lastValidBlockHeight: number): Promise<StakeProgress> {
  const query = new URLSearchParams({ signature, lastValidBlockHeight: String(lastValidBlockHeight) });
  const signal = AbortSignal.timeout(PROGRESS_TIMEOUT_MS);
  return (await request('GET', `${PATHS.stakeProgress}?${query}`, { signal })).json();
}
