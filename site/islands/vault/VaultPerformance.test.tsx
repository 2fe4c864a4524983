import { describe, expect, it } from 'vitest';
import type { VaultMetrics } from '../../../data/contract/metrics.ts';
import type { Reading } from '../../data/figure-query.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { chainReadFields, knownReading } from '../testing/samples.ts';
import { growthRows, PerformancePanel } from './VaultPerformance.tsx';

type Growth = VaultMetrics['growth'];

/** `percents`: the growth in percent, by length of the window in hours; null if unknown. A missing window has no history. */
const growthOf = (percents: Readonly<Record<number, string | null>>): Growth =>
  [6, 12, 18, 24].map((hours) => {
    const percent = percents[hours];
    return { hours, percent: percent ?? null, hasHistory: percent !== undefined };
  });
const body: VaultMetrics = {
  vaultBalance: '308000.25',
  growth: growthOf({}),
  deposits24h: '308000.25',
  withdrawals24h: '0',
  movements24h: 3,
  ...chainReadFields(),
};
const rowsFor = (percents: Readonly<Record<number, string | null>>) =>
  growthRows({ ...body, growth: growthOf(percents) });

describe('growth rows', () => {
  it('are signed, with two decimals', () => {
    const { rows } = rowsFor({ 6: '0.5', 12: '-1.257', 18: '0', 24: '12' });
    expect(rows.map(({ text, direction, isExample }) => [text, direction, isExample])).toEqual([
      ['+0.50%', 'up', false],
      ['−1.26%', 'down', false],
      ['0.00%', 'flat', false],
      ['+12.00%', 'up', false],
    ]);
  });

  it('show the published example only for a window without history, and no figure for an unknown growth', () => {
    const { rows } = rowsFor({ 6: '0.5', 12: null });
    expect(rows.map(({ text, isExample }) => [text, isExample])).toEqual([
      ['+0.50%', false],
      [null, false],
      ['+18.4%', true],
      ['+23.1%', true],
    ]);
  });

  it('share one scale that ends at a round number, with bars in proportion to the growth', () => {
    const { rows, scaleLimit } = rowsFor({ 6: '0.5', 12: '-1.25', 24: '0' });
    expect(scaleLimit).toBe(200);
    expect(rows.map(({ barPercent }) => barPercent)).toEqual([25, 62.5, 0, 0]);
    expect(rowsFor({ 6: '0.001' }).scaleLimit).toBe(10);
    expect(rowsFor({ 6: '-73' }).scaleLimit).toBe(10_000);
  });

  it('have no scale while every figure is an example', () => {
    expect(rowsFor({}).scaleLimit).toBeNull();
  });
});

describe('the vault performance panel', () => {
  const panelHtml = (reading: Reading<VaultMetrics>) => htmlOf(<PerformancePanel reading={reading} />);

  it('marks every figure without history as an example, but shows no example for an unknown vault', () => {
    const countExamples = (reading: Reading<VaultMetrics>) =>
      panelHtml(reading).split('data-example="true"').length - 1;
    expect(countExamples({ kind: 'unknown' })).toBe(0);
    expect(countExamples(knownReading({ ...body, growth: growthOf({ 6: '1' }) }))).toBe(3);
  });

  it('labels the ends of the scale, and draws no bar for an example', () => {
    const reading = knownReading({ ...body, growth: growthOf({ 6: '0.82' }) });
    expect(textOf(<PerformancePanel reading={reading} />)).toContain('−1% 0 +1%');
    expect(panelHtml(reading).match(/style="width:/g)).toHaveLength(1);
  });

  it('shows amounts with a sign unless they are zero, and a dash for what is not indexed', () => {
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
