import { describe, expect, it } from 'vitest';
import { readVerifyOptions } from './command-line.ts';

const embeddedConfig = {
  port: 4100,
  solana: { kind: 'embedded', ledgerPort: 8899, runsActors: true },
} as const;
const clusterConfig = {
  port: 4000,
  solana: { kind: 'cluster', rpcUrls: ['https://a.example', 'https://b.example'] },
} as const;

describe('the command line of verify', () => {
  it('defaults to this machine and the configured chain', () => {
    expect(readVerifyOptions([], embeddedConfig)).toEqual({
      api: 'http://localhost:4100',
      rpc: 'http://127.0.0.1:8899',
    });
    expect(readVerifyOptions([], clusterConfig).rpc).toBe('https://a.example');
  });

  it('accepts any other portal and endpoint', () => {
    const args = ['--api', 'https://portal.example/', '--rpc', 'https://c.example/key'];
    expect(readVerifyOptions(args, embeddedConfig)).toEqual({
      api: 'https://portal.example',
      rpc: 'https://c.example/key',
    });
  });

  it.each([[['--app', 'x']], [['x']], [['--api', 'portal']], [['--rpc', 'ftp://secret-key']]])(
    'rejects %j without showing the value',
    (args) => {
      const read = () => readVerifyOptions(args, embeddedConfig);
      expect(read).toThrow(/Usage: npm run verify/);
      expect(read).not.toThrow(/secret-key/);
    },
  );
});
