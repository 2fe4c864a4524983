import type { PortalConfig } from './environment.ts';

/** Where Helius answers JSON-RPC for mainnet. Source: helius-sdk 3, `rpc/index.ts`. */
const HELIUS_RPC = 'https://mainnet.helius-rpc.com/';

/** An endpoint and the variables that an operator mends it by. */
export interface ConfiguredEndpoint {
  readonly url: string;
  /** The variable that leads to its address. */
  readonly urlVariable: string;
  /** The variable that holds its key, where it needs one. */
  readonly keyVariable: string;
}

const ofUrls = (url: string): ConfiguredEndpoint => ({
  url,
  urlVariable: 'SOLANA_RPC_URLS',
  keyVariable: 'SOLANA_RPC_URLS',
});

/**
 * The endpoints to read the chain from: the embedded ledger, or those configured, with Helius beside them
 * where its key is set.
 */
export function configuredEndpoints({
  solana,
  helius,
}: Pick<PortalConfig, 'solana' | 'helius'>): readonly ConfiguredEndpoint[] {
  if (solana.kind === 'embedded') {
    const url = `http://127.0.0.1:${solana.ledgerPort}`;
    return [{ url, urlVariable: 'LEDGER_PORT', keyVariable: 'LEDGER_PORT' }];
  }
  const endpoints = solana.rpcUrls.map(ofUrls);
  if (!helius) return endpoints;
  const url = new URL(helius.baseUrl ?? HELIUS_RPC);
  url.searchParams.set('api-key', helius.apiKey);
  const urlVariable = helius.baseUrl === null ? 'HELIUS_API_KEY' : 'HELIUS_BASE_URL';
  return [...endpoints, { url: url.href, urlVariable, keyVariable: 'HELIUS_API_KEY' }];
}
