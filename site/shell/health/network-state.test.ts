import { describe, expect, it } from 'vitest';
import { afterFailure, endpointRows, type NetworkHealth, stateOf, summary } from './network-state.ts';

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
  endpoints: [
    endpoint('a.example', 0),
    endpoint('b.example', 1),
    endpoint('c.example', 1_100),
    endpoint('d.example', null, null, null),
    endpoint('e.example', null, null, 'put-aside'),
    endpoint('f.example', 3, 9, 'resting'),
  ],
};

describe('the network’s state', () => {
  it('is what the portal answers', () => {
    expect(stateOf(HEALTH)).toMatchObject({ status: 'degraded', errorCount: 2 });
    expect(summary(stateOf(HEALTH))).toBe(
      '3 of 4 endpoints of Solana answer. 2 failed requests in five minutes.',
    );
  });

  it('is offline after a failed read, with one error more each time', () => {
    const once = afterFailure(stateOf(HEALTH));
    expect(once).toEqual({ status: 'offline', errorCount: 3, health: null });
    expect(afterFailure(once).errorCount).toBe(4);
    expect(summary(afterFailure(null))).toBe('The portal cannot be reached. 1 failed request.');
  });

  it('says of each endpoint whether it is asked and answers, how fast it is and how far behind the foremost', () => {
    expect(endpointRows(HEALTH)).toEqual([
      { name: 'a.example', state: 'Answers', latency: '12 ms', lag: 'none' },
      { name: 'b.example', state: 'Answers', latency: '12 ms', lag: '1 slot' },
      { name: 'c.example', state: 'Answers', latency: '12 ms', lag: '1,100 slots' },
      { name: 'd.example', state: 'Silent', latency: '–', lag: '–' },
      { name: 'e.example', state: 'Put aside', latency: '–', lag: '–' },
      { name: 'f.example', state: 'Resting', latency: '9 ms', lag: '3 slots' },
    ]);
  });

  it('never calls the embedded ledger Solana', () => {
    expect(summary(stateOf({ ...HEALTH, chain: 'embedded-ledger' }))).not.toContain('Solana');
  });
});
