import { expect, it } from 'vitest';
import { STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { COUNTER, counterText } from './count-up.ts';

it('the counter of the stated yield goes from zero to the figure in 60 steps over two seconds', () => {
  const at = (step: number) => counterText(STATED_YIELD_PERCENT, step, COUNTER.steps);
  expect([at(0), at(7), at(30), at(60), at(61)]).toEqual(['0.0', '10.3', '44.4', '88.7', '88.7']);
  expect(COUNTER).toEqual({ steps: 60, milliseconds: 2_000 });
  expect(counterText('90', 7, 60)).toBe('11');
});
