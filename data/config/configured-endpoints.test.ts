import { describe, expect, it } from 'vitest';
import { configuredEndpoints } from './configured-endpoints.ts';

const cluster = { kind: 'cluster', rpcUrls: ['https://a.example.com', 'https://b.example.com'] } as const;
const helius = { apiKey: 'a-helius-key', baseUrl: null };

describe('the endpoints to read the chain from', () => {
  it('are the embedded ledger alone where none is configured, whatever else is', () => {
    const solana = { kind: 'embedded', ledgerPort: 8899, actors: true } as const;
    expect(configuredEndpoints({ solana, helius })).toMatchObject([{ url: 'http://127.0.0.1:8899' }]);
  });

  it('are those configured, with Helius after them where its key is set', () => {
    const alone = configuredEndpoints({ solana: cluster, helius: null });
    expect(alone.map(({ url }) => url)).toEqual(cluster.rpcUrls);
    expect(configuredEndpoints({ solana: cluster, helius }).at(-1)).toEqual({
      url: 'https://mainnet.helius-rpc.com/?api-key=a-helius-key',
      urlVariable: 'HELIUS_API_KEY',
      keyVariable: 'HELIUS_API_KEY',
    });
    const local = { apiKey: 'a-helius-key', baseUrl: 'http://127.0.0.1:9000/rpc' };
    expect(configuredEndpoints({ solana: cluster, helius: local }).at(-1)).toEqual({
      url: 'http://127.0.0.1:9000/rpc?api-key=a-helius-key',
      urlVariable: 'HELIUS_BASE_URL',
      keyVariable: 'HELIUS_API_KEY',
    });
  });
});
