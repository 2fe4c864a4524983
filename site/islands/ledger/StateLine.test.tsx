import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { $now } from '../../data/ticking-clock.ts';
import { StateLine, type StateLineProps } from './StateLine.tsx';

const HEALTH = {
  chain: 'solana',
  cluster: 'mainnet-beta',
  status: 'healthy',
  activeEndpoints: 1,
  totalEndpoints: 1,
  lastUpdate: null,
  errorCount: 0,
  slot: 100,
  endpoints: [],
} as const;

type Health = typeof HEALTH | { readonly chain: 'embedded-ledger'; readonly cluster: null };

function line(props: Partial<Omit<StateLineProps, 'health'>>, health: Partial<Health> = {}): string {
  const body = { ...HEALTH, ...health, endpoints: [] };
  const html = renderToString(
    <StateLine stream="live" slot={100} readAt={$now.get()} health={{ kind: 'known', body }} {...props} />,
  );
  return html.replaceAll('<!-- -->', '').replaceAll(/<[^>]+>/g, '|');
}

describe('the state line', () => {
  it('shows the slot that the stream tells, not the one of the health that was read with the page', () => {
    expect(line({ slot: 4_321 })).toContain('slot 4,321|');
    expect(line({ slot: 4_321 })).toContain('1 of 1 endpoints');
    expect(line({ slot: 4_322 })).toContain('slot 4,322|');
  });

  it('tells the age of a slot that no longer moves, though the stream delivers', () => {
    expect(line({ readAt: $now.get() - 40_000 })).toContain('slot 100, read 40 s ago');
  });

  it('claims neither slot nor endpoints while the stream does not deliver', () => {
    const text = line({ stream: 'reconnecting' });
    expect(text).toContain('Reconnecting');
    expect(text).toContain('state of the endpoints unknown');
    expect(text).not.toMatch(/slot|1 of 1/);
  });

  it('says what the embedded ledger is, also while the stream does not deliver', () => {
    const embedded = { chain: 'embedded-ledger', cluster: null } as const;
    for (const stream of ['live', 'reconnecting'] as const) {
      expect(line({ stream }, embedded)).toContain('embedded demo ledger — not Solana mainnet');
    }
    expect(line({})).not.toContain('not Solana');
  });
});
