import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { PerformancePanel } from './PerformancePanel.tsx';

const text = (html: string) =>
  html
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const body = {
  vaultBalance: '5',
  growth: [{ hours: 6, percent: '1' }],
  deposits24h: '308000.25',
  withdrawals24h: '0',
  movements24h: null,
  asOf: new Date().toISOString(),
  slot: 1,
  source: 'solana',
  state: 'live',
} as const;

describe('the vault’s performance', () => {
  it('labels every figure that did not come from history as an example', () => {
    expect(
      text(renderToString(<PerformancePanel reading={{ kind: 'unknown' }} />)).match(/Example/g),
    ).toHaveLength(4);
    const read = text(
      renderToString(
        <PerformancePanel reading={{ kind: 'known', body: { ...body, growth: [...body.growth] } }} />,
      ),
    );
    expect(read.match(/Example/g)).toHaveLength(3);
    expect(read).toContain('6 h +1.00%');
  });

  it('shows what moved with its sign, nothing moved without one, and what is not indexed as a dash', () => {
    const read = text(
      renderToString(<PerformancePanel reading={{ kind: 'known', body: { ...body, growth: [] } }} />),
    );
    expect(read).toContain('Deposited, 24 h +308,000.25 BD');
    expect(read).toContain('Withdrawn, 24 h 0.00 BD');
    expect(read).toContain('Movements, 24 h — Not available');
  });

  it('shows no figure at all before anything is heard', () => {
    expect(text(renderToString(<PerformancePanel reading={{ kind: 'loading' }} />))).not.toMatch(/Example|%/);
  });
});
