import { z } from 'zod';
import { decimals, twoPlaces } from './arithmetic.ts';
import type { AuditedEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, toldBy } from './checks.ts';

const GROWTH_HOURS = [6, 12, 18, 24] as const;
const HOUR_SECONDS = 3_600;
/** Seconds by which the portal's own clock may lie before or after the moment it tells. */
const CLOCK_BEFORE = 10;
const CLOCK_AFTER = 2;
/** Seconds by which a point may show what moved later than it did: the portal saw it then. */
const SEEN_LATER = 120;

const METRICS = '/api/vault/metrics';
const moment = z.iso.datetime();
const growth = z.object({
  asOf: moment,
  movements24h: z.number().nullable(),
  growth: z.array(z.object({ hours: z.number(), percent: z.string().nullable() })),
});
const chart = z.object({ points: z.array(z.object({ at: moment, value: z.string() })).min(1) });
type Chart = z.infer<typeof chart>;

/** What moved one figure, newest first, and what it made of it at the accounts' slot. */
interface Account {
  readonly amount: bigint;
  readonly moves: readonly { readonly time: number; readonly change: bigint }[];
}

/** Moves up to the accounts' slot; an event without a time has that of the one before it. */
function accountOf(amount: bigint, slot: number, events: readonly AuditedEvent[]): Account {
  let time = Number.NEGATIVE_INFINITY;
  const moves = events
    .filter((event) => event.slot <= slot)
    .toReversed()
    .map(({ blockTime, change }) => {
      time = blockTime ?? time;
      return { time, change };
    });
  return { amount, moves: moves.toReversed() };
}

const vaultOf = ({ accounts, vaultEvents }: ChainReading): Account =>
  accountOf(accounts.vaultAmount, accounts.slot, vaultEvents);
const stakedOf = ({ accounts, poolEvents }: ChainReading): Account =>
  accountOf(
    accounts.totalStake,
    accounts.slot,
    poolEvents.filter(({ type }) => type === 'stake' || type === 'unstake'),
  );

/** What it stood at, at any moment between two (Unix seconds); null before its first move. */
function standsBetween({ amount, moves }: Account, from: number, to: number): readonly (bigint | null)[] {
  const within = moves.map(({ time }) => time).filter((time) => time > from && time < to);
  const first = moves.at(-1)?.time ?? Number.POSITIVE_INFINITY;
  const at = (cut: number): bigint | null =>
    cut < first
      ? null
      : moves.filter(({ time }) => time > cut).reduce((sum, { change }) => sum - change, amount);
  return [...new Set([to, from, ...within].map(at))];
}

function growthCheck(hours: number): Check {
  const row = (percent: string | null) => [percent ?? 'not covered by history'];
  return {
    figure: `vault growth in ${hours} hours`,
    told: toldBy(METRICS, growth, (body) => {
      const told = body.growth.find((window) => window.hours === hours);
      // Without its history the portal knows none of them; with it, none where history begins later.
      return !told || (told.percent === null && body.movements24h === null) ? null : row(told.percent);
    }),
    expected: (chain, api) => {
      const told = partOf(api.answer(METRICS), growth);
      if (told === undefined) return [];
      const then = Date.parse(told.asOf) / 1_000 - hours * HOUR_SECONDS;
      const vault = vaultOf(chain);
      return standsBetween(vault, then - CLOCK_BEFORE, then + CLOCK_AFTER).map((earlier) =>
        row(earlier === null || earlier === 0n ? null : twoPlaces((vault.amount - earlier) * 100n, earlier)),
      );
    },
  };
}

/** A point that stands for a time that is over, with the end of that time (Unix seconds); null where all is too young. */
function olderPoint({ points }: Chart) {
  const [, older, next] = points;
  return older && next ? { ...older, until: Date.parse(next.at) / 1_000 } : null;
}

function chartChecks(series: 'vault' | 'staked', accountOfChain: (chain: ChainReading) => Account): Check[] {
  const path = `/api/history?series=${series}&range=30d` as const;
  return [
    {
      figure: `chart of ${series}: last point`,
      told: toldBy(path, chart, ({ points }) => [points.at(-1)?.value ?? '']),
      expected: (chain) => [[decimals(accountOfChain(chain).amount, chain.accounts.decimals)]],
    },
    {
      figure: `chart of ${series}: an older point`,
      told: toldBy(path, chart, (body) => {
        const point = olderPoint(body);
        return [point ? `${point.at} ${point.value}` : 'none yet'];
      }),
      expected: (chain, api) => {
        const body = partOf(api.answer(path), chart);
        if (body === undefined) return [];
        const point = olderPoint(body);
        if (point === null) return [['none yet']];
        // What moved at the very end belongs to the next point: the chain tells whole seconds.
        const stands = standsBetween(accountOfChain(chain), point.until - SEEN_LATER, point.until - 1);
        return stands.map((stood) => [
          `${point.at} ${stood === null ? 'not told by history' : decimals(stood, chain.accounts.decimals)}`,
        ]);
      },
    },
  ];
}

/** Figures that are told of the past: growth and charts. */
export const CHART_CHECKS: readonly Check[] = [
  ...GROWTH_HOURS.map(growthCheck),
  ...chartChecks('vault', vaultOf),
  ...chartChecks('staked', stakedOf),
];
