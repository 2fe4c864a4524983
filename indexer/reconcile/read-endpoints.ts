import type { ChainSnapshot, IndexIdentity } from '../../data/store/chain-rows.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import {
  entriesOf,
  type SnapshotAnswers,
  SnapshotError,
  snapshotCalls,
  snapshotOf,
} from '../sync/snapshot.ts';

/** The accounts as one endpoint tells them. */
export interface EndpointReading {
  readonly endpoint: string;
  readonly snapshot: ChainSnapshot;
}

/**
 * Reads the accounts at every endpoint. One that does not answer, or not at one slot, is left out: it says nothing.
 * @throws the signal's reason where it aborts
 */
export async function readEachEndpoint(
  pool: EndpointPool,
  identity: IndexIdentity,
  now: () => number,
  signal: AbortSignal,
): Promise<readonly EndpointReading[]> {
  const answers = await pool.askEach<SnapshotAnswers>(snapshotCalls(identity), signal);
  return answers.flatMap(({ endpoint, replies }): EndpointReading[] => {
    try {
      const accounts = resultOf(replies[0]);
      const entries = resultOf(replies[1]);
      if (accounts.slot !== entries.slot) return [];
      const readings = { accounts, entries: entriesOf(entries) };
      return [{ endpoint, snapshot: snapshotOf(readings, identity, now()) }];
    } catch (error) {
      const isSilent =
        error instanceof RetryableRpcError ||
        error instanceof RpcRequestError ||
        error instanceof SnapshotError;
      if (isSilent) return [];
      throw error;
    }
  });
}
