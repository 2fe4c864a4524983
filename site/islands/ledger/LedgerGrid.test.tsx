import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { LedgerGrid } from './LedgerGrid.tsx';

const text = (html: string) =>
  html
    .replaceAll(/<!-- -->/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const grid = (reading: { kind: 'loading' } | { kind: 'unknown' }) =>
  text(
    renderToString(
      <LedgerGrid explorer="https://e.example" vault={reading} staking={reading} market={reading} />,
    ),
  );

describe('the ledger', () => {
  it('has the supply figures before anything is heard, and no live figure', () => {
    const page = grid({ kind: 'loading' });
    expect(page).toContain('Market Supply 990M BD of 1,000,000,000 in total');
    expect(page).toContain('Streamflow Allocation 46.6M BD for wallets staking 5M+');
    expect(page).not.toContain('99,998,436');
    expect(page).not.toContain('Reference value');
  });

  it('labels each fallback as a reference value and leaves the derived total a dash', () => {
    const page = grid({ kind: 'unknown' });
    expect(page.match(/Reference value/g)).toHaveLength(3);
    expect(page).toContain('Current Reduced Supply — Not available');
    expect(page).toContain('Market cap —');
    expect(page).not.toMatch(/Live|ago/);
  });

  it('links a read figure to its account on the explorer', () => {
    const address = 'Vau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1';
    const body = {
      vaultBalance: '5',
      balance: '5',
      solBalance: '0',
      vaultAddress: address,
      asOf: new Date().toISOString(),
      slot: 1,
      source: 'solana',
      state: 'live',
    } as const;
    const html = renderToString(
      <LedgerGrid
        explorer="https://e.example"
        vault={{ kind: 'known', body }}
        staking={{ kind: 'loading' }}
        market={{ kind: 'loading' }}
      />,
    );
    expect(html).toContain(`href="https://e.example/address/${address}"`);
    expect(html).toContain('rel="noopener noreferrer"');
  });
});
