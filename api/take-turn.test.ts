import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { laterTurn, takeTurn } from './take-turn.ts';

afterEach(() => vi.restoreAllMocks());

it('runs work at once until the turn has taken too long, and the rest in order in later turns', async () => {
  let clock = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const done: string[] = [];
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    takeTurn(() => {
      clock += 7;
      done.push(name);
    });
  }
  done.push('a figure');
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(done).toEqual(['one', 'two', 'a figure', 'three', 'four', 'five']);
});

it('gives each waiting task a turn that has time left', async () => {
  let clock = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const done: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    laterTurn().then(() => {
      clock += 12;
      done.push(name);
    });
  }
  done.push('a figure');
  for (let turn = 1; turn <= 3; turn += 1) {
    await nextTurn();
    done.push('a figure');
  }
  expect(done).toEqual(['a figure', 'one', 'a figure', 'two', 'a figure', 'three', 'a figure']);
});
