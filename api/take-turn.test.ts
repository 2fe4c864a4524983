import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { takeTurn, waitForTurn } from './take-turn.ts';

afterEach(() => vi.restoreAllMocks());

it('runs work immediately until the turn has taken too long, then the rest in order in later turns', async () => {
  let clockMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  const order: string[] = [];
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    takeTurn(() => {
      clockMs += 7;
      order.push(name);
    });
  }
  order.push('a figure');
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(order).toEqual(['one', 'two', 'a figure', 'three', 'four', 'five']);
});

it('gives each waiting task a turn that has time left', async () => {
  let clockMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  const order: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    waitForTurn().then(() => {
      clockMs += 12;
      order.push(name);
    });
  }
  order.push('a figure');
  for (let turn = 1; turn <= 3; turn += 1) {
    await nextTurn();
    order.push('a figure');
  }
  expect(order).toEqual(['a figure', 'one', 'a figure', 'two', 'a figure', 'three', 'a figure']);
});
