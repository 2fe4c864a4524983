import { describe, expect, it } from 'vitest';
import type { ChartLine } from './chart-line.ts';
import { stepPath } from './step-path.ts';

const line = (values: readonly (number | null)[], more: Partial<ChartLine> = {}): ChartLine => ({
  points: values.map((value, at) => ({ at, value, text: value === null ? null : String(value) })),
  from: 0,
  to: 10,
  knownUntil: 10,
  ...more,
});

describe('the path of a line', () => {
  it('goes from step to step and holds the last value to the end', () => {
    expect(stepPath(line([0, 10, 5]), 0, 10).line).toBe('M0 1000H1000V0H2000V500H10000');
  });

  it('is broken at a gap and never touches zero for it', () => {
    const { line: path, area } = stepPath(line([5, null, null, 5]), 0, 10);
    expect(path).toBe('M0 500H1000M3000 500H10000');
    expect(area).toBe('M0 1000V500H1000V1000ZM3000 1000V500H10000V1000Z');
  });

  it('ends where its last value is no longer known to hold', () => {
    expect(stepPath(line([5], { knownUntil: 4 }), 0, 10).line).toBe('M0 500H4000');
  });

  it('begins at the edge with a value from before, and later where none is known before', () => {
    expect(stepPath(line([5], { from: 0.5 }), 0, 10).line).toMatch(/^M0 500/);
    expect(stepPath(line([5], { from: -10, to: 10 }), 0, 10).line).toBe('M5000 500H10000');
  });

  it('is nothing where nothing is known', () => {
    expect(stepPath(line([null]), 0, 10)).toEqual({ line: '', area: '' });
    expect(stepPath(line([]), 0, 10)).toEqual({ line: '', area: '' });
  });
});
