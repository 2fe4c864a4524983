import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlidingCount } from './sliding-count.ts';

it('counts all of the window but a part of it, and nothing older', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(400), amount: fc.nat(5) }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.nat(5_000), (history, begin) => {
      const clock = { now: begin };
      const count = createSlidingCount({ windowMs: 1_000, buckets: 10, now: () => clock.now });
      const added: { at: number; amount: number }[] = [];
      for (const { wait, amount } of history) {
        clock.now += wait;
        count.add(amount);
        added.push({ at: clock.now, amount });
        const since = (age: number) =>
          added.filter(({ at }) => at > clock.now - age).reduce((sum, one) => sum + one.amount, 0);
        expect(count.total()).toBeGreaterThanOrEqual(since(900));
        expect(count.total()).toBeLessThanOrEqual(since(1_000));
      }
    }),
  );
});
