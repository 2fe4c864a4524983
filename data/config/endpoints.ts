import type { PortalConfig } from './environment.ts';

/** The URL of Helius' JSON-RPC API for mainnet. Source: helius-sdk 3, `rpc/index.ts`. */
const HELIUS_RPC = 'https://mainnet.helius-rpc.com/';

export interface ConfiguredEndpoint {
  readonly url: string;
  readonly urlVariable: string;
  readonly keyVariable: string;
}

/** The endpoints that the chain is read from: only the embedded ledger, or the configured ones plus Helius if its key is set. */
export function configuredEndpoints({
  solana,
  helius,
}: Pick<PortalConfig, 'solana' | 'helius'>): readonly ConfiguredEndpoint[] {
  const fromVariable = (url: string, name: string) => ({ url, urlVariable: name, keyVariable: name });
  if (solana.kind === 'embedded') {
    return [fromVariable(`http://127.0.0.1:${solana.ledgerPort}`, 'LEDGER_PORT')];
  }
  const endpoints = solana.rpcUrls.map((url) => fromVariable(url, 'SOLANA_RPC_URLS'));
  if (!helius) return endpoints;
  const url = new URL(helius.baseUrl ?? HELIUS_RPC);
  url.searchParams.set('api-key', helius.apiKey);
  const urlVariable = helius.baseUrl === null ? 'HELIUS_API_KEY' : 'HELIUS_BASE_URL';
  return [...endpoints, { url: url.href, urlVariable, keyVariable: 'HELIUS_API_KEY' }];
}

/** Names endpoints by host, with a number if several share a host. Omits path and query, because they may contain a key. */
export function endpointNames(urls: readonly string[]): readonly string[] {
  const countByHost = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const hostCount = (countByHost.get(host) ?? 0) + 1;
    countByHost.set(host, hostCount);
    return hostCount === 1 ? host : `${host} #${hostCount}`;
  });
}
