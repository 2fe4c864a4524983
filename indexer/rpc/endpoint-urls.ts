import type { PortalConfig } from '../../data/config/environment.ts';

/** Where Helius answers JSON-RPC for mainnet. Source: helius-sdk 3, `rpc/index.ts`. */
const HELIUS_RPC = 'https://mainnet.helius-rpc.com/';

/**
 * The endpoints to follow the chain from: the embedded ledger, or those configured, with Helius beside them
 * where its key is set.
 */
export function endpointUrls({ solana, helius }: Pick<PortalConfig, 'solana' | 'helius'>): readonly string[] {
  if (solana.kind === 'embedded') return [`http://127.0.0.1:${solana.ledgerPort}`];
  if (!helius) return solana.rpcUrls;
  const url = new URL(helius.baseUrl ?? HELIUS_RPC);
  url.searchParams.set('api-key', helius.apiKey);
  return [...solana.rpcUrls, url.href];
}
