import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  type Check,
  decimals,
  fraction,
  partOf,
  portalRows,
  type Rows,
  twoPlaces,
  withoutSlot,
} from './checks.ts';

/** One in twenty wallets may have changed since the portal counted them, up to an hour ago. */
const ONE_IN = 20;

const counted = z.object({
  walletsHolding: z.number().nullable(),
  holdersCounted: z.object({ slot: z.number() }).nullable(),
});
const participation = z.object({
  totalStakers: z.number(),
  walletsHolding: z.number().nullable(),
  stakingParticipation: z.number().nullable(),
});

/** The number of wallets that hold BD, and the share of them that stakes. */
export const HOLDER_CHECKS: readonly Check[] = [
  {
    figure: 'wallets holding',
    // Without a slot: the portal counts it at intervals, so it lags behind the chain in between.
    ...withoutSlot(
      portalRows(PATHS.realStaking, counted, ({ walletsHolding }) =>
        walletsHolding === null ? null : [String(walletsHolding)],
      ),
    ),
    expected: ({ holders }, api) => {
      if (holders === null) return [];
      const reported = partOf(api.answer(PATHS.realStaking), counted);
      const exact = [String(holders.wallets)];
      if (!reported?.holdersCounted || reported.walletsHolding === null) return [exact];
      const apart = Math.abs(reported.walletsHolding - holders.wallets);
      const isAtAnotherSlot = reported.holdersCounted.slot !== holders.slot;
      const isPlausible = isAtAnotherSlot && apart <= Math.ceil(holders.wallets / ONE_IN);
      return isPlausible ? [[String(reported.walletsHolding)]] : [exact];
    },
  },
  {
    figure: 'staking participation, percent',
    ...portalRows(PATHS.realStaking, participation, ({ stakingParticipation, walletsHolding }) =>
      walletsHolding === null ? null : [stakingParticipation?.toFixed(2) ?? 'none'],
    ),
    expected: (_chain, api) => {
      const reported = partOf(api.answer(PATHS.realStaking), participation);
      if (reported?.walletsHolding == null) return [];
      // Stakers are holders: if there are more stakers, the two were counted at different times.
      if (reported.walletsHolding === 0 || reported.totalStakers > reported.walletsHolding) return [['none']];
      return [[twoPlaces(BigInt(reported.totalStakers) * 100n, BigInt(reported.walletsHolding))]];
    },
  },
];

/** Market supply in whole BD. */
const MARKET_BD = 990_000_000n;
/** The Streamflow allocation, 46.6M BD, in tenths of BD. */
const ALLOCATION_TENTHS = 466_000_000n;
const LAMPORT_PLACES = 9;
/** Slots by which two endpoints may differ: a minute. */
const SLOT_TOLERANCE = 150;

const one = (row: string): readonly Rows[] => [[row]];
const units = ({ accounts }: ChainReading, amount: bigint) => decimals(amount, accounts.decimals);
/** An amount that includes the vault's; no amount is right without the vault. */
function ofVault(
  chain: ChainReading,
  amount: (of: { readonly vaultAmount: bigint; readonly totalStake: bigint }) => bigint,
): readonly Rows[] {
  const { vaultAmount, totalStake } = chain.accounts;
  return vaultAmount === null ? [] : one(units(chain, amount({ vaultAmount, totalStake })));
}
const perToken = ({ accounts }: ChainReading) => 10n ** BigInt(accounts.decimals);
const wallets = ({ accounts }: ChainReading) =>
  new Set(accounts.openEntries.map(({ wallet }) => wallet)).size;

const vaultBalance = z.object({ vaultBalance: z.string(), balance: z.string() });
const stakingTotal = z.object({ balance: z.string(), stakerCount: z.number() });
const realStaking = z.object({ totalStaked: z.string(), totalStakers: z.number() });
const overview = z.object({
  totalStakers: z.number(),
  overview: z.object({
    totalDeployed: z.string(),
    reducedSupply: z.string(),
    stakingRatioPercent: z.string(),
  }),
});
const market = z.object({ priceUsd: z.string(), marketCap: z.string() });

function marketCapCheck(path: string): Check {
  return {
    figure: `market cap (${path})`,
    ...portalRows(path, market, ({ marketCap }) => [marketCap]),
    expected: (_chain, api) => {
      const price = partOf(api.answer(path), market)?.priceUsd;
      if (price === undefined) return [];
      const { numerator, denominator } = fraction(price);
      return one(twoPlaces(numerator * MARKET_BD, denominator));
    },
  };
}

