import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  type Check,
  CLOCK_AFTER_SECONDS,
  CLOCK_BEFORE_SECONDS,
  expectedFrom,
  inBaseUnits,
  portalRows,
  quotientText,
  rowsWithoutSlot,
  SLOT_TOLERANCE,
} from './checks.ts';

/** A figure over time, in base units or as a count. */
interface Timeline {
  readonly now: bigint;
  /** Each value with the slot and time (Unix seconds) at which it began, oldest first. */
  readonly steps: readonly { readonly slot: number; readonly time: number; readonly value: bigint }[];
  /** The value before the first step; null if unknown. */
  readonly opening: bigint | null;
}

/** The events up to the accounts' slot, newest first. An event without a time gets the time of the older event next to it. */
function withTimes({ accounts }: ChainReading, events: readonly ChainEvent[]) {
  let time = Number.NEGATIVE_INFINITY;
  return events
    .filter(({ slot }) => slot <= accounts.slot)
    .toReversed()
    .map((event) => {
      time = Math.max(time, event.blockTime ?? time);
      return { ...event, time };
    })
    .toReversed();
}

/** Computes the past from the present value. @param before the value before an event, or null if unknown */
function traceBack(
  now: bigint,
  newestFirst: readonly (ChainEvent & { readonly time: number })[],
  before: (event: ChainEvent) => bigint | null,
): Timeline {
  const steps: { slot: number; time: number; value: bigint }[] = [];
  let value: bigint | null = now;
  for (const event of newestFirst) {
    steps.push({ slot: event.slot, time: event.time, value });
    value = before(event);
    if (value === null) break;
  }
  return { now, steps: steps.toReversed(), opening: value };
}

function amountTimeline(chain: ChainReading, amount: bigint, events: readonly ChainEvent[]): Timeline {
  let value = amount;
  return traceBack(amount, withTimes(chain, events), ({ change }) => {
    value -= change;
    return value;
  });
}

const isStaking = ({ type }: ChainEvent) => type === 'stake' || type === 'unstake';

const vaultTimeline = (chain: ChainReading): Timeline =>
  // A closed vault counts as zero, because only an empty account can be closed.
  amountTimeline(chain, chain.accounts.vaultAmount ?? 0n, chain.vaultEvents);

const stakedTimeline = (chain: ChainReading): Timeline =>
  amountTimeline(chain, chain.accounts.totalStake, chain.poolEvents.filter(isStaking));

/** The number of wallets with an open stake, traced back: before a stake its entry was not open, before an unstake it was. */
function stakersTimeline(chain: ChainReading): Timeline {
  const open = new Map<string, string | null>();
  const entries = new Map<string | null, number>();
  const remove = (entry: string): void => {
    const wallet = open.get(entry);
    if (wallet === undefined) return;
    const left = (entries.get(wallet) ?? 0) - 1;
    if (left > 0) entries.set(wallet, left);
    else entries.delete(wallet);
    open.delete(entry);
  };
  const add = (entry: string, wallet: string | null): void => {
    remove(entry);
    open.set(entry, wallet);
    entries.set(wallet, (entries.get(wallet) ?? 0) + 1);
  };
  for (const { address, wallet } of chain.accounts.openEntries) add(address, wallet);
  const events = withTimes(chain, chain.poolEvents.filter(isStaking));
  return traceBack(BigInt(entries.size), events, ({ type, stakeEntry, wallet }) => {
    if (stakeEntry === null) return null;
    if (type === 'stake') remove(stakeEntry);
    else add(stakeEntry, wallet);
    return BigInt(entries.size);
  });
}

/** The values since a slot, the latest first. */
function valuesSince({ now, steps, opening }: Timeline, slot: number): readonly bigint[] {
  const current = steps.findLastIndex((step) => step.slot <= slot);
  const values = [
    ...(current < 0 ? [opening] : []),
    ...steps.slice(Math.max(current, 0)).map(({ value }) => value),
  ];
  return [...new Set([now, ...values.toReversed().filter((value) => value !== null)])];
}

