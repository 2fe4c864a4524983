import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  type Check,
  decimalText,
  expectedFrom,
  inBaseUnits,
  oneRow,
  parseFraction,
  portalRows,
  quotientText,
  type Rows,
  rowsWithoutSlot,
  SLOT_TOLERANCE,
} from './checks.ts';

/** Up to one wallet in twenty may have changed since the portal's last count, which may be an hour old. */
const CHANGED_ACCOUNT_DIVISOR = 20;

const holders = z.object({
  totalStakers: z.number(),
  walletsHolding: z.number().nullable(),
  holdersCounted: z.object({ slot: z.number() }).nullable(),
  stakingParticipation: z.number().nullable(),
});

/** The number of wallets that hold BD, and the share of them that stakes. */
export const HOLDER_CHECKS: readonly Check[] = [
  {
    figure: 'wallets holding',
    // The portal counts at intervals, so the number lags behind the chain.
    ...rowsWithoutSlot(PATHS.realStaking, holders, ({ walletsHolding }) =>
      walletsHolding === null ? null : [String(walletsHolding)],
    ),
    expected: expectedFrom(PATHS.realStaking, holders, ({ walletsHolding, holdersCounted }, { holders }) => {
      if (holders === null) return [];
      if (!holdersCounted || walletsHolding === null) return oneRow(String(holders.wallets));
      const difference = Math.abs(walletsHolding - holders.wallets);
      const isAtAnotherSlot = holdersCounted.slot !== holders.slot;
      const isPlausible =
        isAtAnotherSlot && difference <= Math.ceil(holders.wallets / CHANGED_ACCOUNT_DIVISOR);
      return oneRow(String(isPlausible ? walletsHolding : holders.wallets));
    }),
  },
  {
    figure: 'staking participation, percent',
    ...portalRows(PATHS.realStaking, holders, ({ stakingParticipation, walletsHolding }) =>
      walletsHolding === null ? null : [stakingParticipation?.toFixed(2) ?? 'none'],
    ),
    expected: expectedFrom(PATHS.realStaking, holders, ({ walletsHolding, totalStakers }) => {
      if (walletsHolding === null) return [];
      // Stakers are holders. If there are more stakers than holders, the two were counted at different times.
      if (walletsHolding === 0 || totalStakers > walletsHolding) return oneRow('none');
      return oneRow(quotientText(BigInt(totalStakers) * 100n, BigInt(walletsHolding)));
    }),
  },
];

/** Market supply in whole BD. */
const MARKET_BD = 990_000_000n;
/** The Streamflow allocation, 46.6M BD, in tenths of BD. */
const ALLOCATION_TENTHS = 466_000_000n;
const LAMPORT_PLACES = 9;

const perToken = ({ accounts }: ChainReading) => 10n ** BigInt(accounts.decimals);
const countStakers = ({ accounts }: ChainReading) =>
  new Set(accounts.openEntries.map(({ wallet }) => wallet)).size;
const stakers = (chain: ChainReading) => oneRow(String(countStakers(chain)));
const staked = (chain: ChainReading) => inBaseUnits(chain, chain.accounts.totalStake);

/** An amount that includes the vault balance. If there is no vault, no amount is correct. */
const withVault =
  (amount: (vaultAmount: bigint, chain: ChainReading) => bigint) =>
  (chain: ChainReading): readonly Rows[] => {
    const { vaultAmount } = chain.accounts;
    return vaultAmount === null ? [] : oneRow(inBaseUnits(chain, amount(vaultAmount, chain)));
  };
const vaultBalance = withVault((vaultAmount) => vaultAmount);

/** A figure that is one field of a response. */
const text = (path: string, name: string) =>
  portalRows(path, z.object({ [name]: z.string() }), (body) => [body[name] ?? '']);
const count = (path: string, name: string) =>
  portalRows(path, z.object({ [name]: z.number() }), (body) => [String(body[name])]);
const overviewText = (name: string) =>
  portalRows(
    PATHS.analyticsOverview,
    z.object({ overview: z.object({ [name]: z.string() }) }),
    ({ overview }) => [overview[name] ?? ''],
  );

function marketCapCheck(path: string): Check {
  return {
    figure: `market cap (${path})`,
    ...text(path, 'marketCap'),
    expected: expectedFrom(path, z.object({ priceUsd: z.string() }), ({ priceUsd }) => {
      const { numerator, denominator } = parseFraction(priceUsd);
      return oneRow(quotientText(numerator * MARKET_BD, denominator));
    }),
  };
}

