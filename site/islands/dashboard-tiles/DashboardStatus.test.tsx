import { describe, expect, it } from 'vitest';
import type { NetworkHealth } from '../../../data/contract/network.ts';
import type { StreamState } from '../../data/live-stream.ts';
import { $now } from '../../data/ticking-clock.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { sampleHealth } from '../testing/samples.ts';
import { Indicators, StateLine, type StateLineProps } from './DashboardStatus.tsx';

function line(
  props: Partial<Omit<StateLineProps, 'health'>>,
  overrides: Partial<NetworkHealth> = {},
): string {
  const body = { ...sampleHealth(), ...overrides };
  return textOf(
    <StateLine stream="live" slot={100} readAt={$now.get()} health={{ kind: 'known', body }} {...props} />,
  );
}

describe('the state line', () => {
  it('shows the slot from the stream, not the one in the health report', () => {
    expect(line({ slot: 4_321 }, { slot: 100 })).toMatch(/slot 4,321\b.*1 of 1/);
  });

  it('shows the age of the slot if no newer one arrives', () => {
    expect(line({ readAt: $now.get() - 40_000 })).toContain('slot 100, read 40 s ago');
  });

  it('shows neither slot nor endpoints while the stream is down', () => {
    expect(line({ stream: 'reconnecting' })).not.toMatch(/slot|1 of 1/);
  });

  it('names the embedded ledger, even while the stream is down', () => {
    const demo = { chain: 'embedded-ledger', cluster: null } as const;
    for (const stream of ['live', 'reconnecting'] as const) {
      expect(line({ stream }, demo)).toContain('not Solana mainnet');
    }
    expect(line({})).not.toContain('not Solana mainnet');
  });
});

const AT = Date.parse('2026-11-21T10:00:00.000Z');

/** The HTML of the bottom line, and the status that it shows for the chain. */
function chainStatus(stream: StreamState, overrides: Partial<NetworkHealth> = {}, age = 0) {
  const body = { ...sampleHealth(), lastUpdate: new Date(AT).toISOString(), ...overrides };
  const html = htmlOf(<Indicators stream={stream} health={{ kind: 'known', body }} now={AT + age} />);
  return { tone: [...html.matchAll(/data-tone="(\w+)"/g)][1]?.[1] ?? null, html };
}

describe('the bottom line of the dashboard', () => {
  it('shows whether data is live, and the status of the chain', () => {
    expect(chainStatus('live').html).toContain('data-delivery="live"');
    expect(chainStatus('live').tone).toBe('healthy');
    expect(chainStatus('live', { status: 'offline' }).tone).toBe('offline');
  });

  it('trusts a polled status for 90 seconds', () => {
    expect(chainStatus('reconnecting', {}, 89_000).tone).toBe('healthy');
    expect(chainStatus('reconnecting', {}, 91_000).tone).toBeNull();
    expect(chainStatus('reconnecting', { lastUpdate: null }).tone).toBeNull();
  });

  it('never calls the demo ledger Solana', () => {
    const demo = { chain: 'embedded-ledger', cluster: null } as const;
    expect(chainStatus('live', demo).html).toContain('Demo Ledger');
    expect(chainStatus('reconnecting', demo, 91_000).html).not.toContain('Solana');
  });
});
