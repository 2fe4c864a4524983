import { isDeepStrictEqual } from 'node:util';
import { STAKE_POOL } from '../../data/model/stake-layout.ts';
import { isClockOff } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall, RpcCalls } from '../rpc/json-rpc.ts';
import { isRefusal } from '../rpc/rpc-errors.ts';
import { type AccountInfo, slotCall } from '../rpc/solana-calls.ts';
import { createSecondOpinion } from './second-opinion.ts';
import {
  decodeEntries,
  type FollowedAccounts,
  type Readings,
  type SnapshotAnswers,
  SnapshotError,
  snapshotCalls,
  snapshotOf,
} from './snapshot.ts';

/** Milliseconds until an unchanged snapshot is committed again, to show that the chain is still being read. */
const HEARTBEAT_MS = 1_500;
/**
 * The heartbeat interval (ms) until the last change to the stakes is final. It is longer, because each of these commits also
 * reads the entries.
 */
const SETTLING_HEARTBEAT_MS = 5_000;
/** Milliseconds until entries are read again even if the pool is unchanged, because closing an entry may not change the pool. */
const MAX_ENTRIES_AGE_MS = 300_000;
/** How long a snapshot waits for entries that cannot be read (ms). It does not wait if every endpoint refuses. */
const WAIT_FOR_ENTRIES_MS = 30_000;
/** Milliseconds between two requests for entries once the snapshot no longer waits for them. */
const RETRY_ENTRIES_MS = 30_000;
const MATCHING_ATTEMPTS = 3;
/**
 * The largest accepted distance in slots between accounts and entries. It applies if the stakes add up but change too often
 * for an exact match. It also applies until the last change is final, because a fork may move a stake without changing the
 * pool.
 */
const MAX_SKEW = 10;
/** How long each endpoint may take to answer (ms), once any endpoint has refused to list the entries. */
const TIMEOUT_MS = 15_000;

interface CommittedReadings extends Readings {
  readonly endpoint: string;
}

interface MatchingReadings extends CommittedReadings {
  /** The slot up to which the stakes in the entries are final; null if unknown. */
  readonly settledSlot: number | null;
  /** The distance in slots between accounts and entries; 0 if they are known to match. */
  readonly skew: number;
}

/** Every endpoint refuses to list the stake entries. */
class StakesRefusedError extends Error {
  override readonly name = 'StakesRefusedError';
}