/** Figures computed from the accounts at one slot, or by arithmetic alone. */
export const ACCOUNT_CHECKS: readonly Check[] = [
  { figure: 'vault balance', ...text(PATHS.vaultLiveBalance, 'vaultBalance'), expected: vaultBalance },
  {
    figure: 'vault balance (second name)',
    ...text(PATHS.vaultLiveBalance, 'balance'),
    expected: vaultBalance,
  },
  { figure: 'vault balance (metrics)', ...text(PATHS.vaultMetrics, 'vaultBalance'), expected: vaultBalance },
  {
    figure: 'vault SOL',
    ...text(PATHS.vaultLiveBalance, 'solBalance'),
    expected: ({ accounts: { vaultLamports } }) =>
      vaultLamports === null ? [] : oneRow(decimalText(BigInt(vaultLamports), LAMPORT_PLACES)),
  },
  {
    figure: 'staked',
    ...text(PATHS.stakingTotal, 'balance'),
    expected: (chain) => oneRow(staked(chain)),
  },
  { figure: 'stakers', ...count(PATHS.stakingTotal, 'stakerCount'), expected: stakers },
  {
    figure: 'staked and stakers (analytics)',
    ...portalRows(
      PATHS.realStaking,
      z.object({ totalStaked: z.string(), totalStakers: z.number() }),
      ({ totalStaked, totalStakers }) => [`${totalStaked} by ${totalStakers}`],
    ),
    expected: (chain) => oneRow(`${staked(chain)} by ${countStakers(chain)}`),
  },
  {
    figure: 'total supply',
    ...text(PATHS.tokenMarketData, 'totalSupply'),
    expected: (chain) => oneRow(inBaseUnits(chain, chain.accounts.supply)),
  },
  {
    figure: 'market supply',
    ...text(PATHS.tokenMarketData, 'marketSupply'),
    expected: () => oneRow(String(MARKET_BD)),
  },
  {
    figure: 'deployed',
    ...overviewText('totalDeployed'),
    expected: withVault((vaultAmount, { accounts }) => vaultAmount + accounts.totalStake),
  },
  {
    figure: 'reduced supply',
    ...overviewText('reducedSupply'),
    expected: withVault((vaultAmount, chain) => {
      const fixed = (MARKET_BD * 10n - ALLOCATION_TENTHS) * perToken(chain);
      return fixed / 10n - chain.accounts.totalStake - vaultAmount;
    }),
  },
  {
    figure: 'staking ratio, percent',
    ...overviewText('stakingRatioPercent'),
    expected: (chain) => oneRow(quotientText(chain.accounts.totalStake * 100n, MARKET_BD * perToken(chain))),
  },
  { figure: 'stakers (overview)', ...count(PATHS.analyticsOverview, 'totalStakers'), expected: stakers },
  {
    figure: 'address of the vault',
    ...text(PATHS.vaultLiveBalance, 'vaultAddress'),
    expected: ({ addresses }) => oneRow(addresses.vault),
  },
  {
    figure: 'address of the stake pool',
    ...text(PATHS.stakingTotal, 'stakePool'),
    expected: ({ addresses }) => oneRow(addresses.stakePool),
  },
  {
    figure: 'stake entries that could not be read',
    ...rowsWithoutSlot(PATHS.networkHealth, z.object({ unreadStakeEntries: z.number() }), (body) => [
      String(body.unreadStakeEntries),
    ]),
    expected: ({ accounts }) => oneRow(String(accounts.unreadEntries)),
  },
  marketCapCheck(PATHS.tradingMarketData),
  marketCapCheck(PATHS.tokenMarketData),
  {
    figure: 'network slot',
    // Not compared at a slot, because the figure itself is a slot.
    ...rowsWithoutSlot(PATHS.networkHealth, z.object({ slot: z.number().nullable() }), ({ slot }) =>
      slot === null ? null : ['plausible'],
    ),
    expected: expectedFrom(PATHS.networkHealth, z.object({ slot: z.number() }), (reported, { slot }) => {
      const difference = Math.abs(reported.slot - slot);
      if (difference <= SLOT_TOLERANCE) return oneRow('plausible');
      return oneRow(`${slot}: the portal's ${reported.slot} is ${difference} slots off`);
    }),
  },
];
