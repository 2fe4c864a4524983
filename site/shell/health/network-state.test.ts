import { describe, expect, it } from 'vitest';
import { endpointRows, networkStateOf, offlineAfter, summary } from './network-state.ts';
import { sampleEndpoint, sampleHealth } from './testing/sample-health.ts';

const NONE = { latencyMs: null, slotLag: null, active: false };
const HEALTH = sampleHealth({
  status: 'degraded',
  activeEndpoints: 3,
  totalEndpoints: 4,
  errorCount: 2,
  endpoints: [
    sampleEndpoint('a.example'),
    sampleEndpoint('b.example', { slotLag: 1 }),
    sampleEndpoint('c.example', { slotLag: 1_100 }),
    sampleEndpoint('d.example', { ...NONE, state: null }),
    sampleEndpoint('e.example', { ...NONE, state: 'distrusted' }),
    sampleEndpoint('f.example', { latencyMs: 9, slotLag: 3, active: false, state: 'backoff' }),
  ],
});

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
