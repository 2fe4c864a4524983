import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { createGroupRunner } from './group-runner.ts';

/** Runs three calls in one group that fails, and returns the groups that ran. */
async function runFailing(error: Error) {
  const groups: (readonly number[])[] = [];
  const run = createGroupRunner(async (calls: readonly number[]) => {
    groups.push(calls);
    if (calls.includes(2)) throw error;
    return calls.map((value) => ({ value }));
  });
  const settled = await Promise.allSettled([1, 2, 3].map(run));
  return { groups, statuses: settled.map(({ status }) => status) };
}

it('a group with a failing call is rerun call by call, so that only that call rejects', async () => {
  const { groups, statuses } = await runFailing(new RangeError('no such place'));
  expect(groups).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('a group is not rerun if the database cannot be used, because it may already be stored', async () => {
  const { groups, statuses } = await runFailing(new StoreUnavailableError('no answer'));
  expect(groups).toEqual([[1, 2, 3]]);
  expect(statuses).toEqual(['rejected', 'rejected', 'rejected']);
});
