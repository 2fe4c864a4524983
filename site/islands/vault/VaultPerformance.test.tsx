import { describe, expect, it } from 'vitest';
import type { VaultMetrics } from '../../../data/contract/metrics.ts';
import type { Reading } from '../../data/figure-query.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { chainReadFields, knownReading } from '../testing/samples.ts';
import { growthRows, PerformancePanel } from './VaultPerformance.tsx';

/** All BD arrived within the last 24 hours. */
const body: VaultMetrics = {
  vaultBalance: '308000.25',
  growth: [],
  deposits24h: '308000.25',
  withdrawals24h: '0',
  movements24h: 3,
  ...chainReadFields(),
};
const rowsFor = (growth: VaultMetrics['growth'], more: Partial<VaultMetrics> = {}) =>
  growthRows({ ...body, growth, ...more });

describe('growth rows', () => {
  it('are signed, with two decimals', () => {
    const { rows } = rowsFor([
      { hours: 6, percent: '0.5' },
      { hours: 12, percent: '-1.257' },
      { hours: 18, percent: '0' },
      { hours: 24, percent: '12' },
    ]);
    expect(rows.map(({ text, direction, isExample }) => [text, direction, isExample])).toEqual([
      ['+0.50%', 'up', false],
      ['−1.26%', 'down', false],
      ['0.00%', 'flat', false],
      ['+12.00%', 'up', false],
    ]);
  });

  it('show the published example only for a window without history', () => {
    const { rows } = rowsFor([
      { hours: 6, percent: '0.5' },
      { hours: 12, percent: null },
    ]);
    expect(rows.map(({ text, isExample }) => [text, isExample])).toEqual([
      ['+0.50%', false],
      ['+12.8%', true],
      ['+18.4%', true],
      ['+23.1%', true],
    ]);
  });

  it.each<[string, Partial<VaultMetrics>]>([
    ['the last 24 hours are not indexed', { deposits24h: null, withdrawals24h: null, movements24h: null }],
    ['the history does not add up to the balance', { vaultBalance: '308000.250001' }],
  ])('have no figure for an unknown growth if %s', (_when, more) => {
    const { rows } = rowsFor(
      [
        { hours: 6, percent: '0.5' },
        { hours: 12, percent: null },
      ],
      more,
    );
    expect(rows.map(({ text, isExample }) => [text, isExample])).toEqual([
      ['+0.50%', false],
      [null, false],
      [null, false],
      [null, false],
    ]);
  });

  it('share one scale with round ends, and each bar is as long as its growth', () => {
    const { rows, end } = rowsFor([
      { hours: 6, percent: '0.5' },
      { hours: 12, percent: '-1.25' },
      { hours: 24, percent: '0' },
    ]);
    expect(end).toBe(200);
    expect(rows.map(({ barPercent }) => barPercent)).toEqual([25, 62.5, 0, 0]);
    expect(rowsFor([{ hours: 6, percent: '0.001' }]).end).toBe(10);
    expect(rowsFor([{ hours: 6, percent: '-73' }]).end).toBe(10_000);
  });

  it('have no scale while every figure is an example', () => {
    expect(rowsFor([]).end).toBeNull();
  });
});

describe('the vault performance panel', () => {
  const panelHtml = (reading: Reading<VaultMetrics>) => htmlOf(<PerformancePanel reading={reading} />);

  it('marks every figure without history as an example', () => {
    const countExamples = (reading: Reading<VaultMetrics>) =>
      panelHtml(reading).match(/data-example="true"/g)?.length;
    expect(countExamples({ kind: 'unknown' })).toBe(4);
    expect(countExamples(knownReading({ ...body, growth: [{ hours: 6, percent: '1' }] }))).toBe(3);
  });

  it('labels the ends of the scale, and draws no bar for an example', () => {
    const reading = knownReading({ ...body, growth: [{ hours: 6, percent: '0.82' }] });
    expect(textOf(<PerformancePanel reading={reading} />)).toContain('−1% 0 +1%');
    expect(panelHtml(reading).match(/style="width:/g)).toHaveLength(1);
  });

  it('shows a sign except for zero, and a dash for what is not indexed', () => {
    const reading = knownReading({ ...body, movements24h: null });
    const values = [...panelHtml(reading).matchAll(/<dd>(.*?)<\/dd>/g)].map(([, value]) => value);
    expect(values[0]).toContain('+308,000.25');
    expect(values[1]).toMatch(/^0\.00/);
    expect(values[2]).toContain('—');
  });

  it('shows no figure while it loads', () => {
    expect(textOf(<PerformancePanel reading={{ kind: 'loading' }} />)).not.toMatch(/\d[.%]/);
  });
});
