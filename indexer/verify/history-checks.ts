import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  type Check,
  chainRows,
  decimals,
  eventList,
  HISTORY_CALLS,
  isHistoryComplete,
  oldestSlot,
  partOf,
  portalRows,
  type Rows,
  rowsBetween,
  withoutSlot,
} from './checks.ts';
import { STAKERS, TRANSACTIONS } from './read-api.ts';
import { badge, cardName, openedBy, stakingWallets } from './stake-checks.ts';

const DAY_SECONDS = 86_400;
/** Rows in the list of transactions. */
const NEWEST = 50;
/** Seconds by which the portal's clock may be before or after the time that it reports. */
const CLOCK_BEFORE = 10;
const CLOCK_AFTER = 2;

const isoDate = (seconds: bigint) => new Date(Number(seconds) * 1_000).toISOString();
const sorted = (rows: Rows): Rows => rows.toSorted();

const moment = z.iso.datetime();
const lock = { startDate: moment, unlockDate: moment };
const transfers = z.object({
  totalStakers: z.number(),
  totalStaked: z.string(),
  stakers: z.array(
    z.object({
      amount: z.string(),
      wallet: z.string(),
      signature: z.string().nullable(),
      ...lock,
    }),
  ),
});
const enhanced = z.array(
  z.object({
    walletAddress: z.string(),
    stakedAmount: z.string(),
    tier: z.string().nullable(),
    cardTier: z.string().nullable(),
    entries: z.number(),
    stakingDuration: z.number(),
    transactionCount: z.number().nullable(),
    ...lock,
  }),
);
const movements = z.object({
  asOf: moment,
  deposits24h: z.string().nullable(),
  withdrawals24h: z.string().nullable(),
  movements24h: z.number().nullable(),
});

const enhancedRow = (body: z.infer<typeof enhanced>[number]) =>
  `${body.walletAddress} ${body.stakedAmount} in ${body.entries}, tier ${body.tier ?? 'none'}, card ${body.cardTier ?? 'none'}, from ${body.startDate} to ${body.unlockDate}`;

/** Each wallet's number of transactions with a stake or unstake, as rows. */
function countRows(counts: readonly (readonly [wallet: string, count: number | null])[]): Rows {
  return sorted(counts.map(([wallet, count]) => `${wallet} ${count ?? 'unknown'} transactions`));
}

/** Null if no transaction names the wallet. */
function stakeCount({ poolEvents }: ChainReading, wallet: string): number | null {
  const own = poolEvents.filter((event) => event.wallet === wallet && /^(un)?stake$/.test(event.type));
  return new Set(own.map(({ signature }) => signature)).size || null;
}

/** The days since each lock began, at a time (Unix seconds). */
function dayRows(chain: ChainReading, now: number): Rows {
  return sorted(
    stakingWallets(chain).map(({ wallet, newest }) => {
      const days = Math.max(0, Math.floor((now - Number(newest.startsAt)) / DAY_SECONDS));
      return `${wallet} ${days} days`;
    }),
  );
}

/** The vault's movements after a time (Unix seconds); an event without a time has the earlier event's. */
function movedSince({ accounts, vaultEvents }: ChainReading, since: number): Rows {
  let time = Number.NEGATIVE_INFINITY;
  const recent: ChainEvent[] = [];
  for (const event of vaultEvents.toReversed()) {
    time = event.blockTime ?? time;
    if (time > since && event.change !== 0n) recent.push(event);
  }
  const sum = (isIn: boolean) =>
    recent.filter(({ change }) => change > 0n === isIn).reduce((total, { change }) => total + change, 0n);
  return [
    `in ${decimals(sum(true), accounts.decimals)}, out ${decimals(-sum(false), accounts.decimals)}, movements ${recent.length}`,
  ];
}

