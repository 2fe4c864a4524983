import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  bdAmountText,
  type Check,
  CLOCK_AFTER_SECONDS,
  CLOCK_BEFORE_SECONDS,
  chainRows,
  decimalText,
  eventList,
  expectedFrom,
  historySource,
  incompleteUpToSlot,
  isoDate,
  oneRow,
  portalSource,
  type Rows,
  rowsBetween,
  sourceWithoutSlot,
} from './checks.ts';
import { STAKERS_PATH, TRANSACTIONS_PATH } from './read-api.ts';
import { badgeName, cardName, openingSignature, stakingWallets } from './stake-checks.ts';

const DAY_SECONDS = 86_400;
const MAX_LISTED_TRANSACTIONS = 50;
const sortRows = (rows: Rows): Rows => rows.toSorted();

const isoTimeSchema = z.iso.datetime();
const lock = { startDate: isoTimeSchema, unlockDate: isoTimeSchema };
const transfers = z.object({
  totalStakers: z.number(),
  totalStaked: z.string(),
  stakers: z.array(
    z.object({ amount: z.string(), wallet: z.string(), signature: z.string().nullable(), ...lock }),
  ),
});
const enhancedStakers = z.array(
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
  asOf: isoTimeSchema,
  deposits24h: z.string().nullable(),
  withdrawals24h: z.string().nullable(),
  movements24h: z.number().nullable(),
});

const enhancedRow = (body: z.infer<typeof enhancedStakers>[number]) =>
  `${body.walletAddress} ${body.stakedAmount} in ${body.entries}, tier ${body.tier ?? 'none'}, card ${body.cardTier ?? 'none'}, from ${body.startDate} to ${body.unlockDate}`;

function transactionCountRows(counts: readonly (readonly [wallet: string, count: number | null])[]): Rows {
  return sortRows(counts.map(([wallet, count]) => `${wallet} ${count ?? 'unknown'} transactions`));
}

/** The number of a wallet's transactions that contain stakes or unstakes; null if there are none. */
function countStakeTransactions({ poolEvents }: ChainReading, wallet: string): number | null {
  const events = poolEvents.filter((event) => event.wallet === wallet && /^(un)?stake$/.test(event.type));
  return new Set(events.map(({ signature }) => signature)).size || null;
}

/** @param now Unix seconds */
function dayRows(chain: ChainReading, now: number): Rows {
  return sortRows(
    stakingWallets(chain).map(({ wallet, newest }) => {
      const days = Math.max(0, Math.floor((now - Number(newest.startsAt)) / DAY_SECONDS));
      return `${wallet} ${days} days`;
    }),
  );
}

/** Sums up the vault's movements after a time (Unix seconds). An event without a time gets the previous event's time. */
function movementRowsSince({ accounts, vaultEvents }: ChainReading, since: number): Rows {
  let time = Number.NEGATIVE_INFINITY;
  const recent: ChainEvent[] = [];
  for (const event of vaultEvents.toReversed()) {
    time = event.blockTime ?? time;
    if (time > since && event.change !== 0n) recent.push(event);
  }
  const sum = (isDeposit: boolean) =>
    recent
      .filter(({ change }) => change > 0n === isDeposit)
      .reduce((total, { change }) => total + change, 0n);
  const [deposits, withdrawals] = [sum(true), -sum(false)].map((units) =>
    decimalText(units, accounts.decimals),
  );
  return [`in ${deposits}, out ${withdrawals}, movements ${recent.length}`];
}

