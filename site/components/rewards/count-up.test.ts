import { describe, expect, it } from 'vitest';
import { STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { COUNTER, counterText } from './count-up.ts';

const at = (step: number) => counterText(STATED_YIELD_PERCENT, step, COUNTER.steps);

describe('the counter of the stated yield', () => {
  it('goes from zero to the figure in 60 steps over two seconds', () => {
    expect([at(0), at(30), at(60)]).toEqual(['0.0', '44.4', '88.7']);
    expect([COUNTER.steps, COUNTER.milliseconds]).toEqual([60, 2_000]);
  });

  it('never decreases and never exceeds the figure', () => {
    const shown = Array.from({ length: COUNTER.steps + 5 }, (_, step) => Number(at(step)));
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    expect(Math.max(...shown)).toBe(Number(STATED_YIELD_PERCENT));
  });

  it('keeps the decimals of the figure at every step', () => {
    expect(at(7)).toMatch(/^\d+\.\d$/);
    expect(counterText('90', 7, 60)).toBe('11');
  });
});