/** Figures that depend on the history. */
export const HISTORY_CHECKS: readonly Check[] = [
  {
    figure: 'staking transfers: totals',
    ...portalRows(PATHS.stakingTransfers, transfers, (body) => [
      `${body.totalStaked} by ${body.totalStakers}`,
    ]),
    expected: (chain) => {
      const staking = stakingWallets(chain);
      const total = staking.reduce((sum, { staked }) => sum + staked, 0n);
      return [[`${decimals(total, chain.accounts.decimals)} by ${staking.length}`]];
    },
  },
  {
    figure: 'staking transfers: amount, start, unlock',
    ...portalRows(PATHS.stakingTransfers, transfers, ({ stakers }) =>
      sorted(stakers.map((row) => `${row.wallet} ${row.amount}, from ${row.startDate} to ${row.unlockDate}`)),
    ),
    expected: (chain) => [
      sorted(
        stakingWallets(chain).map(
          ({ wallet, staked, newest, unlocksAt }) =>
            `${wallet} ${decimals(staked, chain.accounts.decimals)}, from ${isoDate(newest.startsAt)} to ${isoDate(unlocksAt)}`,
        ),
      ),
    ],
  },
  {
    figure: 'staking transfers: signatures',
    ...portalRows(PATHS.stakingTransfers, transfers, ({ stakers }, _slot, api) =>
      stakers.some(({ signature }) => signature === null) && !isHistoryComplete(api)
        ? null
        : sorted(stakers.map(({ wallet, signature }) => `${wallet} ${signature ?? 'no transaction'}`)),
    ),
    calls: [PATHS.stakingTransfers, ...HISTORY_CALLS],
    expected: (chain) => [
      sorted(
        stakingWallets(chain).map(
          ({ wallet, newest }) => `${wallet} ${openedBy(chain, newest.address) ?? 'no transaction'}`,
        ),
      ),
    ],
  },
  {
    figure: 'stakers: amount, entries, tier, card, start, unlock',
    ...portalRows(STAKERS, enhanced, (body) => sorted(body.map(enhancedRow))),
    expected: (chain) => [
      sorted(
        stakingWallets(chain).map(({ wallet, staked, newest, unlocksAt, entries }) => {
          const { decimals: places } = chain.accounts;
          const dates = `from ${isoDate(newest.startsAt)} to ${isoDate(unlocksAt)}`;
          const names = `tier ${badge(staked, places) ?? 'none'}, card ${cardName(staked, places) ?? 'none'}`;
          return `${wallet} ${decimals(staked, places)} in ${entries}, ${names}, ${dates}`;
        }),
      ),
    ],
  },
  {
    figure: 'stakers: days since the lock began',
    ...portalRows(STAKERS, enhanced, (body) =>
      sorted(body.map(({ walletAddress, stakingDuration }) => `${walletAddress} ${stakingDuration} days`)),
    ),
    expected: (chain) => {
      const now = Date.now() / 1_000;
      return [dayRows(chain, now - CLOCK_BEFORE), dayRows(chain, now + CLOCK_AFTER)];
    },
  },
  {
    figure: 'stakers: transactions',
    ...portalRows(STAKERS, enhanced, (body, _slot, api) =>
      body.some(({ transactionCount }) => transactionCount === null) && !isHistoryComplete(api)
        ? null
        : countRows(body.map(({ walletAddress, transactionCount }) => [walletAddress, transactionCount])),
    ),
    calls: [STAKERS, ...HISTORY_CALLS],
    expected: (chain) => [
      countRows(stakingWallets(chain).map(({ wallet }) => [wallet, stakeCount(chain, wallet)])),
    ],
  },
  {
    figure: `newest ${NEWEST} transactions`,
    isBySlot: true,
    ...withoutSlot(
      portalRows(TRANSACTIONS, eventList, (list, chainSlot) =>
        rowsBetween(list, oldestSlot(list, list.length === NEWEST), chainSlot),
      ),
    ),
    expected: (chain, api) => {
      const list = partOf(api.answer(TRANSACTIONS), eventList);
      if (list === undefined) return [];
      return [rowsBetween(chainRows(chain), oldestSlot(list, list.length === NEWEST), chain.accounts.slot)];
    },
  },
  {
    figure: 'vault movements in 24 hours',
    ...portalRows(PATHS.vaultMetrics, movements, ({ deposits24h, withdrawals24h, movements24h }) =>
      deposits24h === null || withdrawals24h === null || movements24h === null
        ? null
        : [`in ${deposits24h}, out ${withdrawals24h}, movements ${movements24h}`],
    ),
    expected: (chain, api) => {
      const reported = partOf(api.answer(PATHS.vaultMetrics), z.object({ asOf: moment }));
      if (reported === undefined) return [];
      const since = Date.parse(reported.asOf) / 1_000 - DAY_SECONDS;
      return [movedSince(chain, since - CLOCK_BEFORE), movedSince(chain, since + CLOCK_AFTER)];
    },
  },
];
