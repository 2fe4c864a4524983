import { isDeepStrictEqual } from 'node:util';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, type PoolReply, resultOf } from '../rpc/endpoint-pool.ts';
import type { RpcCall, RpcCalls } from '../rpc/json-rpc.ts';
import { type AccountInfo, getSlot } from '../rpc/solana-calls.ts';
import { createSecondOpinion } from './second-opinion.ts';
import {
  entriesOf,
  type FollowedAccounts,
  type Readings,
  type SnapshotAnswers,
  SnapshotError,
  snapshotCalls,
  snapshotOf,
} from './snapshot.ts';

/** Keeps the store's account snapshot at the state of the chain. */
export interface SnapshotKeeper {
  /** The call that reads the followed accounts, to travel with other calls. */
  accountsCall(): RpcCall<FollowedAccounts>;
  /**
   * Commits a snapshot where something changed, or where the last one has aged and the chain has gone on since. A change
   * that other endpoints deny is not committed; what they agree on instead is.
   * @returns the slot committed, or null where there was nothing to commit
   * @throws {SnapshotError} where an account is missing or is not what it was: no figure is better than a
   * wrong one
   */
  update(accounts: PoolReply<FollowedAccounts>, signal: AbortSignal): Promise<number | null>;
}

/**
 * A snapshot without a change is committed again after this, at a later slot, so that its age tells whether the chain
 * goes on and is being read.
 */
const HEARTBEAT_MS = 1_500;
/**
 * Entries are read again after this even where the pool did not change: an entry can be closed without it.
 */
const ENTRIES_MS = 30_000;
/** Tries to read accounts and entries at one slot before the next tick tries again. */
const SAME_SLOT_TRIES = 8;

interface Held extends Readings {
  /** The endpoint that told the accounts. */
  readonly by: string;
}

interface ReadTogether extends Held {
  readonly finalizedSlot: number;
}

export function createSnapshotKeeper(options: {
  readonly pool: Pick<EndpointPool, 'batch' | 'askEach' | 'distrust' | 'noteContradiction' | 'health'>;
  readonly writer: Pick<IndexWriter, 'commitSnapshot'>;
  readonly identity: IndexIdentity;
  /** See `SecondOpinionOptions`. */
  readonly onContradiction?: (endpoints: readonly string[]) => void;
  /** Unix ms, for what a snapshot says of itself. */
  readonly now?: () => number;
  /** Milliseconds of a clock that never steps back, for what has to happen again after a while. */
  readonly elapsed?: () => number;
}): SnapshotKeeper {
  const { pool, writer, identity, now = Date.now, elapsed = performance.now.bind(performance) } = options;
  const { onContradiction } = options;
  const opinion = createSecondOpinion({ pool, accountsCall: snapshotCalls(identity)[0], onContradiction });
  let held: Held | null = null;
  let entriesReadAt = 0;
  let committedAt = 0;
  /** When (Unix ms) the slot was first read that is held: reading it again makes it no younger. */
  let slotReadAt = 0;
  /** The slot in which the stakes were last seen to be others than before, until it is final. */
  let unsettledSince: number | null = null;

  const readTogether = async (minSlot: number, signal: AbortSignal): Promise<ReadTogether> => {
    const calls: RpcCalls<[...SnapshotAnswers, number]> = [
      ...snapshotCalls(identity, minSlot),
      getSlot('finalized'),
    ];
    for (let attempt = 0; attempt < SAME_SLOT_TRIES; attempt += 1) {
      const [accountsReply, entriesReply, slotReply] = await pool.batch(calls, signal);
      const accounts = resultOf(accountsReply);
      const entries = resultOf(entriesReply);
      const finalizedSlot = resultOf(slotReply);
      const { by } = accountsReply;
      // Two endpoints may be on two forks.
      const isOne = [entriesReply, slotReply].every((reply) => reply.by === by);
      if (isOne && accounts.slot === entries.slot) {
        return { accounts, entries: entriesOf(entries), by, finalizedSlot };
      }
    }
    throw new SnapshotError(
      `Accounts and stake entries could not be read at one slot in ${SAME_SLOT_TRIES} tries.`,
    );
  };

  /** Until the last change of the stakes is final, a fork may put the very same stakes into other slots. */
  const noteStakes = (before: Held | null, readings: ReadTogether): void => {
    const { accounts, entries, finalizedSlot } = readings;
    const isOther = differsFrom(before, accounts, STAKES) || !isSame(before?.entries, entries);
    if (isOther) unsettledSince = accounts.slot;
    if (unsettledSince !== null && finalizedSlot >= unsettledSince) unsettledSince = null;
  };

  return {
    accountsCall: () => snapshotCalls(identity, held?.accounts.slot)[0],
    async update(reply, signal) {
      const answer = resultOf(reply);
      const isChanged = differsFrom(held, answer);
      const isLater = held === null || answer.slot > held.accounts.slot;
      if (!isChanged && (!isLater || elapsed() - committedAt < HEARTBEAT_MS)) return null;
      const told = { accounts: answer, by: reply.by };
      const believed = isChanged ? await opinion.judge(told, held, signal) : told;
      if (believed === null) return null;
      const areEntriesKnown =
        held !== null &&
        unsettledSince === null &&
        !differsFrom(held, believed.accounts, STAKES) &&
        elapsed() - entriesReadAt < ENTRIES_MS;
      const together = areEntriesKnown ? null : await readTogether(believed.accounts.slot, signal);
      const readings = together ?? { ...believed, entries: held?.entries ?? [] };
      const isNews = differsFrom(readings, believed.accounts);
      // Accounts that others agree on were not read together with these entries.
      if (isNews && (await opinion.judge(readings, held, signal))?.accounts !== readings.accounts)
        return null;
      const readAt = elapsed();
      const isSameSlot = held !== null && readings.accounts.slot <= held.accounts.slot;
      const snapshot = snapshotOf(readings, identity, isSameSlot ? slotReadAt : now());
      await writer.commitSnapshot(snapshot);
      slotReadAt = snapshot.readAt;
      if (together) {
        noteStakes(held, together);
        entriesReadAt = readAt;
      }
      held = readings;
      committedAt = readAt;
      return snapshot.slot;
    },
  };
}

/** Where stake pool and pool vault stand among the followed accounts. */
const STAKES = [1, 2];

function differsFrom(
  before: Readings | null,
  { value }: FollowedAccounts,
  which: readonly number[] = [...value.keys()],
): boolean {
  return before === null || which.some((index) => differs(value[index], before.accounts.value[index]));
}

function differs(one: AccountInfo | null | undefined, other: AccountInfo | null | undefined): boolean {
  if (!one || !other) return one !== other;
  return one.lamports !== other.lamports || Buffer.compare(one.data, other.data) !== 0;
}

function isSame(one: Readings['entries'] | undefined, other: Readings['entries']): boolean {
  return one !== undefined && isDeepStrictEqual(byAddress(one), byAddress(other));
}

function byAddress(entries: Readings['entries']): ReadonlyMap<string, unknown> {
  return new Map(entries.map((entry) => [entry.address, entry]));
}
