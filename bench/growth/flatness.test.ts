import { describe, expect, it } from 'vitest';
import { flatnessOf, measureFlatness, median } from './flatness.ts';

describe('the time at each size', () => {
  it('is compared with the smallest size in the same round, so that a slow round does not distort it', () => {
    const { baseMicroseconds, ratios } = flatnessOf('read', [
      [10, 11],
      [100, 110],
      [10, 30],
    ]);
    expect(baseMicroseconds).toBe(10);
    expect(ratios).toEqual([1, 1.1]);
  });

  it('has a median for even and odd counts', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('is measured equally often at each size, with a preparation before each timing', async () => {
    const done: string[] = [];
    const workAt = (size: number) => async () => void done.push(`work ${size}`);
    const prepare = (size: number) => async () => void done.push(`before ${size}`);
    await measureFlatness({
      name: 'x',
      work: [workAt(0), workAt(1)],
      preparations: [prepare(0), prepare(1)],
      repetitions: 2,
    });
    const count = (text: string) => done.filter((one) => one === text).length;
    expect(count('work 0')).toBe(count('work 1'));
    expect(count('work 1')).toBe(2 * count('before 1'));
  });
});
