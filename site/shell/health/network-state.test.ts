import { describe, expect, it } from 'vitest';
import { endpointRows, type NetworkHealth, networkStateOf, offlineAfter, summary } from './network-state.ts';

const endpoint = (
  name: string,
  slotLag: number | null,
  latencyMs: number | null = 12.4,
  state: NetworkHealth['endpoints'][number]['state'] = 'active',
) => ({
  name,
  active: state === 'active' && slotLag !== null,
  state,
  latencyMs,
  slot: null,
  slotLag,
  requestCount: 0,
  errorCount: 0,
  lastError: null,
});

const HEALTH: NetworkHealth = {
  chain: 'solana',
  cluster: 'mainnet-beta',
  status: 'degraded',
  activeEndpoints: 3,
  totalEndpoints: 4,
  lastUpdate: null,
  errorCount: 2,
  slot: 90,
  clockDifferenceSeconds: 0,
  vaultProblem: null,
  stakesProblem: null,
  unreadStakeEntries: 0,
  endpoints: [
    endpoint('a.example', 0),
    endpoint('b.example', 1),
    endpoint('c.example', 1_100),
    endpoint('d.example', null, null, null),
    endpoint('e.example', null, null, 'distrusted'),
    endpoint('f.example', 3, 9, 'backoff'),
  ],
};

describe('the network’s state', () => {
  it('follows the health report', () => {
    expect(networkStateOf(HEALTH)).toMatchObject({ status: 'degraded', errorCount: 2 });
    expect(summary(networkStateOf(HEALTH))).toMatch(/^3 of 4 Solana .* 2 /);
  });

  it('is offline after a failed read, with one more error each time', () => {
    const once = offlineAfter(networkStateOf(HEALTH));
    expect(once).toEqual({ status: 'offline', errorCount: 3, health: null });
    expect(offlineAfter(once).errorCount).toBe(4);
    expect(summary(offlineAfter(null))).toContain('1 failed request.');
  });

  it('shows the state, latency and lag of each endpoint', () => {
    expect(endpointRows(HEALTH)).toEqual([
      { name: 'a.example', state: 'Responding', latency: '12 ms', lag: 'In sync' },
      { name: 'b.example', state: 'Responding', latency: '12 ms', lag: '1 slot' },
      { name: 'c.example', state: 'Responding', latency: '12 ms', lag: '1,100 slots' },
      { name: 'd.example', state: 'Not responding', latency: '–', lag: '–' },
      { name: 'e.example', state: 'Removed', latency: '–', lag: '–' },
      { name: 'f.example', state: 'Paused', latency: '9 ms', lag: '3 slots' },
    ]);
  });

  it('never calls the embedded ledger Solana', () => {
    expect(summary(networkStateOf({ ...HEALTH, chain: 'embedded-ledger' }))).not.toContain('Solana');
  });
});