/** Keeps the stored snapshot of the accounts up to date. Logs each problem once when it begins, and once when it ends. */
export function createSnapshotKeeper(options: {
  readonly pool: Pick<
    EndpointPool,
    'batch' | 'requestFromEach' | 'requestWithoutPenalty' | 'distrust' | 'noteContradiction' | 'health'
  >;
  readonly writer: Pick<IndexWriter, 'commitSnapshot'>;
  readonly identity: IndexIdentity;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}) {
  const { pool, writer, identity, log } = options;
  const opinion = createSecondOpinion({ pool, accountsCall: snapshotCalls(identity)[0], log });
  let committedReadings: CommittedReadings | null = null;
  let entriesReadAt = 0;
  let committedAt = 0;
  /** When the committed slot was first read (Unix ms). Reading the slot again does not make the snapshot newer. */
  let slotReadAt = 0;
  /** The slot of the last change to the stakes; null once that slot is final. */
  let unsettledSlot: number | null = null;
  /** Whether an endpoint has refused the entries. From then on each endpoint is tried in turn, without a penalty. */
  let isRefusedBySome = false;
  let stakesProblem: string | null = null;
  let failingSince: number | null = null;
  let isSkewed = false;
  let wasClockOff = false;
  let vaultProblem: string | null = null;

  const isEntriesRetryDue = (): boolean =>
    stakesProblem !== null && performance.now() - entriesReadAt >= RETRY_ENTRIES_MS;

  /**
   * Whether to accept entries from a slot between two readings of the accounts that show the same stakes. At that slot,
   * the node may have been on a fork that was dropped. So the open stakes must add up to the pool's total. The last
   * attempt skips this check, because the reconciler reports a lasting difference.
   */
  const mayMatch = (readings: Readings, entriesSlot: number, attempt: number): boolean => {
    const isSettled =
      unsettledSlot === null && !differsFrom(committedReadings, readings.accounts, STAKE_ACCOUNT_INDEXES);
    const isClose = readings.accounts.slot - entriesSlot <= MAX_SKEW;
    return (isSettled || isClose) && (stakesAddUp(readings) || attempt === MATCHING_ATTEMPTS - 1);
  };

  /**
   * Reads accounts and entries that match: they are from the same slot, or the stakes were the same before and after the
   * slot of the entries. If no attempt finds a match, the last readings are accepted if their slots are close and the open
   * stakes add up to the pool's total.
   */
  const readMatching = async (minSlot: number, signal: AbortSignal): Promise<MatchingReadings> => {
    let fromSlot = minSlot;
    let closest: MatchingReadings | null = null;
    for (let attempt = 0; attempt < MATCHING_ATTEMPTS; attempt += 1) {
      const calls: RpcCalls<[...SnapshotAnswers, number]> = [
        ...snapshotCalls(identity, fromSlot),
        slotCall('finalized'),
      ];
      const [accountsReply, entriesReply, slotReply] = isRefusedBySome
        ? await pool.requestWithoutPenalty(calls, signal, TIMEOUT_MS)
        : await pool.batch(calls, signal);
      if (!entriesReply.ok && isRefusal(entriesReply.error)) {
        if (isRefusedBySome)
          throw new StakesRefusedError(`${entriesReply.endpointName}: ${entriesReply.error.message}`);
        isRefusedBySome = true;
        continue;
      }
      const accounts = resultOf(accountsReply);
      const entries = resultOf(entriesReply);
      const finalizedSlot = resultOf(slotReply);
      const { endpointName } = accountsReply;
      // The replies of two endpoints may come from two forks.
      if ([entriesReply, slotReply].some((reply) => reply.endpointName !== endpointName)) continue;
      // Entries that were listed before a slot became final may be from a fork.
      const settledSlot = finalizedSlot <= entries.slot ? finalizedSlot : null;
      const readings = { accounts, ...decodeEntries(entries), endpoint: endpointName, settledSlot, skew: 0 };
      if (accounts.slot === entries.slot) return readings;
      if (accounts.slot > entries.slot) {
        const isUnchanged = [closest, committedReadings].some(
          (before) =>
            before !== null &&
            before.accounts.slot <= entries.slot &&
            !differsFrom(before, accounts, STAKE_ACCOUNT_INDEXES),
        );
        if (isUnchanged && mayMatch(readings, entries.slot, attempt)) return readings;
      } else {
        const [reply] = await pool.batch([snapshotCalls(identity, entries.slot)[0]], signal);
        const later = { ...readings, accounts: resultOf(reply) };
        const isUnchanged = !differsFrom(readings, later.accounts, STAKE_ACCOUNT_INDEXES);
        if (reply.endpointName === endpointName && isUnchanged && mayMatch(later, entries.slot, attempt))
          return later;
      }
      closest = { ...readings, skew: Math.abs(accounts.slot - entries.slot) };
      fromSlot = Math.max(accounts.slot, entries.slot);
    }
    if (closest !== null && closest.skew <= MAX_SKEW && stakesAddUp(closest)) return closest;
    throw new SnapshotError(
      `Accounts and stake entries could not be read at matching slots in ${MATCHING_ATTEMPTS} attempts.`,
    );
  };

  /** Returns null if the entries cannot be read. Throws instead while the snapshot should still wait for them. */
  const readEntries = async (minSlot: number, signal: AbortSignal): Promise<MatchingReadings | null> => {
    if (stakesProblem !== null && !isEntriesRetryDue()) return null;
    try {
      const matching = await readMatching(minSlot, signal);
      const { skew } = matching;
      if (stakesProblem !== null) {
        log.info('the stake entries can be read again');
        // Until these entries are committed, `committedReadings` has the entries from before the problem.
        entriesReadAt = Number.NEGATIVE_INFINITY;
      }
      stakesProblem = null;
      failingSince = null;
      if (skew > 0 && !isSkewed)
        log.warn({ slots: skew }, 'the stake entries are from a different slot than the accounts');
      isSkewed = skew > 0;
      return matching;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      const failedAt = performance.now();
      failingSince ??= failedAt;
      const shouldWait = stakesProblem === null && failedAt - failingSince < WAIT_FOR_ENTRIES_MS;
      if (shouldWait && !(error instanceof StakesRefusedError)) throw error;
      const reason = error.message;
      if (stakesProblem === null)
        log.error({ reason }, 'the stake entries cannot be read; stake figures are unavailable');
      stakesProblem = reason;
      entriesReadAt = failedAt;
      return null;
    }
  };

  const noteClock = (differenceMs: number | null): void => {
    const isOff = isClockOff(differenceMs);
    if (isOff && !wasClockOff) {
      const seconds = Math.round(differenceMs / 1_000);
      log.error(
        { seconds },
        "this host's clock is wrong, or the endpoints are behind (seconds: host minus chain)",
      );
    }
    if (!isOff && wasClockOff) log.info("this host's clock agrees with the chain's time again");
    wasClockOff = isOff;
  };
  const noteVault = (reason: string | null): void => {
    if (reason === vaultProblem) return;
    vaultProblem = reason;
    if (reason === null) log.info('the vault can be read again');
    else log.error({ reason }, 'the vault cannot be read; its figures are unavailable');
  };
  const noteUnreadEntries = (count: number): void => {
    if (count === (committedReadings?.unreadEntries ?? 0)) return;
    if (count === 0) log.info('every stake entry can be read again');
    else
      log.error(
        { count },
        'some accounts of the stake pool cannot be read as stake entries; they do not count',
      );
  };

  /** Tracks whether the stakes are final. Until they are, a fork may move the same stakes to different slots. */
  const noteStakes = (before: CommittedReadings | null, readings: MatchingReadings): void => {
    const { accounts, entries, settledSlot } = readings;
    const areChanged =
      differsFrom(before, accounts, STAKE_ACCOUNT_INDEXES) || !hasSameEntries(before?.entries, entries);
    if (areChanged) unsettledSlot = accounts.slot;
    if (unsettledSlot !== null && (settledSlot ?? -1) >= unsettledSlot) unsettledSlot = null;
  };

  return {
    accountsCall: (): RpcCall<FollowedAccounts> =>
      snapshotCalls(identity, committedReadings?.accounts.slot)[0],
    /**
     * Commits a snapshot if something has changed, if the last snapshot is old and the chain has advanced, or if it is time to
     * request the entries again. If other endpoints deny a change, the state that they agree on, if any, is committed instead.
     * @returns the committed slot, or null if nothing was committed
     * @throws {SnapshotError} if an account other than the vault is missing or of the wrong kind, or while the snapshot waits for
     * entries that match the accounts
     */
    async update(reply: PoolReply<FollowedAccounts>, signal: AbortSignal): Promise<number | null> {
      const answer = resultOf(reply);
      const isChanged = differsFrom(committedReadings, answer);
      const isLater = committedReadings === null || answer.slot > committedReadings.accounts.slot;
      const heartbeatMs = unsettledSlot === null ? HEARTBEAT_MS : SETTLING_HEARTBEAT_MS;
      const isHeartbeatDue = isLater && performance.now() - committedAt >= heartbeatMs;
      if (!isChanged && !isHeartbeatDue && !isEntriesRetryDue()) return null;
      const report = { accounts: answer, endpoint: reply.endpointName };
      const accepted = isChanged ? await opinion.judge(report, committedReadings, signal) : report;
      if (accepted === null) return null;
      const areEntriesKnown =
        committedReadings !== null &&
        stakesProblem === null &&
        unsettledSlot === null &&
        !differsFrom(committedReadings, accepted.accounts, STAKE_ACCOUNT_INDEXES) &&
        performance.now() - entriesReadAt < MAX_ENTRIES_AGE_MS;
      const matching = areEntriesKnown ? null : await readEntries(accepted.accounts.slot, signal);
      const readings = matching ?? {
        ...accepted,
        entries: committedReadings?.entries ?? [],
        unreadEntries: committedReadings?.unreadEntries ?? 0,
      };
      if (differsFrom(readings, accepted.accounts)) {
        const judged = await opinion.judge(readings, committedReadings, signal);
        // The entries match only the accounts that were read with them, not a state reported by other endpoints.
        if (judged?.accounts !== readings.accounts) return null;
      }
      const readAt = performance.now();
      const isSameSlot =
        committedReadings !== null && readings.accounts.slot <= committedReadings.accounts.slot;
      const hostTime = isSameSlot ? slotReadAt : Date.now();
      const figures = snapshotOf(readings, identity, hostTime);
      const snapshot = stakesProblem === null ? figures : { ...figures, entries: [], stakesProblem };
      await writer.commitSnapshot(snapshot);
      slotReadAt = hostTime;
      noteClock(snapshot.clockDifference);
      noteVault(snapshot.vaultProblem);
      if (matching) {
        noteUnreadEntries(matching.unreadEntries);
        noteStakes(committedReadings, matching);
        entriesReadAt = readAt;
      }
      committedReadings = readings;
      committedAt = readAt;
      return snapshot.slot;
    },
  };
}

