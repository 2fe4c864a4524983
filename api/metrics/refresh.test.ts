import { describe, expect, it } from 'vitest';
import { repeat } from './refresh.ts';

const always = (milliseconds: number) => ({ shortestMs: milliseconds, longestMs: () => milliseconds });

describe('repeating', () => {
  it('runs one step at a time until it is stopped', async () => {
    let steps = 0;
    let running = 0;
    const enoughSteps = Promise.withResolvers<void>();
    const repeated = repeat(async () => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      steps += 1;
      if (steps === 5) enoughSteps.resolve();
    }, always(0));
    await enoughSteps.promise;
    await repeated.stop();
    const atStop = steps;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(steps).toBe(atStop);
  });

  it('waits for the running step when it is stopped', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<void>();
    const order: string[] = [];
    const repeated = repeat(async () => {
      await work;
      order.push('step');
    }, always(0));
    const stopping = repeated.stop().then(() => order.push('stopped'));
    finish();
    await stopping;
    expect(order).toEqual(['step', 'stopped']);
  });

  it('ends a pause when it is stopped', async () => {
    const stepped = Promise.withResolvers<void>();
    const repeated = repeat(async () => stepped.resolve(), always(1_000_000));
    await stepped.promise;
    await repeated.stop();
  });

  it('ends a long pause when it is woken, even during the step before the pause', async () => {
    const steps = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let count = 0;
    const repeated = repeat(
      async () => {
        steps[count]?.resolve();
        count += 1;
        if (count === 2) repeated.wake();
      },
      { shortestMs: 0, longestMs: () => 1_000_000 },
    );
    await steps[0]?.promise;
    repeated.wake();
    await Promise.all(steps.map(({ promise }) => promise));
    await repeated.stop();
    expect(count).toBe(3);
  });

  it('does not cut short the minimum pause when it is woken', async () => {
    let count = 0;
    const repeated = repeat(
      async () => {
        count += 1;
      },
      { shortestMs: 1_000_000, longestMs: () => 1_000_000 },
    );
    await Promise.resolve();
    repeated.wake();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(count).toBe(1);
    await repeated.stop();
  });
});
