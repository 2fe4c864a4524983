import { describe, expect, it } from 'vitest';
import { nextTab } from './next-tab.ts';

describe('a tab', () => {
  it('gives way to its neighbour by arrow, round at both ends', () => {
    expect([nextTab('ArrowRight', 0, 3), nextTab('ArrowRight', 2, 3)]).toEqual([1, 0]);
    expect([nextTab('ArrowLeft', 2, 3), nextTab('ArrowLeft', 0, 3)]).toEqual([1, 2]);
  });

  it('gives way to the first and the last by Home and End, and to nothing by any other key', () => {
    expect([nextTab('Home', 2, 4), nextTab('End', 0, 4), nextTab('a', 1, 4)]).toEqual([0, 3, null]);
  });
});