export const HISTORY_CHECKS: readonly Check[] = [
  {
    figure: 'staking transfers: totals',
    ...portalSource(PATHS.stakingTransfers, transfers, (body) => [
      `${body.totalStaked} by ${body.totalStakers}`,
    ]),
    expected: (chain) => {
      const stakers = stakingWallets(chain);
      const total = stakers.reduce((sum, { staked }) => sum + staked, 0n);
      return oneRow(`${bdAmountText(chain, total)} by ${stakers.length}`);
    },
  },
  {
    figure: 'staking transfers: amount, start, unlock',
    ...portalSource(PATHS.stakingTransfers, transfers, ({ stakers }) =>
      sortRows(
        stakers.map((row) => `${row.wallet} ${row.amount}, from ${row.startDate} to ${row.unlockDate}`),
      ),
    ),
    expected: (chain) => [
      sortRows(
        stakingWallets(chain).map(
          ({ wallet, staked, newest, unlocksAt }) =>
            `${wallet} ${bdAmountText(chain, staked)}, from ${isoDate(newest.startsAt)} to ${isoDate(unlocksAt)}`,
        ),
      ),
    ],
  },
  {
    figure: 'staking transfers: signatures',
    ...historySource(
      PATHS.stakingTransfers,
      transfers,
      ({ stakers }) => stakers.some(({ signature }) => signature === null),
      ({ stakers }) => sortRows(stakers.map((row) => `${row.wallet} ${row.signature ?? 'no transaction'}`)),
    ),
    expected: (chain) => [
      sortRows(
        stakingWallets(chain).map(
          ({ wallet, newest }) => `${wallet} ${openingSignature(chain, newest.address) ?? 'no transaction'}`,
        ),
      ),
    ],
  },
  {
    figure: 'stakers: amount, entries, tier, card, start, unlock',
    ...portalSource(STAKERS_PATH, enhancedStakers, (body) => sortRows(body.map(enhancedRow))),
    expected: (chain) => [
      sortRows(
        stakingWallets(chain).map(({ wallet, staked, newest, unlocksAt, entryCount }) => {
          const { decimals } = chain.accounts;
          const dates = `from ${isoDate(newest.startsAt)} to ${isoDate(unlocksAt)}`;
          const names = `tier ${badgeName(staked, decimals) ?? 'none'}, card ${cardName(staked, decimals) ?? 'none'}`;
          return `${wallet} ${decimalText(staked, decimals)} in ${entryCount}, ${names}, ${dates}`;
        }),
      ),
    ],
  },
  {
    figure: 'stakers: days since the lock began',
    ...portalSource(STAKERS_PATH, enhancedStakers, (body) =>
      sortRows(body.map(({ walletAddress, stakingDuration }) => `${walletAddress} ${stakingDuration} days`)),
    ),
    expected: (chain) => {
      const now = Date.now() / 1_000;
      return [dayRows(chain, now - CLOCK_BEFORE_SECONDS), dayRows(chain, now + CLOCK_AFTER_SECONDS)];
    },
  },
  {
    figure: 'stakers: transactions',
    ...historySource(
      STAKERS_PATH,
      enhancedStakers,
      (body) => body.some(({ transactionCount }) => transactionCount === null),
      (body) => transactionCountRows(body.map((row) => [row.walletAddress, row.transactionCount])),
    ),
    expected: (chain) => [
      transactionCountRows(
        stakingWallets(chain).map(({ wallet }) => [wallet, countStakeTransactions(chain, wallet)]),
      ),
    ],
  },
  {
    figure: `newest ${MAX_LISTED_TRANSACTIONS} transactions`,
    hasFinalRows: true,
    ...sourceWithoutSlot(TRANSACTIONS_PATH, eventList, (list, chainSlot) =>
      rowsBetween(list, incompleteUpToSlot(list, list.length === MAX_LISTED_TRANSACTIONS), chainSlot),
    ),
    expected: expectedFrom(TRANSACTIONS_PATH, eventList, (list, chain) => [
      rowsBetween(
        chainRows(chain),
        incompleteUpToSlot(list, list.length === MAX_LISTED_TRANSACTIONS),
        chain.accounts.slot,
      ),
    ]),
  },
  {
    figure: 'vault movements in 24 hours',
    ...portalSource(PATHS.vaultMetrics, movements, ({ deposits24h, withdrawals24h, movements24h }) =>
      deposits24h === null || withdrawals24h === null || movements24h === null
        ? null
        : [`in ${deposits24h}, out ${withdrawals24h}, movements ${movements24h}`],
    ),
    expected: expectedFrom(PATHS.vaultMetrics, z.object({ asOf: isoTimeSchema }), ({ asOf }, chain) => {
      const since = Date.parse(asOf) / 1_000 - DAY_SECONDS;
      return [
        movementRowsSince(chain, since - CLOCK_BEFORE_SECONDS),
        movementRowsSince(chain, since + CLOCK_AFTER_SECONDS),
      ];
    }),
  },
];
