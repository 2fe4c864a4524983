import type { ResponseOf } from '../../../data/contract/call.ts';
import type { networkHealth } from '../../../data/contract/network.ts';
import { request } from '../../data/request.ts';

/** A chain as wallets name it. */
export type WalletChain = 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

/** What the portal reads, as its server says. */
export interface PageChain {
  /** Whether it is the ledger that the portal brings along for trying it out, on which nothing has a value. */
  readonly isDemonstration: boolean;
  readonly walletChain: WalletChain;
}

type Health = Pick<ResponseOf<typeof networkHealth>, 'chain' | 'cluster'>;

const PATH: (typeof networkHealth)['path'] = '/api/network/health';

export function chainOfHealth({ chain, cluster }: Health): PageChain {
  if (chain === 'embedded-ledger') return { isDemonstration: true, walletChain: 'solana:localnet' };
  switch (cluster) {
    case 'devnet':
    case 'testnet':
      return { isDemonstration: false, walletChain: `solana:${cluster}` };
    default:
      // A wallet that signs for mainnet shows the most of what it signs.
      return { isDemonstration: false, walletChain: 'solana:mainnet' };
  }
}

/** Asks the server which chain the portal reads. @throws {RequestError} or {TypeError} where it does not say. */
export async function readPageChain(): Promise<PageChain> {
  const response = await request('GET', PATH);
  return chainOfHealth(await response.json());
}
