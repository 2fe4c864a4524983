import type { ResponseOf } from '../../data/contract/call.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { walletName } from '../../data/contract/wallet-name.ts';
import { request } from './request.ts';

/** A wallet's primary .sol name, shown beside its address. Null if it has none, or if the name cannot be read. */
export async function readWalletName(wallet: string): Promise<string | null> {
  try {
    const response = await request('GET', `${PATHS.walletName}?walletAddress=${wallet}`);
    const body: ResponseOf<typeof walletName> = await response.json();
    return body.name;
  } catch {
    return null;
  }
}
