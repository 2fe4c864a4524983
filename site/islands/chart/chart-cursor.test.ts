import { describe, expect, it } from 'vitest';
import { cursorStops, nextStop, stopAt } from './chart-cursor.ts';

const points = [0, 10, 20].map((at) => ({ at, text: '1', value: 1 }));

describe('the cursor of a chart', () => {
  it('stops at each change and at the newest known moment', () => {
    expect(cursorStops({ points, from: 5, to: 40, knownUntil: 30 })).toEqual([5, 10, 20, 30]);
    expect(cursorStops({ points, from: 5, to: 40, knownUntil: 20 })).toEqual([5, 10, 20]);
    expect(cursorStops({ points: [], from: 5, to: 40, knownUntil: 20 })).toEqual([]);
  });

  it('belongs to the last stop at or before a moment', () => {
    expect([1, 5, 12, 99].map((moment) => stopAt([5, 10, 20], moment))).toEqual([0, 0, 1, 2]);
  });

  it('walks by arrows, leaps by page keys, and goes to either end, never beyond', () => {
    expect([nextStop('ArrowRight', 1, 3), nextStop('ArrowLeft', 1, 3)]).toEqual([2, 0]);
    expect([nextStop('ArrowRight', 2, 3), nextStop('ArrowLeft', 0, 3)]).toEqual([2, 0]);
    expect([nextStop('PageDown', 50, 100), nextStop('PageUp', 50, 100)]).toEqual([40, 60]);
    expect([nextStop('Home', 50, 100), nextStop('End', 50, 100)]).toEqual([0, 99]);
  });

  it('leaves every other key to the page', () => {
    expect(['Tab', 'a', 'Enter', 'toString'].map((key) => nextStop(key, 1, 3))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