function stakesAddUp({ accounts, entries }: Readings): boolean {
  const pool = accounts.value[STAKE_ACCOUNT_INDEXES[0]];
  const open = entries.filter(({ closedAt }) => closedAt === null);
  return (
    pool != null &&
    STAKE_POOL.decode(pool.data)?.totalStake === open.reduce((sum, { amount }) => sum + amount, 0n)
  );
}

/** The indexes of the stake pool and its vault among the followed accounts. */
const STAKE_ACCOUNT_INDEXES = [1, 2] as const;

function differsFrom(
  before: Readings | null,
  { value }: FollowedAccounts,
  indexes: readonly number[] = [...value.keys()],
): boolean {
  return before === null || indexes.some((index) => differs(value[index], before.accounts.value[index]));
}

function differs(one: AccountInfo | null | undefined, other: AccountInfo | null | undefined): boolean {
  if (!one || !other) return one !== other;
  return one.lamports !== other.lamports || Buffer.compare(one.data, other.data) !== 0;
}

function hasSameEntries(one: Readings['entries'] | undefined, other: Readings['entries']): boolean {
  return one !== undefined && isDeepStrictEqual(entriesByAddress(one), entriesByAddress(other));
}

function entriesByAddress(entries: Readings['entries']): ReadonlyMap<string, unknown> {
  return new Map(entries.map((entry) => [entry.address, entry]));
}
