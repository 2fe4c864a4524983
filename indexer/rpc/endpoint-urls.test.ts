import { describe, expect, it } from 'vitest';
import { endpointUrls } from './endpoint-urls.ts';

const cluster = { kind: 'cluster', rpcUrls: ['https://a.example.com', 'https://b.example.com'] } as const;

describe('the endpoints to follow the chain from', () => {
  it('are the embedded ledger alone where none is configured, whatever else is', () => {
    const solana = { kind: 'embedded', ledgerPort: 8899, actors: true } as const;
    const helius = { apiKey: 'a-helius-key', baseUrl: null };
    expect(endpointUrls({ solana, helius })).toEqual(['http://127.0.0.1:8899']);
  });

  it('are those configured, with Helius after them where its key is set', () => {
    expect(endpointUrls({ solana: cluster, helius: null })).toEqual(cluster.rpcUrls);
    expect(endpointUrls({ solana: cluster, helius: { apiKey: 'a-helius-key', baseUrl: null } }).at(-1)).toBe(
      'https://mainnet.helius-rpc.com/?api-key=a-helius-key',
    );
    const local = { apiKey: 'a-helius-key', baseUrl: 'http://127.0.0.1:9000/rpc' };
    expect(endpointUrls({ solana: cluster, helius: local }).at(-1)).toBe(
      'http://127.0.0.1:9000/rpc?api-key=a-helius-key',
    );
  });
});
