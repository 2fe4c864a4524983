import { describe, expect, it } from 'vitest';
import type { NetworkState } from '../../data/connection.ts';
import { endpointRows, summaryText } from './network-state.ts';
import { sampleEndpoint, sampleHealth } from './testing/sample-health.ts';

const NOT_MEASURED = { latencyMs: null, slotLag: null, active: false };
const HEALTH = sampleHealth({
  status: 'degraded',
  activeEndpoints: 3,
  totalEndpoints: 4,
  errorCount: 2,
  endpoints: [
    sampleEndpoint('a.example'),
    sampleEndpoint('b.example', { slotLag: 1 }),
    sampleEndpoint('c.example', { slotLag: 1_100 }),
    sampleEndpoint('d.example', { ...NOT_MEASURED, state: null }),
    sampleEndpoint('e.example', { ...NOT_MEASURED, state: 'distrusted' }),
    sampleEndpoint('f.example', { latencyMs: 9, slotLag: 3, active: false, state: 'backoff' }),
  ],
});

describe('the network’s state', () => {
  const state = (changes: Partial<NetworkState> = {}): NetworkState => ({
    status: 'degraded',
    isReachable: true,
    errorCount: 2,
    health: HEALTH,
    ...changes,
  });

  it('is summarized with the numbers of endpoints and failed requests', () => {
    expect(summaryText(state())).toMatch(/^3 of 4 Solana .* 2 /);
    expect(summaryText(state({ isReachable: false, errorCount: 1 }))).toContain('1 failed request.');
    expect(summaryText(state({ isReachable: false }))).not.toContain('3 of 4');
  });

  it('mentions the interrupted stream if nothing else is wrong', () => {
    const summaryFor = (status: NetworkState['status']) =>
      summaryText(state({ status, health: { ...HEALTH, status: 'healthy' } }));
    expect(summaryFor('degraded')).not.toBe(summaryFor('healthy'));
    expect(summaryFor('degraded')).toContain(summaryFor('healthy'));
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
    expect(summaryText(state({ health: { ...HEALTH, chain: 'embedded-ledger' } }))).not.toContain('Solana');
  });
});
