import { describe, expect, it } from 'vitest';
import { nextTab } from './next-tab.ts';

describe('a tab', () => {
  it('moves by arrow keys and wraps around', () => {
    expect([nextTab('ArrowRight', 0, 3), nextTab('ArrowRight', 2, 3)]).toEqual([1, 0]);
    expect([nextTab('ArrowLeft', 2, 3), nextTab('ArrowLeft', 0, 3)]).toEqual([1, 2]);
  });

  it('moves to the first and last by Home and End, and ignores other keys', () => {
    expect([nextTab('Home', 2, 4), nextTab('End', 0, 4), nextTab('a', 1, 4)]).toEqual([0, 3, null]);
  });
});
