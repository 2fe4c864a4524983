import { minutesWithUnit } from '../../data/model/facts/amount-text.ts';
import {
  ageState,
  FRESHNESS,
  isClockOff,
  MAX_HISTORY_LAG_MS,
  RECONCILIATION_FRESHNESS,
} from '../../data/model/value-state.ts';
import type { StoreProblem } from '../../data/store/store-errors.ts';
import { isHistoryBehind } from '../metrics/event-history.ts';
import { chainSnapshot, type FigureInputs, isReconciliationOverdue } from '../metrics/figure.ts';
import { excessiveSlotLags, isChainStalled, networkHealthBody } from '../network/health.ts';
import { SPACE_PROBLEM_TEXTS, type SpaceProblem } from './space-watch.ts';
import { problemText } from './store-watch.ts';

interface Shortcoming {
  readonly what: string;
  readonly why: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly missing: readonly Shortcoming[];
  readonly warnings: readonly Shortcoming[];
}

interface MachineProblems {
  readonly spaceProblem: SpaceProblem | null;
  /** Why backups cannot be copied elsewhere. Not included in `/readyz`, which anyone can read. */
  readonly copyProblem: string | null;
}

function shortcomings(rules: readonly (readonly [boolean, string, string])[]): readonly Shortcoming[] {
  return rules.filter(([applies]) => applies).map(([, what, why]) => ({ what, why }));
}

/**
 * Whether the figures are available and correct, and whether submissions can be stored. `missing` lists what prevents either.
 * Any other problem is only a warning, because each figure on a page shows its own state.
 */
export function readiness(
  inputs: FigureInputs,
  isIndexReadable: boolean,
  storeProblem: StoreProblem | null,
  now: number,
  machine: MachineProblems = { spaceProblem: null, copyProblem: null },
): Readiness {
  const { spaceProblem, copyProblem } = machine;
  const { index, stakes, source } = inputs;
  const snapshot = chainSnapshot(inputs);
  const health = networkHealthBody(index, source, now);
  const { reconciliation, quote } = index;
  const isStale = snapshot !== null && ageState(snapshot.chain.readAt, now, FRESHNESS.chain) === 'stale';
  const isQuoteStale = quote !== null && ageState(quote.readAt, now, FRESHNESS.market) === 'stale';
  const isStalled = health.activeEndpoints > 0 && snapshot !== null && isChainStalled(snapshot.chain, now);
  const differenceCount = reconciliation?.differences.length ?? 0;
  const inactiveCount = health.totalEndpoints - health.activeEndpoints;
  const missing = shortcomings([
    [storeProblem !== null, 'app.db', storeProblem === null ? '' : problemText(storeProblem)],
    [!isIndexReadable, 'index', 'the index cannot be read; the log has the reason'],
    [snapshot === null, 'snapshot', 'no account has been read from the chain yet'],
    [
      isStale,
      'snapshot',
      `the accounts were last read more than ${minutesWithUnit(FRESHNESS.chain.limitMs)} ago`,
    ],
    [snapshot?.chain.vaultProblem != null, 'vault', snapshot?.chain.vaultProblem ?? ''],
    [
      snapshot !== null && stakes === null,
      'stakes',
      snapshot?.chain.stakesProblem
        ? `the stake entries cannot be read: ${snapshot.chain.stakesProblem}`
        : 'the stake entries have not been read yet',
    ],
    [!index.isHistoryCaughtUp, 'history', 'the history has not been read to its end yet'],
    [
      isHistoryBehind(index),
      'history',
      `the history was last read to its end more than ${minutesWithUnit(MAX_HISTORY_LAG_MS)} before the accounts; the log has the reason`,
    ],
    [differenceCount > 0, 'reconciliation', 'accounts and history differed when last compared'],
  ]);
  const slotLags = health.activeEndpoints > 0 ? excessiveSlotLags(index) : [];
  const clockDifferenceMs = snapshot?.chain.clockDifference ?? null;
  const unreadCount = snapshot?.chain.unreadEntries ?? 0;
  const warnings = shortcomings([
    [spaceProblem !== null, 'disk', spaceProblem === null ? '' : SPACE_PROBLEM_TEXTS[spaceProblem]],
    [
      copyProblem !== null,
      'backups',
      'a backup could not be copied elsewhere and will be retried; the log has the reason',
    ],
    [unreadCount > 0, 'stakes', `${unreadCount} stake entries cannot be read, so they do not count`],
    [isClockOff(clockDifferenceMs), 'clock', clockText(clockDifferenceMs ?? 0)],
    [isStalled, 'chain', 'endpoints answer, but the newest slot that was read is old'],
    [reconciliation === null, 'reconciliation', 'accounts and history have not been compared yet'],
    [
      reconciliation !== null && isReconciliationOverdue(reconciliation, now),
      'reconciliation',
      `accounts and history have not been compared for more than ${minutesWithUnit(RECONCILIATION_FRESHNESS.limitMs)}; the log has the reason`,
    ],
    [quote === null, 'market', 'no price has been read yet'],
    [
      isQuoteStale,
      'market',
      `the price was last read more than ${minutesWithUnit(FRESHNESS.market.limitMs)} ago`,
    ],
    [inactiveCount > 0, 'endpoints', `${inactiveCount} of ${health.totalEndpoints} do not answer`],
    [
      slotLags.length > 0,
      'endpoints',
      `${slotLags.length} of ${health.totalEndpoints} are behind, by up to ${Math.max(...slotLags)} slots`,
    ],
    [
      index.isHistoryCaughtUp && !index.hasCompleteHistory,
      'history',
      'no endpoint proves where the history begins, so older transactions may be missing; add one with full history to SOLANA_RPC_URLS',
    ],
    [index.quarantinedCount > 0, 'quarantine', `${index.quarantinedCount} transactions could not be read`],
    [index.alarms.length > 0, 'alarms', 'a watched account changed in something other than its balance'],
  ]);
  return { ready: missing.length === 0, missing, warnings };
}

/** @param differenceMs this host's time minus the chain's, in ms */
function clockText(differenceMs: number): string {
  const seconds = Math.round(Math.abs(differenceMs) / 1_000);
  return differenceMs > 0
    ? `the chain's time is ${seconds} s behind this host's clock: the clock is fast, the endpoints are behind, or the chain has stopped`
    : `this host's clock is ${seconds} s behind the chain's time`;
}
