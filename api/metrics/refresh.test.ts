import { describe, expect, it } from 'vitest';
import { repeat } from './refresh.ts';

const pauseOf = (milliseconds: number) => ({ shortestMs: milliseconds, longestMs: () => milliseconds });

describe('a repetition', () => {
  it('runs one step at a time until it is stopped', async () => {
    let steps = 0;
    let runningSteps = 0;
    const enoughSteps = Promise.withResolvers<void>();
    const repetition = repeat(async () => {
      runningSteps += 1;
      expect(runningSteps).toBe(1);
      await Promise.resolve();
      runningSteps -= 1;
      steps += 1;
      if (steps === 5) enoughSteps.resolve();
    }, pauseOf(0));
    await enoughSteps.promise;
    await repetition.stop();
    const stepsAtStop = steps;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(steps).toBe(stepsAtStop);
  });

  it('waits for the running step when it is stopped', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<void>();
    const order: string[] = [];
    const repetition = repeat(async () => {
      await work;
      order.push('step');
    }, pauseOf(0));
    const stopping = repetition.stop().then(() => order.push('stopped'));
    finish();
    await stopping;
    expect(order).toEqual(['step', 'stopped']);
  });

  it('ends a pause when it is stopped', async () => {
    const firstStep = Promise.withResolvers<void>();
    const repetition = repeat(async () => firstStep.resolve(), pauseOf(1_000_000));
    await firstStep.promise;
    await repetition.stop();
  });

  it('ends a long pause when it is woken, even if it was woken during the step before', async () => {
    const steps = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let count = 0;
    const repetition = repeat(
      async () => {
        steps[count]?.resolve();
        count += 1;
        if (count === 2) repetition.wake();
      },
      { shortestMs: 0, longestMs: () => 1_000_000 },
    );
    await steps[0]?.promise;
    repetition.wake();
    await Promise.all(steps.map(({ promise }) => promise));
    await repetition.stop();
    expect(count).toBe(3);
  });

  it('does not cut short the minimum pause when it is woken', async () => {
    let count = 0;
    const repetition = repeat(
      async () => {
        count += 1;
      },
      { shortestMs: 1_000_000, longestMs: () => 1_000_000 },
    );
    await Promise.resolve();
    repetition.wake();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(count).toBe(1);
    await repetition.stop();
  });
});
