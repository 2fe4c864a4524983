import { describe, expect, it } from 'vitest';
import { readAuditOptions } from './options.ts';

const embedded = { port: 4100, solana: { kind: 'embedded', ledgerPort: 8899, actors: true } } as const;
const cluster = {
  port: 4000,
  solana: { kind: 'cluster', rpcUrls: ['https://a.example', 'https://b.example'] },
} as const;

describe("the audit's command line", () => {
  it('takes this machine and the configured chain where it is empty', () => {
    expect(readAuditOptions([], embedded)).toEqual({
      api: 'http://localhost:4100',
      rpc: 'http://127.0.0.1:8899',
    });
    expect(readAuditOptions([], cluster).rpc).toBe('https://a.example');
  });

  it('takes any other portal and endpoint', () => {
    const args = ['--api', 'https://portal.example/', '--rpc', 'https://c.example/key'];
    expect(readAuditOptions(args, embedded)).toEqual({
      api: 'https://portal.example',
      rpc: 'https://c.example/key',
    });
  });

  it.each([[['--app', 'x']], [['x']], [['--api', 'portal']], [['--rpc', 'ftp://secret-key']]])(
    'refuses %j with its usage, and tells no key again',
    (args) => {
      const read = () => readAuditOptions(args, embedded);
      expect(read).toThrow(/Usage: npm run audit/);
      expect(read).not.toThrow(/secret-key/);
    },
  );
});
