import type { ConfiguredEndpoint } from '../../data/config/configured-endpoints.ts';

/** For tests: endpoints as if SOLANA_RPC_URLS named them. */
export function endpointsAt(...urls: readonly string[]): readonly ConfiguredEndpoint[] {
  return urls.map((url) => ({ url, urlVariable: 'SOLANA_RPC_URLS', keyVariable: 'SOLANA_RPC_URLS' }));
}
