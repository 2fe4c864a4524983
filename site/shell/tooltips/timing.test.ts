import { describe, expect, it } from 'vitest';
import { openDelay } from './timing.ts';

describe('a tooltip', () => {
  it('opens after a rest of 700 ms', () => {
    expect([openDelay(null), openDelay(301), openDelay(60_000)]).toEqual([700, 700, 700]);
  });

  it('opens at once beside one that closed up to 300 ms ago', () => {
    expect([openDelay(0), openDelay(300)]).toEqual([0, 0]);
  });
});
