import { describe, expect, it } from 'vitest';
import { growthRows } from './growth-rows.ts';

describe('the vault’s growth', () => {
  it('shows what history gives, signed and with two decimals', () => {
    const rows = growthRows([
      { hours: 6, percent: '0.5' },
      { hours: 12, percent: '-1.257' },
      { hours: 18, percent: '0' },
      { hours: 24, percent: '12' },
    ]);
    expect(rows.map(({ text, direction, example }) => [text, direction, example])).toEqual([
      ['+0.50%', 'up', false],
      ['−1.26%', 'down', false],
      ['0.00%', 'flat', false],
      ['+12.00%', 'up', false],
    ]);
  });

  it('shows the published figure as an example only for a window without history', () => {
    const rows = growthRows([
      { hours: 6, percent: '0.5' },
      { hours: 12, percent: null },
    ]);
    expect(rows.map(({ text, example }) => [text, example])).toEqual([
      ['+0.50%', false],
      ['+12.8%', true],
      ['+18.4%', true],
      ['+23.1%', true],
    ]);
  });

  it('measures bars among their own kind, so that an example does not dwarf the real growth', () => {
    const rows = growthRows([{ hours: 6, percent: '0.5' }]);
    expect(rows[0]?.length).toBe(100);
    expect(rows[3]?.length).toBe(100);
  });
});