/** Figures computed from the accounts at one slot, or by arithmetic alone. */
export const ACCOUNT_CHECKS: readonly Check[] = [
  {
    figure: 'vault balance',
    ...portalRows(PATHS.vaultLiveBalance, vaultBalance, (body) => [body.vaultBalance]),
    expected: (chain) => ofVault(chain, ({ vaultAmount }) => vaultAmount),
  },
  {
    figure: 'vault balance (second name)',
    ...portalRows(PATHS.vaultLiveBalance, vaultBalance, (body) => [body.balance]),
    expected: (chain) => ofVault(chain, ({ vaultAmount }) => vaultAmount),
  },
  {
    figure: 'vault balance (metrics)',
    ...portalRows(PATHS.vaultMetrics, z.object({ vaultBalance: z.string() }), (body) => [body.vaultBalance]),
    expected: (chain) => ofVault(chain, ({ vaultAmount }) => vaultAmount),
  },
  {
    figure: 'vault SOL',
    ...portalRows(PATHS.vaultLiveBalance, z.object({ solBalance: z.string() }), ({ solBalance }) => [
      solBalance,
    ]),
    expected: ({ accounts: { vaultLamports } }) =>
      vaultLamports === null ? [] : one(decimals(BigInt(vaultLamports), LAMPORT_PLACES)),
  },
  {
    figure: 'staked',
    ...portalRows(PATHS.stakingTotal, stakingTotal, ({ balance }) => [balance]),
    expected: (chain) => one(units(chain, chain.accounts.totalStake)),
  },
  {
    figure: 'stakers',
    ...portalRows(PATHS.stakingTotal, stakingTotal, ({ stakerCount }) => [String(stakerCount)]),
    expected: (chain) => one(String(wallets(chain))),
  },
  {
    figure: 'staked and stakers (analytics)',
    ...portalRows(PATHS.realStaking, realStaking, (body) => [`${body.totalStaked} by ${body.totalStakers}`]),
    expected: (chain) => one(`${units(chain, chain.accounts.totalStake)} by ${wallets(chain)}`),
  },
  {
    figure: 'total supply',
    ...portalRows(PATHS.tokenMarketData, z.object({ totalSupply: z.string() }), ({ totalSupply }) => [
      totalSupply,
    ]),
    expected: (chain) => one(units(chain, chain.accounts.supply)),
  },
  {
    figure: 'market supply',
    ...portalRows(PATHS.tokenMarketData, z.object({ marketSupply: z.string() }), (body) => [
      body.marketSupply,
    ]),
    expected: () => one(String(MARKET_BD)),
  },
  {
    figure: 'deployed',
    ...portalRows(PATHS.analyticsOverview, overview, (body) => [body.overview.totalDeployed]),
    expected: (chain) => ofVault(chain, ({ vaultAmount, totalStake }) => vaultAmount + totalStake),
  },
  {
    figure: 'reduced supply',
    ...portalRows(PATHS.analyticsOverview, overview, (body) => [body.overview.reducedSupply]),
    expected: (chain) => {
      const fixed = (MARKET_BD * 10n - ALLOCATION_TENTHS) * perToken(chain);
      return ofVault(chain, ({ vaultAmount, totalStake }) => fixed / 10n - totalStake - vaultAmount);
    },
  },
  {
    figure: 'staking ratio, percent',
    ...portalRows(PATHS.analyticsOverview, overview, (body) => [body.overview.stakingRatioPercent]),
    expected: (chain) => one(twoPlaces(chain.accounts.totalStake * 100n, MARKET_BD * perToken(chain))),
  },
  {
    figure: 'stakers (overview)',
    ...portalRows(PATHS.analyticsOverview, overview, (body) => [String(body.totalStakers)]),
    expected: (chain) => one(String(wallets(chain))),
  },
  {
    figure: 'address of the vault',
    ...portalRows(PATHS.vaultLiveBalance, z.object({ vaultAddress: z.string() }), (body) => [
      body.vaultAddress,
    ]),
    expected: ({ addresses }) => one(addresses.vault),
  },
  {
    figure: 'address of the stake pool',
    ...portalRows(PATHS.stakingTotal, z.object({ stakePool: z.string() }), (body) => [body.stakePool]),
    expected: ({ addresses }) => one(addresses.stakePool),
  },
  {
    figure: 'stake entries that could not be read',
    ...withoutSlot(
      portalRows(PATHS.networkHealth, z.object({ unreadStakeEntries: z.number() }), (body) => [
        String(body.unreadStakeEntries),
      ]),
    ),
    expected: ({ accounts }) => one(String(accounts.unreadEntries)),
  },
  marketCapCheck(PATHS.tradingMarketData),
  marketCapCheck(PATHS.tokenMarketData),
  {
    figure: 'network slot',
    // Without a slot of its own: here the slot is the figure.
    ...withoutSlot(
      portalRows(PATHS.networkHealth, z.object({ slot: z.number().nullable() }), ({ slot }) =>
        slot === null ? null : ['plausible'],
      ),
    ),
    expected: ({ slot }, api) => {
      const reported = partOf(api.answer(PATHS.networkHealth), z.object({ slot: z.number() }))?.slot ?? 0;
      const apart = Math.abs(reported - slot);
      return one(
        apart <= SLOT_TOLERANCE ? 'plausible' : `${slot}: the portal's ${reported} is ${apart} slots off`,
      );
    },
  },
];
