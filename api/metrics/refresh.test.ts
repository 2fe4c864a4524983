import { describe, expect, it } from 'vitest';
import { repeat } from './refresh.ts';

describe('repeating', () => {
  it('runs one step at a time until it is stopped', async () => {
    let steps = 0;
    let running = 0;
    const enough = Promise.withResolvers<void>();
    const repeated = repeat(async () => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      steps += 1;
      if (steps === 5) enough.resolve();
    }, 0);
    await enough.promise;
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
    }, 0);
    const stopping = repeated.stop().then(() => order.push('stopped'));
    finish();
    await stopping;
    expect(order).toEqual(['step', 'stopped']);
  });

  it('ends a pause when it is stopped', async () => {
    const stepped = Promise.withResolvers<void>();
    const repeated = repeat(async () => stepped.resolve(), 1_000_000);
    await stepped.promise;
    await repeated.stop();
  });
});
