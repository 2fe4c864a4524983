import type { NetworkHealth } from '../../../data/contract/network.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { request } from '../../data/request.ts';

/** A chain's name in the Wallet Standard. */
type WalletChain = 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

export interface PageChain {
  /** Whether the chain is the embedded ledger, where nothing has any value. */
  readonly isDemonstration: boolean;
  readonly walletChain: WalletChain;
}

export function chainOfHealth({ chain, cluster }: Pick<NetworkHealth, 'chain' | 'cluster'>): PageChain {
  if (chain === 'embedded-ledger') return { isDemonstration: true, walletChain: 'solana:localnet' };
  // An unknown cluster counts as mainnet, because wallets show the most detail for mainnet.
  const isTestCluster = cluster === 'devnet' || cluster === 'testnet';
  return { isDemonstration: false, walletChain: isTestCluster ? `solana:${cluster}` : 'solana:mainnet' };
}

/** Milliseconds to wait for the portal's response. If there is none, the visitor must see that within three seconds. */
const TIMEOUT_MS = 2_500;

/** @throws {RequestError | TypeError | DOMException} */
export async function readPageChain(): Promise<PageChain> {
  const response = await request('GET', PATHS.networkHealth, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return chainOfHealth(await response.json());
}
