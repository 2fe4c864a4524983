import { z } from 'zod';
import { decimals, fraction, twoPlaces } from './arithmetic.ts';
import { STREAMFLOW } from './chain-accounts.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, type Rows, toldBy } from './checks.ts';

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
const openTotal = ({ accounts }: ChainReading) =>
  accounts.openEntries.reduce((sum, { amount }) => sum + amount, 0n);

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
const summary = z.object({
  programAddress: z.string(),
  isActive: z.boolean().nullable(),
  totalAccounts: z.number(),
  totalValue: z.string(),
});
const market = z.object({ priceUsd: z.string(), marketCap: z.string() });

const LIVE_BALANCE = '/api/vault/live-balance';
const OVERVIEW = '/api/analytics/overview';
const SUMMARY = '/api/staking/program-summary';
const HEALTH = '/api/network/health';

function marketCapCheck(path: string): Check {
  return {
    figure: `market cap (${path})`,
    told: toldBy(path, market, ({ marketCap }) => [marketCap]),
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
    told: toldBy(LIVE_BALANCE, vaultBalance, (body) => [body.vaultBalance]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount)),
  },
  {
    figure: 'vault balance (second name)',
    told: toldBy(LIVE_BALANCE, vaultBalance, (body) => [body.balance]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount)),
  },
  {
    figure: 'vault SOL',
    told: toldBy(LIVE_BALANCE, z.object({ solBalance: z.string() }), ({ solBalance }) => [solBalance]),
    expected: ({ accounts }) => one(decimals(BigInt(accounts.vaultLamports), LAMPORT_PLACES)),
  },
  {
    figure: 'staked',
    told: toldBy('/api/staking/total', stakingTotal, ({ balance }) => [balance]),
    expected: (chain) => one(units(chain, chain.accounts.totalStake)),
  },
  {
    figure: 'stakers',
    told: toldBy('/api/staking/total', stakingTotal, ({ stakerCount }) => [String(stakerCount)]),
    expected: (chain) => one(String(wallets(chain))),
  },
  {
    figure: 'staked and stakers (analytics)',
    told: toldBy('/api/analytics/real-staking', realStaking, (body) => [
      `${body.totalStaked} by ${body.totalStakers}`,
    ]),
    expected: (chain) => one(`${units(chain, chain.accounts.totalStake)} by ${wallets(chain)}`),
  },
  {
    figure: 'total supply',
    told: toldBy('/api/token/market-data', z.object({ totalSupply: z.string() }), ({ totalSupply }) => [
      totalSupply,
    ]),
    expected: (chain) => one(units(chain, chain.accounts.supply)),
  },
  {
    figure: 'deployed',
    told: toldBy(OVERVIEW, overview, (body) => [body.overview.totalDeployed]),
    expected: (chain) => one(units(chain, chain.accounts.vaultAmount + chain.accounts.totalStake)),
  },
  {
    figure: 'reduced supply',
    told: toldBy(OVERVIEW, overview, (body) => [body.overview.reducedSupply]),
    expected: (chain) => {
      const { vaultAmount, totalStake } = chain.accounts;
      const fixed = (MARKET_BD * 10n - ALLOCATION_TENTHS) * perToken(chain);
      return one(units(chain, fixed / 10n - totalStake - vaultAmount));
    },
  },
  {
    figure: 'staking ratio, percent',
    told: toldBy(OVERVIEW, overview, (body) => [body.overview.stakingRatioPercent]),
    expected: (chain) => one(twoPlaces(chain.accounts.totalStake * 100n, MARKET_BD * perToken(chain))),
  },
  {
    figure: 'staking program',
    told: toldBy(SUMMARY, summary, ({ programAddress }) => [programAddress]),
    expected: () => one(STREAMFLOW),
  },
  {
    figure: 'program is active',
    told: toldBy(SUMMARY, summary, ({ isActive }) => (isActive === null ? null : [String(isActive)])),
    expected: ({ accounts }) => one(String(accounts.openEntries.length > 0)),
  },
  {
    figure: 'program accounts',
    told: toldBy(SUMMARY, summary, ({ totalAccounts }) => [String(totalAccounts)]),
    expected: ({ accounts }) => one(String(accounts.openEntries.length)),
  },
  {
    figure: 'program value',
    told: toldBy(SUMMARY, summary, ({ totalValue }) => [totalValue]),
    expected: (chain) => one(units(chain, openTotal(chain))),
  },
  marketCapCheck('/api/trading/market-data'),
  marketCapCheck('/api/token/market-data'),
  {
    figure: 'network slot',
    // Told without its own slot: it is the one that is judged.
    told: (api, chainSlot) => {
      const told = toldBy(HEALTH, z.object({ slot: z.number().nullable() }), ({ slot }) =>
        slot === null ? null : ['plausible'],
      )(api, chainSlot);
      return told.kind === 'told' ? { ...told, slot: null } : told;
    },
    expected: ({ slot }, api) => {
      const told = partOf(api.answer(HEALTH), z.object({ slot: z.number() }))?.slot ?? 0;
      const apart = Math.abs(told - slot);
      return one(
        apart <= SLOT_TOLERANCE ? 'plausible' : `${slot}: the portal's ${told} is ${apart} slots off`,
      );
    },
  },
];
