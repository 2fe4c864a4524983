import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  bdAmountText,
  type Check,
  CLOCK_AFTER_SECONDS,
  CLOCK_BEFORE_SECONDS,
  expectedFrom,
  portalSource,
  quotientText,
  SLOT_TOLERANCE,
  sourceWithoutSlot,
} from './checks.ts';

/** A figure over time, in base units or as a count. */
interface Timeline {
  readonly now: bigint;
  /** Each value with the slot and time (Unix seconds) from which it applies, oldest first. */
  readonly steps: readonly { readonly slot: number; readonly time: number; readonly value: bigint }[];
  /** The value before the first step; null if unknown. */
  readonly openingValue: bigint | null;
}

/**
 * The events up to the accounts' slot, newest first. From older to newer events, times never decrease: an event without a
 * time, or with an earlier time than an older event, gets the latest time of the older events.
 */
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

/**
 * Computes earlier values from the current value.
 * @param valueBefore returns the value before an event; null if unknown. Called once for each event, newest first
 */
function traceBack(
  now: bigint,
  newestFirst: readonly (ChainEvent & { readonly time: number })[],
  valueBefore: (event: ChainEvent) => bigint | null,
): Timeline {
  const steps: { slot: number; time: number; value: bigint }[] = [];
  let value: bigint | null = now;
  for (const event of newestFirst) {
    steps.push({ slot: event.slot, time: event.time, value });
    value = valueBefore(event);
    if (value === null) break;
  }
  return { now, steps: steps.toReversed(), openingValue: value };
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

/**
 * The number of wallets with an open stake, computed backwards from the open entries: undoing a stake removes the entry that
 * the stake opened, and undoing an unstake restores the entry that the unstake closed.
 */
function stakersTimeline(chain: ChainReading): Timeline {
  const walletByOpenEntry = new Map<string, string | null>();
  const entryCountByWallet = new Map<string | null, number>();
  const remove = (entry: string): void => {
    const wallet = walletByOpenEntry.get(entry);
    if (wallet === undefined) return;
    const left = (entryCountByWallet.get(wallet) ?? 0) - 1;
    if (left > 0) entryCountByWallet.set(wallet, left);
    else entryCountByWallet.delete(wallet);
    walletByOpenEntry.delete(entry);
  };
  const add = (entry: string, wallet: string | null): void => {
    remove(entry);
    walletByOpenEntry.set(entry, wallet);
    entryCountByWallet.set(wallet, (entryCountByWallet.get(wallet) ?? 0) + 1);
  };
  for (const { address, wallet } of chain.accounts.openEntries) add(address, wallet);
  const events = withTimes(chain, chain.poolEvents.filter(isStaking));
  return traceBack(BigInt(entryCountByWallet.size), events, ({ type, stakeEntry, wallet }) => {
    if (stakeEntry === null) return null;
    if (type === 'stake') remove(stakeEntry);
    else add(stakeEntry, wallet);
    return BigInt(entryCountByWallet.size);
  });
}

/** The value at a slot and all later values, latest first. */
function valuesSince({ now, steps, openingValue }: Timeline, slot: number): readonly bigint[] {
  const currentIndex = steps.findLastIndex((step) => step.slot <= slot);
  const values = [
    ...(currentIndex < 0 ? [openingValue] : []),
    ...steps.slice(Math.max(currentIndex, 0)).map(({ value }) => value),
  ];
  return [...new Set([now, ...values.toReversed().filter((value) => value !== null)])];
}

/** The index of the last step at or before a time; -1 if the first step is later. */
function stepIndexAt({ steps }: Timeline, unixSeconds: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.time ?? 0) <= unixSeconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The values between two times (Unix seconds), latest first. Null stands for the value before the first step. */
function valuesBetween(timeline: Timeline, from: number, to: number): readonly (bigint | null)[] {
  const values = new Set<bigint | null>();
  const [firstIndex, lastIndex] = [stepIndexAt(timeline, from), stepIndexAt(timeline, to)];
  for (let index = lastIndex; index >= firstIndex; index -= 1) {
    const [step, next] = [timeline.steps[index], timeline.steps[index + 1]];
    // Of several steps in one second, only the last counts.
    if (index < lastIndex && step && step.time === next?.time) continue;
    values.add(step?.value ?? null);
  }
  return [...values];
}

const GROWTH_HOURS = [6, 12, 18, 24] as const;
const HOUR_SECONDS = 3_600;
/**
 * The number of seconds by which a point may show a movement too late or too early. The portal records when it saw the
 * movement. That is usually after the block's time, but a block's time can also be a few seconds ahead.
 */
const MAX_SECONDS_LATE = 120;
const MAX_SECONDS_EARLY = 10;
/** A point can still change until the next point is this many seconds old. */
const SETTLING_SECONDS = 300;
/** The possible lengths of a point's interval, in seconds. */
const INTERVAL_SECONDS = [60, HOUR_SECONDS, 24 * HOUR_SECONDS];

const isoTimeSchema = z.iso.datetime();
const growthSchema = z.object({
  asOf: isoTimeSchema,
  movements24h: z.number().nullable(),
  growth: z.array(z.object({ hours: z.number(), percent: z.string().nullable() })),
});
const chartSchema = z.object({
  asOf: isoTimeSchema,
  slot: z.number(),
  points: z.array(z.object({ at: isoTimeSchema, value: z.string() })).min(1),
});
type Chart = z.infer<typeof chartSchema>;
type Point = Chart['points'][number];
/** A point and the time at which the next one begins (Unix seconds). */
type SettledPoint = Point & { readonly until: number };

function growthCheck(hours: number): Check {
  const row = (percent: string | null) => [percent ?? 'not covered by history'];
  return {
    figure: `vault growth in ${hours} hours`,
    ...portalSource(PATHS.vaultMetrics, growthSchema, (body) => {
      const reported = body.growth.find((window) => window.hours === hours);
      // While the portal is still reading the history, `movements24h` is null and the growth is unknown. After that, `percent`
      // is null if the history does not cover the period.
      return !reported || (reported.percent === null && body.movements24h === null)
        ? null
        : row(reported.percent);
    }),
    expected: expectedFrom(PATHS.vaultMetrics, growthSchema, ({ asOf }, chain) => {
      const periodStart = toUnixSeconds(asOf) - hours * HOUR_SECONDS;
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

const toUnixSeconds = (at: string) => Date.parse(at) / 1_000;

function settledPoints({ asOf, points }: Chart): readonly SettledPoint[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    const isSettled = next !== undefined && toUnixSeconds(next.at) <= toUnixSeconds(asOf) - SETTLING_SECONDS;
    return isSettled ? [{ ...point, until: toUnixSeconds(next.at) }] : [];
  });
}

const pointRow = ({ at, value }: Point) => `${at} ${value}`;

/**
 * Returns the point itself if its value is plausible, otherwise the point with the correct value. A point shows the
 * value at the end of its interval: the longest minute, hour or day that begins at the point and ends by the next
 * point. If the portal was not running then, the point shows the last value that the portal saw in the interval.
 */
function expectedPoint(timeline: Timeline, text: (value: bigint) => string, point: SettledPoint): Point {
  const startSeconds = toUnixSeconds(point.at);
  const lengths = INTERVAL_SECONDS.filter(
    (length) => startSeconds % length === 0 && startSeconds + length <= point.until,
  );
  const endSeconds = startSeconds + Math.max(...lengths, 0);
  const { openingValue } = timeline;
  const valuesDuring = (from: number, to: number) =>
    valuesBetween(timeline, from, to).map((value) => value ?? openingValue);
  const seen = valuesDuring(startSeconds - MAX_SECONDS_LATE, endSeconds + MAX_SECONDS_EARLY);
  const isPlausible = seen.some((value) => value === null || text(value) === point.value);
  const [last] = valuesDuring(endSeconds - 1, endSeconds - 1);
  return isPlausible || last == null ? point : { ...point, value: text(last) };
}

function chartChecks(): readonly Check[] {
  return SERIES.flatMap(({ series, timeline, isAmount }) =>
    RANGES.flatMap((range): readonly Check[] => {
      const path = `${PATHS.history}?series=${series}&range=${range}`;
      const text = (chain: ChainReading, value: bigint) =>
        isAmount ? bdAmountText(chain, value) : String(value);
      return [
        {
          figure: `chart of ${series}, ${range}: last point`,
          usesFirstReading: true,
          ...sourceWithoutSlot(path, chartSchema, ({ points }) => [points.at(-1)?.value ?? '']),
          expected: expectedFrom(path, chartSchema, ({ slot }, chain) => {
            const slotsBehind = chain.accounts.slot - slot;
            if (slotsBehind < 0 || slotsBehind > SLOT_TOLERANCE) return [];
            // The value may be from a later slot than the reported one, so later values are also correct.
            return valuesSince(timeline(chain), slot).map((value) => [text(chain, value)]);
          }),
        },
        {
          figure: `chart of ${series}, ${range}: earlier points`,
          hasFinalRows: true,
          ...sourceWithoutSlot(path, chartSchema, (body) => settledPoints(body).map(pointRow)),
          expected: expectedFrom(path, chartSchema, (body, chain) => {
            const expectedTimeline = timeline(chain);
            const expected = settledPoints(body).map((point) =>
              expectedPoint(expectedTimeline, (value) => text(chain, value), point),
            );
            return [expected.map(pointRow)];
          }),
        },
      ];
    }),
  );
}

export const CHART_CHECKS: readonly Check[] = [...GROWTH_HOURS.map(growthCheck), ...chartChecks()];
