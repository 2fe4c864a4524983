import { z } from 'zod';
import { decimals, fraction, twoPlaces } from './arithmetic.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, type Rows, toldBy, withoutSlot } from './checks.ts';

/** Whole BD on the market. */
const MARKET_BD = 990_000_000n;
/** Tenths of whole BD of the Streamflow allocation, 46.6M. */
const ALLOCATION_TENTHS = 466_000_000n;
const LAMPORT_PLACES = 9;
/** Slots that two endpoints may be apart: a minute. */
const SLOT_TOLERANCE = 150;

const one = (row: string): readonly Rows[] => [[row]];
const units = ({ accounts }: ChainReading, amount: bigint) => decimals(amount, accounts.decimals);
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

const LIVE_BALANCE = '/api/vault/live-balance';
const OVERVIEW = '/api/analytics/overview';
const HEALTH = '/api/network/health';

function marketCapCheck(path: string): Check {
  return {
    figure: `market cap (${path})`,
    ...toldBy(path, market, ({ marketCap }) => [marketCap]),
    expected: (_chain, api) => {
      const price = partOf(api.answer(path), market)?.priceUsd;
      if (price === undefined) return [];
      const { numerator, denominator } = fraction(price);
      return one(twoPlaces(numerator * MARKET_BD, denominator));
    },
  };
}

/** Figures that are told by the accounts at one slot, or by plain arithmetic. */
export const ACCOUNT_CHECKS: readonly Check[] = [
  {
    figure: 'vault balance',
    ...toldBy(LIVE_BALANCE, vaultBalance, (body) => [body.vaultBalance]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount)),
  },
  {
    figure: 'vault balance (second name)',
    ...toldBy(LIVE_BALANCE, vaultBalance, (body) => [body.balance]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount)),
  },
  {
    figure: 'vault balance (metrics)',
    ...toldBy('/api/vault/metrics', z.object({ vaultBalance: z.string() }), (body) => [body.vaultBalance]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount)),
  },
  {
    figure: 'vault SOL',
    ...toldBy(LIVE_BALANCE, z.object({ solBalance: z.string() }), ({ solBalance }) => [solBalance]),
    expected: ({ accounts }) => one(decimals(BigInt(accounts.vaultLamports), LAMPORT_PLACES)),
  },
  {
    figure: 'staked',
    ...toldBy('/api/staking/total', stakingTotal, ({ balance }) => [balance]),
    expected: (chain) => one(units(chain, chain.accounts.totalStake)),
  },
  {
    figure: 'stakers',
    ...toldBy('/api/staking/total', stakingTotal, ({ stakerCount }) => [String(stakerCount)]),
    expected: (chain) => one(String(wallets(chain))),
  },
  {
    figure: 'staked and stakers (analytics)',
    ...toldBy('/api/analytics/real-staking', realStaking, (body) => [
      `${body.totalStaked} by ${body.totalStakers}`,
    ]),
    expected: (chain) => one(`${units(chain, chain.accounts.totalStake)} by ${wallets(chain)}`),
  },
  {
    figure: 'total supply',
    ...toldBy('/api/token/market-data', z.object({ totalSupply: z.string() }), ({ totalSupply }) => [
      totalSupply,
    ]),
    expected: (chain) => one(units(chain, chain.accounts.supply)),
  },
  {
    figure: 'market supply',
    ...toldBy('/api/token/market-data', z.object({ marketSupply: z.string() }), (body) => [
      body.marketSupply,
    ]),
    expected: () => one(String(MARKET_BD)),
  },
  {
    figure: 'deployed',
    ...toldBy(OVERVIEW, overview, (body) => [body.overview.totalDeployed]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount + chain.accounts.totalStake)),
  },
  {
    figure: 'reduced supply',
    ...toldBy(OVERVIEW, overview, (body) => [body.overview.reducedSupply]),
    expected: (chain) => {
      const { vaultAmount, totalStake } = chain.accounts;
      const fixed = (MARKET_BD * 10n - ALLOCATION_TENTHS) * perToken(chain);
      return one(units(chain, fixed / 10n - totalStake - vaultAmount));
    },
  },
  {
    figure: 'staking ratio, percent',
    ...toldBy(OVERVIEW, overview, (body) => [body.overview.stakingRatioPercent]),
    expected: (chain) => one(twoPlaces(chain.accounts.totalStake * 100n, MARKET_BD * perToken(chain))),
  },
  {
    figure: 'stakers (overview)',
    ...toldBy(OVERVIEW, overview, (body) => [String(body.totalStakers)]),
    expected: (chain) => one(String(wallets(chain))),
  },
  {
    figure: 'address of the vault',
    ...toldBy(LIVE_BALANCE, z.object({ vaultAddress: z.string() }), (body) => [body.vaultAddress]),
    expected: ({ addresses }) => one(addresses.vault),
  },
  {
    figure: 'address of the stake pool',
    ...toldBy('/api/staking/total', z.object({ stakePool: z.string() }), (body) => [body.stakePool]),
    expected: ({ addresses }) => one(addresses.stakePool),
  },
  marketCapCheck('/api/trading/market-data'),
  marketCapCheck('/api/token/market-data'),
  {
    figure: 'network slot',
    // Told without its own slot: it is the one that is judged.
    ...withoutSlot(
      toldBy(HEALTH, z.object({ slot: z.number().nullable() }), ({ slot }) =>
        slot === null ? null : ['plausible'],
      ),
    ),
    expected: ({ slot }, api) => {
      const told = partOf(api.answer(HEALTH), z.object({ slot: z.number() }))?.slot ?? 0;
      const apart = Math.abs(told - slot);
      return one(
        apart <= SLOT_TOLERANCE ? 'plausible' : `${slot}: the portal's ${told} is ${apart} slots off`,
      );
    },
  },
];
