import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  bdAmountText,
  type Check,
  decimalText,
  expectedFrom,
  oneRow,
  parseFraction,
  portalSource,
  quotientText,
  type Rows,
  SLOT_TOLERANCE,
  sourceWithoutSlot,
} from './checks.ts';

/** Up to one wallet in twenty may have changed since the portal's last count, which may be an hour old. */
const CHANGED_WALLET_DIVISOR = 20;

const holdersSchema = z.object({
  totalStakers: z.number(),
  walletsHolding: z.number().nullable(),
  holdersCounted: z.object({ slot: z.number() }).nullable(),
  stakingParticipation: z.number().nullable(),
});

export const HOLDER_CHECKS: readonly Check[] = [
  {
    figure: 'wallets holding',
    // The portal counts holders at intervals, so its number lags behind the chain.
    ...sourceWithoutSlot(PATHS.realStaking, holdersSchema, ({ walletsHolding }) =>
      walletsHolding === null ? null : [String(walletsHolding)],
    ),
    expected: expectedFrom(
      PATHS.realStaking,
      holdersSchema,
      ({ walletsHolding, holdersCounted }, { holders }) => {
        if (holders === null) return [];
        if (!holdersCounted || walletsHolding === null) return oneRow(String(holders.walletCount));
        const difference = Math.abs(walletsHolding - holders.walletCount);
        const isAtAnotherSlot = holdersCounted.slot !== holders.slot;
        const isPlausible =
          isAtAnotherSlot && difference <= Math.ceil(holders.walletCount / CHANGED_WALLET_DIVISOR);
        return oneRow(String(isPlausible ? walletsHolding : holders.walletCount));
      },
    ),
  },
  {
    figure: 'staking participation, percent',
    ...portalSource(PATHS.realStaking, holdersSchema, ({ stakingParticipation, walletsHolding }) =>
      walletsHolding === null ? null : [stakingParticipation?.toFixed(2) ?? 'none'],
    ),
    expected: expectedFrom(PATHS.realStaking, holdersSchema, ({ walletsHolding, totalStakers }) => {
      if (walletsHolding === null) return [];
      // Every staker is also a holder. If there are more stakers than holders, the two were counted at different times.
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

const baseUnitsPerToken = ({ accounts }: ChainReading) => 10n ** BigInt(accounts.decimals);
const countStakers = ({ accounts }: ChainReading) =>
  new Set(accounts.openEntries.map(({ wallet }) => wallet)).size;
const stakerCountRows = (chain: ChainReading) => oneRow(String(countStakers(chain)));
const stakedText = (chain: ChainReading) => bdAmountText(chain, chain.accounts.totalStake);

/** Expects an amount that includes the vault balance. If the vault does not exist, no amount counts as correct. */
const withVault =
  (amount: (vaultAmount: bigint, chain: ChainReading) => bigint) =>
  (chain: ChainReading): readonly Rows[] => {
    const { vaultAmount } = chain.accounts;
    return vaultAmount === null ? [] : oneRow(bdAmountText(chain, amount(vaultAmount, chain)));
  };
const expectedVaultBalance = withVault((vaultAmount) => vaultAmount);

const textFigure = (path: string, name: string) =>
  portalSource(path, z.object({ [name]: z.string() }), (body) => [body[name] ?? '']);
const countFigure = (path: string, name: string) =>
  portalSource(path, z.object({ [name]: z.number() }), (body) => [String(body[name])]);
const overviewFigure = (name: string) =>
  portalSource(
    PATHS.analyticsOverview,
    z.object({ overview: z.object({ [name]: z.string() }) }),
    ({ overview }) => [overview[name] ?? ''],
  );

function marketCapCheck(path: string): Check {
  return {
    figure: `market cap (${path})`,
    ...textFigure(path, 'marketCap'),
    expected: expectedFrom(path, z.object({ priceUsd: z.string() }), ({ priceUsd }) => {
      const { numerator, denominator } = parseFraction(priceUsd);
      return oneRow(quotientText(numerator * MARKET_BD, denominator));
    }),
  };
}

export const ACCOUNT_CHECKS: readonly Check[] = [
  {
    figure: 'vault balance',
    ...textFigure(PATHS.vaultLiveBalance, 'vaultBalance'),
    expected: expectedVaultBalance,
  },
  {
    figure: 'vault balance (field "balance")',
    ...textFigure(PATHS.vaultLiveBalance, 'balance'),
    expected: expectedVaultBalance,
  },
  {
    figure: 'vault balance (metrics)',
    ...textFigure(PATHS.vaultMetrics, 'vaultBalance'),
    expected: expectedVaultBalance,
  },
  {
    figure: 'vault SOL',
    ...textFigure(PATHS.vaultLiveBalance, 'solBalance'),
    expected: ({ accounts: { vaultLamports } }) =>
      vaultLamports === null ? [] : oneRow(decimalText(BigInt(vaultLamports), LAMPORT_PLACES)),
  },
  {
    figure: 'staked',
    ...textFigure(PATHS.stakingTotal, 'balance'),
    expected: (chain) => oneRow(stakedText(chain)),
  },
  { figure: 'stakers', ...countFigure(PATHS.stakingTotal, 'stakerCount'), expected: stakerCountRows },
  {
    figure: 'staked and stakers (analytics)',
    ...portalSource(
      PATHS.realStaking,
      z.object({ totalStaked: z.string(), totalStakers: z.number() }),
      ({ totalStaked, totalStakers }) => [`${totalStaked} by ${totalStakers}`],
    ),
    expected: (chain) => oneRow(`${stakedText(chain)} by ${countStakers(chain)}`),
  },
  {
    figure: 'total supply',
    ...textFigure(PATHS.tokenMarketData, 'totalSupply'),
    expected: (chain) => oneRow(bdAmountText(chain, chain.accounts.supply)),
  },
  {
    figure: 'market supply',
    ...textFigure(PATHS.tokenMarketData, 'marketSupply'),
    expected: () => oneRow(String(MARKET_BD)),
  },
  {
    figure: 'deployed',
    ...overviewFigure('totalDeployed'),
    expected: withVault((vaultAmount, { accounts }) => vaultAmount + accounts.totalStake),
  },
  {
    figure: 'reduced supply',
    ...overviewFigure('reducedSupply'),
    expected: withVault((vaultAmount, chain) => {
      const fixed = (MARKET_BD * 10n - ALLOCATION_TENTHS) * baseUnitsPerToken(chain);
      return fixed / 10n - chain.accounts.totalStake - vaultAmount;
    }),
  },
  {
    figure: 'staking ratio, percent',
    ...overviewFigure('stakingRatioPercent'),
    expected: (chain) =>
      oneRow(quotientText(chain.accounts.totalStake * 100n, MARKET_BD * baseUnitsPerToken(chain))),
  },
  {
    figure: 'stakers (overview)',
    ...countFigure(PATHS.analyticsOverview, 'totalStakers'),
    expected: stakerCountRows,
  },
  {
    figure: 'address of the vault',
    ...textFigure(PATHS.vaultLiveBalance, 'vaultAddress'),
    expected: ({ addresses }) => oneRow(addresses.vault),
  },
  {
    figure: 'address of the stake pool',
    ...textFigure(PATHS.stakingTotal, 'stakePool'),
    expected: ({ addresses }) => oneRow(addresses.stakePool),
  },
  {
    figure: 'stake entries that could not be read',
    ...sourceWithoutSlot(PATHS.networkHealth, z.object({ unreadStakeEntries: z.number() }), (body) => [
      String(body.unreadStakeEntries),
    ]),
    expected: ({ accounts }) => oneRow(String(accounts.unreadEntryCount)),
  },
  marketCapCheck(PATHS.tradingMarketData),
  marketCapCheck(PATHS.tokenMarketData),
  {
    figure: 'network slot',
    // This figure is the portal's current slot, so it need not be the slot at which the accounts were read.
    ...sourceWithoutSlot(PATHS.networkHealth, z.object({ slot: z.number().nullable() }), ({ slot }) =>
      slot === null ? null : ['plausible'],
    ),
    expected: expectedFrom(PATHS.networkHealth, z.object({ slot: z.number() }), (reported, { slot }) => {
      const difference = Math.abs(reported.slot - slot);
      if (difference <= SLOT_TOLERANCE) return oneRow('plausible');
      return oneRow(`${slot}: the portal's ${reported.slot} is ${difference} slots off`);
    }),
  },
];
