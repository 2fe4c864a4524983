import { describe, expect, it } from 'vitest';
import { nextTabIndex } from './next-tab.ts';

describe('the tab selection', () => {
  it('moves with the arrow keys and wraps around', () => {
    expect([nextTabIndex('ArrowRight', 0, 3), nextTabIndex('ArrowRight', 2, 3)]).toEqual([1, 0]);
    expect([nextTabIndex('ArrowLeft', 2, 3), nextTabIndex('ArrowLeft', 0, 3)]).toEqual([1, 2]);
  });

  it('moves in the direction of the arrow on a right-to-left page', () => {
    expect([nextTabIndex('ArrowLeft', 0, 3, 'rtl'), nextTabIndex('ArrowRight', 1, 3, 'rtl')]).toEqual([1, 0]);
  });

  it('moves to the first and last tab with Home and End, and ignores other keys', () => {
    expect([nextTabIndex('Home', 2, 4), nextTabIndex('End', 0, 4), nextTabIndex('a', 1, 4)]).toEqual([
      0,
      3,
      null,
    ]);
  });
});
