import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { explorerLink } from '../figure/explorer-link.ts';
import { LedgerGrid } from './LedgerGrid.tsx';

const link = explorerLink('https://e.example', 'mainnet-beta');

const text = (html: string) =>
  html
    .replaceAll(/<!-- -->/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const grid = (reading: { kind: 'loading' } | { kind: 'unknown' }) =>
  text(renderToString(<LedgerGrid link={link} vault={reading} staking={reading} market={reading} />));

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

  it('links a read figure to its account on the explorer, and to none that shows another chain', () => {
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
    const html = (shown: typeof link) =>
      renderToString(
        <LedgerGrid
          link={shown}
          vault={{ kind: 'known', body }}
          staking={{ kind: 'loading' }}
          market={{ kind: 'loading' }}
        />,
      );
    expect(html(link)).toContain(`href="https://e.example/address/${address}"`);
    expect(html(link)).toContain('rel="noopener noreferrer"');
    expect(html(null)).not.toContain('href');
    expect(html(null)).toContain(`title="${address}"`);
  });
});
