import { expect, it } from 'vitest';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { never } from '../testing/followed-history.ts';
import { createWindowReader } from './transaction-window.ts';

/** An endpoint whose requests wait, in the order in which they came, until they are told to fail. */
function waitingPool() {
  const asked: { readonly signatures: readonly unknown[]; readonly fail: () => void }[] = [];
  const batch = (calls: readonly RpcCall<unknown>[]) =>
    new Promise((resolve) => {
      const error = new RetryableRpcError('node', 'it has no time');
      const fail = () => resolve(calls.map(() => ({ ok: false, error, by: 'node' })));
      asked.push({ signatures: calls.map(({ params }) => params[0]), fail });
    });
  return { pool: { batch } as unknown as EndpointPool, asked };
}

const rowsOf = (...signatures: readonly string[]) =>
  signatures.map((signature, slot) => ({
    ...{ signature, slot, position: 0 },
    ...{ hasFailed: false, isFinalized: true },
  }));

const NOTHING_KNOWN = { read: new Map(), putAside: new Set<string>() };

it('asks for the windows behind as soon as any answer makes room, and for no more at once than it may', async () => {
  const { pool, asked } = waitingPool();
  const watched = { address: 'vault', role: 'vault' } as const;
  const reader = createWindowReader({ pool, mint: 'mint', watched, batchSize: 2, requestsAtOnce: 3 });
  const first = reader.read(rowsOf('a', 'b', 'c', 'd'), NOTHING_KNOWN, never);
  const second = reader.read(rowsOf('e', 'f', 'g', 'h', 'i'), NOTHING_KNOWN, never);
  const signatures = () => asked.map((request) => request.signatures.join(''));
  expect(signatures()).toEqual(['ab', 'cd', 'ef']);

  // The answer of a later window makes room, while the first is not read yet.
  asked[2]?.fail();
  await expect.poll(signatures).toEqual(['ab', 'cd', 'ef', 'gh']);
  asked[0]?.fail();
  asked[1]?.fail();
  expect((await first).unread.map(({ row }) => row.signature)).toEqual(['a', 'b', 'c', 'd']);
  await expect.poll(signatures).toEqual(['ab', 'cd', 'ef', 'gh', 'i']);
  asked[3]?.fail();
  asked[4]?.fail();
  expect((await second).unread.map(({ row }) => row.signature)).toEqual(['e', 'f', 'g', 'h', 'i']);
});
