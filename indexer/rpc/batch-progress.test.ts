import { expect, it } from 'vitest';
import { pauseAfter } from './batch-progress.ts';
import { RetryableRpcError } from './rpc-errors.ts';

const pauses = (code: number) => {
  const fault = new RetryableRpcError('node', 'not now', { code });
  return [1, 2, 3, 10].map((times) => pauseAfter(fault, times, () => 1));
};

it('asks again within a slot what a node nearly has, and later each time what it fails at', () => {
  expect(pauses(-32014)).toEqual([400, 400, 400, 400]);
  expect(pauses(-32016)).toEqual([400, 400, 400, 400]);
  expect(pauses(-32004)).toEqual([250, 500, 1_000, 5_000]);
  expect(pauses(-32019)).toEqual([250, 500, 1_000, 5_000]);
});
