// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { openDelay } from './tooltips.ts';

describe('a tooltip', () => {
  it('opens after 700 ms', () => {
    expect([openDelay(null), openDelay(301), openDelay(60_000)]).toEqual([700, 700, 700]);
  });

  it('opens without delay within 300 ms after another tooltip closed', () => {
    expect([openDelay(0), openDelay(300)]).toEqual([0, 0]);
  });
});
