import { z } from 'zod';
import { decimals, twoPlaces } from './arithmetic.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, toldBy, withoutSlot } from './checks.ts';
import {
  stakedTimeline,
  stakersTimeline,
  standsBetween,
  standsSince,
  type Timeline,
  vaultTimeline,
} from './timeline.ts';

const GROWTH_HOURS = [6, 12, 18, 24] as const;
const HOUR_SECONDS = 3_600;
/** Seconds by which the portal's own clock may lie before or after the moment it tells. */
const CLOCK_BEFORE = 10;
const CLOCK_AFTER = 2;
/** Seconds by which a point may show what moved later or earlier than it did: the portal goes by when it saw it. */
const SEEN_LATER = 120;
const SEEN_EARLIER = 10;
/** Seconds for which a point may still become another: what the chain told last is about as old. */
const SETTLED = 300;
/** Slots that a chart may be behind: a minute. */
const SLOTS_BEHIND = 150;
/** Seconds of the intervals that points stand for. */
const MINUTE = 60;
const DAY = 24 * HOUR_SECONDS;

const METRICS = '/api/vault/metrics';
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

function growthCheck(hours: number): Check {
  const row = (percent: string | null) => [percent ?? 'not covered by history'];
  return {
    figure: `vault growth in ${hours} hours`,
    ...toldBy(METRICS, growth, (body) => {
      const told = body.growth.find((window) => window.hours === hours);
      // Without its history the portal knows none of them; with it, none where history begins later.
      return !told || (told.percent === null && body.movements24h === null) ? null : row(told.percent);
    }),
    expected: (chain, api) => {
      const told = partOf(api.answer(METRICS), growth);
      if (told === undefined) return [];
      const then = Date.parse(told.asOf) / 1_000 - hours * HOUR_SECONDS;
      const vault = vaultTimeline(chain);
      return standsBetween(vault, then - CLOCK_BEFORE, then + CLOCK_AFTER).map((earlier) =>
        row(earlier === null || earlier === 0n ? null : twoPlaces((vault.now - earlier) * 100n, earlier)),
      );
    },
  };
}

const SERIES = [
  { series: 'vault', timeline: vaultTimeline, isAmount: true },
  { series: 'staked', timeline: stakedTimeline, isAmount: true },
  { series: 'stakers', timeline: stakersTimeline, isAmount: false },
] as const;
const RANGES = ['24h', '7d', '30d', 'all'] as const;

const seconds = (at: string) => Date.parse(at) / 1_000;

/** Points whose time was over a while before the chart was read, each with the next one's begin (Unix seconds). */
function settledPoints({ asOf, points }: Chart): readonly (Point & { readonly until: number })[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    const isSettled = next !== undefined && seconds(next.at) <= seconds(asOf) - SETTLED;
    return isSettled ? [{ ...point, until: seconds(next.at) }] : [];
  });
}

const pointRow = ({ at, value }: Point) => `${at} ${value}`;

/**
 * The point as it is to be told. It holds what stood when its interval ended: a minute, an hour or a day, which begins at
 * a round one and ends before the next point at the latest. Where the portal did not run at that end, it holds what was
 * seen last before.
 */
function chainPoint(
  timeline: Timeline,
  text: (value: bigint) => string,
  point: Point & { readonly until: number },
): Point {
  const at = seconds(point.at);
  const lengths = [MINUTE, HOUR_SECONDS, DAY].filter(
    (length) => at % length === 0 && at + length <= point.until,
  );
  const end = at + Math.max(...lengths, 0);
  const { opening } = timeline;
  const stood = (from: number, to: number) =>
    standsBetween(timeline, from, to).map((value) => value ?? opening);
  const seen = stood(at - SEEN_LATER, end + SEEN_EARLIER);
  const isPlausible = seen.some((value) => value === null || text(value) === point.value);
  const [last] = stood(end - 1, end - 1);
  return isPlausible || last == null ? point : { ...point, value: text(last) };
}

function chartChecks(): readonly Check[] {
  return SERIES.flatMap(({ series, timeline, isAmount }) =>
    RANGES.flatMap((range): readonly Check[] => {
      const path = `/api/history?series=${series}&range=${range}`;
      const text = ({ accounts }: ChainReading, value: bigint) =>
        isAmount ? decimals(value, accounts.decimals) : String(value);
      return [
        {
          figure: `chart of ${series}, ${range}: last point`,
          isOfBefore: true,
          ...withoutSlot(toldBy(path, chart, ({ points }) => [points.at(-1)?.value ?? ''])),
          expected: (chain, api) => {
            const body = partOf(api.answer(path), chart);
            const behind = chain.accounts.slot - (body?.slot ?? 0);
            // It may be newer than its slot, since it is read later: but not than what the chain tells after it.
            if (body === undefined || behind < 0 || behind > SLOTS_BEHIND) return [];
            return standsSince(timeline(chain), body.slot).map((value) => [text(chain, value)]);
          },
        },
        {
          figure: `chart of ${series}, ${range}: points before`,
          isBySlot: true,
          ...withoutSlot(toldBy(path, chart, (body) => settledPoints(body).map(pointRow))),
          expected: (chain, api) => {
            const body = partOf(api.answer(path), chart);
            if (body === undefined) return [];
            const went = timeline(chain);
            const pointOf = (point: Point & { readonly until: number }) =>
              chainPoint(went, (value) => text(chain, value), point);
            return [settledPoints(body).map(pointOf).map(pointRow)];
          },
        },
      ];
    }),
  );
}

/** Figures that are told of the past: growth and charts. */
export const CHART_CHECKS: readonly Check[] = [...GROWTH_HOURS.map(growthCheck), ...chartChecks()];
