import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { StreamState } from '../../data/stream-state.ts';
import { Indicators } from './DashboardFoot.tsx';

const HEALTH = {
  chain: 'solana',
  cluster: 'mainnet-beta',
  status: 'healthy',
  activeEndpoints: 1,
  totalEndpoints: 1,
  lastUpdate: '2026-11-21T10:00:00.000Z',
  errorCount: 0,
  slot: 100,
  endpoints: [],
} as const;

const foot = (
  stream: StreamState,
  body: Partial<typeof HEALTH> | { status: 'offline' } | { chain: 'embedded-ledger'; cluster: null } = {},
  age = 0,
) =>
  renderToString(
    <Indicators
      stream={stream}
      health={{ kind: 'known', body: { ...HEALTH, ...body, endpoints: [] } }}
      now={Date.parse(HEALTH.lastUpdate) + age}
    />,
  )
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('the foot of the dashboard', () => {
  it('calls data and blockchain live by the stream and the endpoints', () => {
    expect(foot('live')).toBe('Live Data delivered as it changes Solana Blockchain All Systems Operational');
    expect(foot('live', { status: 'offline' })).toContain('Solana Blockchain Connection Issues');
  });

  it('believes what is polled while nothing is pushed, and repeats no old word on the blockchain', () => {
    expect(foot('reconnecting', {}, 89_000)).toBe(
      'Live Data reconnecting Solana Blockchain All Systems Operational',
    );
    expect(foot('reconnecting', {}, 91_000)).toBe('Live Data reconnecting Solana Blockchain state unknown');
  });

  it('never calls the demonstration ledger Solana, also once it is silent', () => {
    const demo = { chain: 'embedded-ledger', cluster: null } as const;
    expect(foot('live', demo)).toContain('Demo Ledger All Systems Operational');
    expect(foot('reconnecting', demo, 91_000)).toContain('Demo Ledger state unknown');
  });
});