/** The index of the step at a time; -1 before the first. */
function stepAt({ steps }: Timeline, moment: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.time ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The values between two times (Unix seconds), the latest first. Null is the value before the first step. */
function valuesBetween(timeline: Timeline, from: number, to: number): readonly (bigint | null)[] {
  const values = new Set<bigint | null>();
  const [first, last] = [stepAt(timeline, from), stepAt(timeline, to)];
  for (let at = last; at >= first; at -= 1) {
    const [step, next] = [timeline.steps[at], timeline.steps[at + 1]];
    // Of several steps in one second, only the last counts.
    if (at < last && step && step.time === next?.time) continue;
    values.add(step?.value ?? null);
  }
  return [...values];
}

const GROWTH_HOURS = [6, 12, 18, 24] as const;
const HOUR_SECONDS = 3_600;
/** Seconds by which a point may show a movement late or early, because the portal records when it saw the movement. */
const MAX_SECONDS_LATE = 120;
const MAX_SECONDS_EARLY = 10;
/** Seconds for which a point may still change. */
const SETTLING_SECONDS = 300;
/** The possible lengths of a point's interval, in seconds. */
const INTERVAL_SECONDS = [60, HOUR_SECONDS, 24 * HOUR_SECONDS];

const moment = z.iso.datetime();
const growth = z.object({
  asOf: moment,
  movements24h: z.number().nullable(),
  growth: z.array(z.object({ hours: z.number(), percent: z.string().nullable() })),
});
const chart = z.object({
  asOf: moment,
  slot: z.number(),
  points: z.array(z.object({ at: moment, value: z.string() })).min(1),
});
type Chart = z.infer<typeof chart>;
type Point = Chart['points'][number];
/** A point with the start of the next one (Unix seconds). */
type SettledPoint = Point & { readonly until: number };

function growthCheck(hours: number): Check {
  const row = (percent: string | null) => [percent ?? 'not covered by history'];
  return {
    figure: `vault growth in ${hours} hours`,
    ...portalRows(PATHS.vaultMetrics, growth, (body) => {
      const reported = body.growth.find((window) => window.hours === hours);
      // Null is correct if the history does not cover the period. But until the portal has read its whole history, null means
      // unknown.
      return !reported || (reported.percent === null && body.movements24h === null)
        ? null
        : row(reported.percent);
    }),
    expected: expectedFrom(PATHS.vaultMetrics, growth, ({ asOf }, chain) => {
      const periodStart = seconds(asOf) - hours * HOUR_SECONDS;
      const vault = vaultTimeline(chain);
      return valuesBetween(vault, periodStart - CLOCK_BEFORE_SECONDS, periodStart + CLOCK_AFTER_SECONDS).map(
        (earlier) =>
          row(
            earlier === null || earlier === 0n ? null : quotientText((vault.now - earlier) * 100n, earlier),
          ),
      );
    }),
  };
}

const SERIES = [
  { series: 'vault', timeline: vaultTimeline, isAmount: true },
  { series: 'staked', timeline: stakedTimeline, isAmount: true },
  { series: 'stakers', timeline: stakersTimeline, isAmount: false },
] as const;
const RANGES = ['24h', '7d', '30d', 'all'] as const;

const seconds = (at: string) => Date.parse(at) / 1_000;

/** The points that no longer change. */
function settledPoints({ asOf, points }: Chart): readonly SettledPoint[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    const isSettled = next !== undefined && seconds(next.at) <= seconds(asOf) - SETTLING_SECONDS;
    return isSettled ? [{ ...point, until: seconds(next.at) }] : [];
  });
}

const pointRow = ({ at, value }: Point) => `${at} ${value}`;

/**
 * A point has the value at the end of its interval, which is a whole minute, hour or day and ends before the next point
 * begins. If the portal did not run at that time, the point has the last value that it saw before.
 */
function expectedPoint(timeline: Timeline, text: (value: bigint) => string, point: SettledPoint): Point {
  const at = seconds(point.at);
  const lengths = INTERVAL_SECONDS.filter((length) => at % length === 0 && at + length <= point.until);
  const end = at + Math.max(...lengths, 0);
  const { opening } = timeline;
  const valuesDuring = (from: number, to: number) =>
    valuesBetween(timeline, from, to).map((value) => value ?? opening);
  const seen = valuesDuring(at - MAX_SECONDS_LATE, end + MAX_SECONDS_EARLY);
  const isPlausible = seen.some((value) => value === null || text(value) === point.value);
  const [last] = valuesDuring(end - 1, end - 1);
  return isPlausible || last == null ? point : { ...point, value: text(last) };
}

function chartChecks(): readonly Check[] {
  return SERIES.flatMap(({ series, timeline, isAmount }) =>
    RANGES.flatMap((range): readonly Check[] => {
      const path = `${PATHS.history}?series=${series}&range=${range}`;
      const text = (chain: ChainReading, value: bigint) =>
        isAmount ? inBaseUnits(chain, value) : String(value);
      return [
        {
          figure: `chart of ${series}, ${range}: last point`,
          usesFirstReading: true,
          ...rowsWithoutSlot(path, chart, ({ points }) => [points.at(-1)?.value ?? '']),
          expected: expectedFrom(path, chart, ({ slot }, chain) => {
            const slotsBehind = chain.accounts.slot - slot;
            if (slotsBehind < 0 || slotsBehind > SLOT_TOLERANCE) return [];
            // The portal may have read the point after the slot that it reports.
            return valuesSince(timeline(chain), slot).map((value) => [text(chain, value)]);
          }),
        },
        {
          figure: `chart of ${series}, ${range}: points before`,
          isBySlot: true,
          ...rowsWithoutSlot(path, chart, (body) => settledPoints(body).map(pointRow)),
          expected: expectedFrom(path, chart, (body, chain) => {
            const values = timeline(chain);
            const expected = settledPoints(body).map((point) =>
              expectedPoint(values, (value) => text(chain, value), point),
            );
            return [expected.map(pointRow)];
          }),
        },
      ];
    }),
  );
}

/** Figures of the past: growth and charts. */
export const CHART_CHECKS: readonly Check[] = [...GROWTH_HOURS.map(growthCheck), ...chartChecks()];
