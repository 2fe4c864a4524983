import { isDeepStrictEqual } from 'node:util';
import { STAKE_POOL } from '../../data/model/stake-layout.ts';
import { isClockOff } from '../../data/model/value-state.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall, RpcCalls } from '../rpc/json-rpc.ts';
import { type RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
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

/** Milliseconds until an unchanged snapshot is committed at a later slot, so that its age shows that the chain is read. */
const HEARTBEAT_MS = 1_500;
/** The same while the last change to the stakes is not final: then each commit needs the entries read again. */
const SETTLING_MS = 5_000;
/** Milliseconds until entries are read again even if the pool is unchanged: closing an entry may not change the pool. */
const ENTRIES_MS = 300_000;
/** Milliseconds for which the other accounts wait for entries that fail for any reason but a refusal. */
const WAIT_FOR_ENTRIES_MS = 30_000;
/** Milliseconds until entries that nobody served are requested again. */
const RETRY_ENTRIES_MS = 30_000;
/** Attempts per round to read accounts and entries that match. */
const MATCHING_ATTEMPTS = 3;
/**
 * Slots between accounts and entries that are accepted if the stakes change too often for an exact match and add up, and
 * until the last change is final: a fork that is dropped in between may move a stake without changing the pool.
 */
const MAX_SKEW = 10;
/** Milliseconds for an endpoint to answer after another one refused. */
const TIMEOUT_MS = 15_000;

interface CommittedReadings extends Readings {
  readonly by: string;
}

interface MatchingReadings extends CommittedReadings {
  /** The slot up to which the stakes in the entries are final; null if unknown. */
  readonly settledSlot: number | null;
  /** Slots between the accounts and the entries, if they may not match. */
  readonly skew: number;
}

/** No endpoint that answers serves the stake entries. */
class StakesRefusedError extends Error {
  override readonly name = 'StakesRefusedError';
}

/** Keeps the stored account snapshot up to date with the chain. */
export function createSnapshotKeeper(options: {
  readonly pool: Pick<
    EndpointPool,
    'batch' | 'requestFromEach' | 'requestWithoutPenalty' | 'distrust' | 'noteContradiction' | 'health'
  >;
  readonly writer: Pick<IndexWriter, 'commitSnapshot'>;
  readonly identity: IndexIdentity;
  /** See `SecondOpinionOptions`. */
  readonly onContradiction?: (endpoints: readonly string[]) => void;
  /** Called once when the stake entries cannot be read, with the reason, and with null once they can. */
  readonly onStakesProblem?: (reason: string | null) => void;
  /** Called with the slots between accounts and entries when they begin to be stored although they may not match. */
  readonly onSkew?: (slots: number) => void;
  /** Called once when the vault cannot be read, with the reason, and with null once it can. */
  readonly onVaultProblem?: (reason: string | null) => void;
  /** Called with the number of stake entries that cannot be read when it changes. */
  readonly onUnreadEntries?: (count: number) => void;
  /** Called once when the host's clock and the chain's time are far apart, with host minus chain, and with null once not. */
  readonly onClockDifference?: (seconds: number | null) => void;
}) {
  const { pool, writer, identity, onContradiction, onStakesProblem = () => {}, onSkew = () => {} } = options;
  const { onClockDifference = () => {}, onUnreadEntries = () => {}, onVaultProblem = () => {} } = options;
  const opinion = createSecondOpinion({ pool, accountsCall: snapshotCalls(identity)[0], onContradiction });
  let committed: CommittedReadings | null = null;
  let entriesReadAt = 0;
  let committedAt = 0;
  /** When the committed slot was first read (Unix ms). Reading it again does not make it newer. */
  let slotReadAt = 0;
  /** The slot of the last change to the stakes, until it is final. */
  let unsettledSince: number | null = null;
  /** Set once an endpoint refused the entries: from then on each endpoint is asked in turn, without a penalty. */
  let isRefusedBySome = false;
  let stakesProblem: string | null = null;
  let failingSince: number | null = null;
  let isSkewed = false;
  let isOff = false;
  let vaultProblem: string | null = null;

  /** Whether it is time to request entries that nobody served. */
  const areEntriesMissing = (): boolean =>
    stakesProblem !== null && performance.now() - entriesReadAt >= RETRY_ENTRIES_MS;

  /**
   * Reads accounts and entries that match: from the same slot, or with the stakes unchanged from before the slot of the entries
   * until after it. Failing that, from slots that are close, if the open stakes add up to the pool's total.
   */
  const readMatching = async (minSlot: number, signal: AbortSignal): Promise<MatchingReadings> => {
    let least = minSlot;
    let closest: MatchingReadings | null = null;
    for (let attempt = 0; attempt < MATCHING_ATTEMPTS; attempt += 1) {
      const calls: RpcCalls<[...SnapshotAnswers, number]> = [
        ...snapshotCalls(identity, least),
        getSlot('finalized'),
      ];
      const [accountsReply, entriesReply, slotReply] = isRefusedBySome
        ? await pool.requestWithoutPenalty(calls, signal, TIMEOUT_MS)
        : await pool.batch(calls, signal);
      if (!entriesReply.ok && isRefusal(entriesReply.error)) {
        if (isRefusedBySome)
          throw new StakesRefusedError(`${entriesReply.by}: ${entriesReply.error.message}`);
        isRefusedBySome = true;
        continue;
      }
      const accounts = resultOf(accountsReply);
      const entries = resultOf(entriesReply);
      const finalizedSlot = resultOf(slotReply);
      const { by } = accountsReply;
      // Two endpoints may be on two forks.
      if ([entriesReply, slotReply].some((reply) => reply.by !== by)) continue;
      // What was listed before a slot was final says nothing about it.
      const settledSlot = finalizedSlot <= entries.slot ? finalizedSlot : null;
      const readings = { accounts, ...entriesOf(entries), by, settledSlot, skew: 0 };
      if (accounts.slot === entries.slot) return readings;
      if (accounts.slot > entries.slot) {
        const isUnchanged = [closest, committed].some(
          (before) =>
            before !== null && before.accounts.slot <= entries.slot && !differsFrom(before, accounts, STAKES),
        );
        const isSettled = unsettledSince === null && !differsFrom(committed, accounts, STAKES);
        if (isUnchanged && (isSettled || accounts.slot - entries.slot <= MAX_SKEW)) return readings;
      } else {
        const [reply] = await pool.batch([snapshotCalls(identity, entries.slot)[0]], signal);
        const after = resultOf(reply);
        if (reply.by === by && !differsFrom(readings, after, STAKES)) return { ...readings, accounts: after };
      }
      closest = { ...readings, skew: Math.abs(accounts.slot - entries.slot) };
      least = Math.max(accounts.slot, entries.slot);
    }
    if (closest !== null && closest.skew <= MAX_SKEW && addUp(closest)) return closest;
    throw new SnapshotError(
      `Accounts and stake entries could not be read at matching slots in ${MATCHING_ATTEMPTS} attempts.`,
    );
  };

  /**
   * @returns null while the entries cannot be read; they are then requested at intervals, not with every change
   * @throws while other accounts are still to wait for them
   */
  const readEntries = async (minSlot: number, signal: AbortSignal): Promise<MatchingReadings | null> => {
    if (stakesProblem !== null && !areEntriesMissing()) return null;
    try {
      const together = await readMatching(minSlot, signal);
      if (stakesProblem !== null) onStakesProblem(null);
      stakesProblem = null;
      failingSince = null;
      if (together.skew > 0 && !isSkewed) onSkew(together.skew);
      isSkewed = together.skew > 0;
      return together;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      const failedAt = performance.now();
      failingSince ??= failedAt;
      const isToWait = stakesProblem === null && failedAt - failingSince < WAIT_FOR_ENTRIES_MS;
      if (isToWait && !(error instanceof StakesRefusedError)) throw error;
      if (stakesProblem === null) onStakesProblem(error.message);
      stakesProblem = error.message;
      entriesReadAt = failedAt;
      return null;
    }
  };

  const noteClock = (difference: number | null): void => {
    const isNowOff = isClockOff(difference);
    if (isNowOff !== isOff) onClockDifference(isNowOff ? Math.round(difference / 1_000) : null);
    isOff = isNowOff;
  };

  /** Until the last change to the stakes is final, a fork may move the same stakes to different slots. */
  const noteStakes = (before: CommittedReadings | null, readings: MatchingReadings): void => {
    const { accounts, entries, settledSlot } = readings;
    const areChanged = differsFrom(before, accounts, STAKES) || !hasSameEntries(before?.entries, entries);
    if (areChanged) unsettledSince = accounts.slot;
    if (unsettledSince !== null && (settledSlot ?? -1) >= unsettledSince) unsettledSince = null;
  };

  return {
    /** The call that reads the followed accounts, to be batched with others. */
    accountsCall: (): RpcCall<FollowedAccounts> => snapshotCalls(identity, committed?.accounts.slot)[0],
    /**
     * Commits a snapshot if something has changed, or if the last one is old and the chain has advanced. If other endpoints
     * deny a change, the state that they agree on is committed instead.
     * @returns the committed slot, or null if nothing was committed
     * @throws {SnapshotError} if an account is missing or of the wrong kind
     */
    async update(reply: PoolReply<FollowedAccounts>, signal: AbortSignal): Promise<number | null> {
      const answer = resultOf(reply);
      const isChanged = differsFrom(committed, answer);
      const isLater = committed === null || answer.slot > committed.accounts.slot;
      const beatMs = unsettledSince === null ? HEARTBEAT_MS : SETTLING_MS;
      const isBeat = isLater && performance.now() - committedAt >= beatMs;
      if (!isChanged && !isBeat && !areEntriesMissing()) return null;
      const report = { accounts: answer, by: reply.by };
      const accepted = isChanged ? await opinion.judge(report, committed, signal) : report;
      if (accepted === null) return null;
      const areEntriesKnown =
        committed !== null &&
        stakesProblem === null &&
        unsettledSince === null &&
        !differsFrom(committed, accepted.accounts, STAKES) &&
        performance.now() - entriesReadAt < ENTRIES_MS;
      const together = areEntriesKnown ? null : await readEntries(accepted.accounts.slot, signal);
      const readings = together ?? {
        ...accepted,
        entries: committed?.entries ?? [],
        unreadEntries: committed?.unreadEntries ?? 0,
      };
      const hasNewerChange = differsFrom(readings, accepted.accounts);
      // Accounts that only other endpoints reported do not match these entries.
      if (
        hasNewerChange &&
        (await opinion.judge(readings, committed, signal))?.accounts !== readings.accounts
      )
        return null;
      const readAt = performance.now();
      const isSameSlot = committed !== null && readings.accounts.slot <= committed.accounts.slot;
      const hostTime = isSameSlot ? slotReadAt : Date.now();
      const figures = snapshotOf(readings, identity, hostTime);
      const snapshot = stakesProblem === null ? figures : { ...figures, entries: [], stakesProblem };
      await writer.commitSnapshot(snapshot);
      slotReadAt = hostTime;
      noteClock(snapshot.clockDifference);
      if (snapshot.vaultProblem !== vaultProblem) onVaultProblem(snapshot.vaultProblem);
      vaultProblem = snapshot.vaultProblem;
      if (together) {
        if (together.unreadEntries !== (committed?.unreadEntries ?? 0))
          onUnreadEntries(together.unreadEntries);
        noteStakes(committed, together);
        entriesReadAt = readAt;
      }
      committed = readings;
      committedAt = readAt;
      return snapshot.slot;
    },
  };
}

function addUp({ accounts, entries }: Readings): boolean {
  const pool = accounts.value[STAKES[0]];
  const open = entries.filter(({ closedAt }) => closedAt === null);
  return (
    pool != null &&
    STAKE_POOL.decode(pool.data)?.totalStake === open.reduce((sum, { amount }) => sum + amount, 0n)
  );
}

/** The indexes of the stake pool and its vault among the followed accounts. */
const STAKES = [1, 2] as const;

/**
 * Whether an endpoint does not serve the call at all. The public cluster sends 410, as a status or as a code
 * (https://github.com/solana-developers/solana-cookbook/issues/255); other nodes send -32601, or -32010 and -32012
 * (Agave, `rpc-client-api/src/custom_error.rs`).
 */
function isRefusal(error: RetryableRpcError | RpcRequestError): boolean {
  return error instanceof RpcRequestError || error.failure === 'refused' || error.message === 'HTTP 410';
}

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

function hasSameEntries(one: Readings['entries'] | undefined, other: Readings['entries']): boolean {
  return one !== undefined && isDeepStrictEqual(byAddress(one), byAddress(other));
}

function byAddress(entries: Readings['entries']): ReadonlyMap<string, unknown> {
  return new Map(entries.map((entry) => [entry.address, entry]));
}
