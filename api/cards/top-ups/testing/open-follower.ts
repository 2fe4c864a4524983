import { pino } from 'pino';
import type { AppStore } from '../../../../data/store/ports.ts';
import { openEthEndpoint } from '../eth-endpoint.ts';
import { TransferFollower } from '../follow-transfers.ts';
import { CHAIN_ID, FUNDING_ADDRESS, TOKEN_ADDRESS } from './fake-ethereum.ts';

export const FEED_ID = 'feed';
/** In tests, a block counts as final only once this many blocks follow it. */
export const CONFIRMATIONS = 2;

export async function openFollower(
  { topUps }: Pick<AppStore, 'topUps'>,
  urls: readonly string[],
  options: { readonly now?: () => number; readonly chainId?: number; readonly token?: string } = {},
): Promise<TransferFollower> {
  const { now = Date.now, chainId = CHAIN_ID, token = TOKEN_ADDRESS } = options;
  const settings = { chainId, token, fundingAddress: FUNDING_ADDRESS };
  const endpoints = await Promise.all(
    urls.map((url, index) => openEthEndpoint(url, `endpoint ${index}`, settings)),
  );
  const log = pino({ level: 'silent' });
  return new TransferFollower({ feed: FEED_ID, endpoints, topUps, log, now, confirmations: CONFIRMATIONS });
}
