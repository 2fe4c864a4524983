import { describe, expect, it } from 'vitest';
import { configuredEndpoints, endpointNames } from './endpoints.ts';

const cluster = { kind: 'cluster', rpcUrls: ['https://a.example.com', 'https://b.example.com'] } as const;
const helius = { apiKey: 'a-helius-key', baseUrl: null };

describe('the endpoints', () => {
  it('consist of only the embedded ledger if none is configured', () => {
    const solana = { kind: 'embedded', ledgerPort: 8899, runsActors: true } as const;
    expect(configuredEndpoints({ solana, helius })).toMatchObject([{ url: 'http://127.0.0.1:8899' }]);
  });

  it('are the configured ones, followed by Helius if it has a key', () => {
    const withoutHelius = configuredEndpoints({ solana: cluster, helius: null });
    expect(withoutHelius.map(({ url }) => url)).toEqual(cluster.rpcUrls);
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

  it('are named by host, with a number if several share it, and without any part that may be a key', () => {
    const urlWithKeys = 'https://user:hunter22@rpc.example.com/v2/secret-key-1?api-key=secret-key-2';
    expect(endpointNames([urlWithKeys, 'http://127.0.0.1:8899', 'https://rpc.example.com/other'])).toEqual([
      'rpc.example.com',
      '127.0.0.1:8899',
      'rpc.example.com #2',
    ]);
  });
});
