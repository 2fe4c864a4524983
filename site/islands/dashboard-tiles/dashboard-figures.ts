import type { StakingTotal, TradingMarketData, VaultLiveBalance } from '../../../data/contract/metrics.ts';
import { fromDecimalText, ratioText, toDecimalText, unitsPerToken } from '../../../data/model/amounts.ts';
import { formatAbbreviated, formatFull, formatPrice, formatUsd } from '../../../data/model/format.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { MARKET_SUPPLY_BD, reducedSupply } from '../../../data/model/supply.ts';
import type { Reading } from '../../data/figure-query.ts';
import {
  DASHBOARD_MARKET_DATA,
  DASHBOARD_STAKING_TOTAL,
  DASHBOARD_VAULT_BALANCE,
} from '../../data/figure-strategies.ts';
import { feedLabel, type Provenance, provenanceOf } from '../ui/provenance.ts';

type VaultReading = Reading<VaultLiveBalance>;
type StakingReading = Reading<StakingTotal>;
type MarketReading = Reading<TradingMarketData>;

/** A figure's text and where it comes from. */
interface FigureText {
  readonly value: string | null;
  readonly provenance: Provenance;
}

const REFERENCE = REFERENCE_VALUES.dashboard;
const PRICE_DECIMALS = 6;

// Enough for the base units of any mint: sums of decimal text stay exact.
const EXACT_DECIMALS = 18;

/** BD in the vault, the vault's address, and its share of the market supply in percent. */
export function vaultFigure(
  reading: VaultReading,
): FigureText & { readonly address: string | null; readonly sharePercent: string | null } {
  const provenance = provenanceOf(DASHBOARD_VAULT_BALANCE.path, reading, 'reference');
  if (reading.kind !== 'known') {
    return { value: formatFull(REFERENCE.vaultBalance), provenance, address: null, sharePercent: null };
  }
  const { vaultBalance, vaultAddress } = reading.body;
  return {
    value: formatFull(vaultBalance),
    provenance,
    address: vaultAddress,
    sharePercent: share(vaultBalance),
  };
}

function share(decimalText: string): string | null {
  const supply = MARKET_SUPPLY_BD * unitsPerToken(EXACT_DECIMALS);
  return ratioText(fromDecimalText(decimalText, EXACT_DECIMALS) * 100n, supply, 2);
}

/** BD staked, the stake pool, and the number of stakers. */
export function stakedFigure(
  reading: StakingReading,
): FigureText & { readonly pool: string | null; readonly stakers: number } {
  const provenance = provenanceOf(DASHBOARD_STAKING_TOTAL.path, reading, 'reference');
  if (reading.kind !== 'known') {
    return {
      value: formatFull(REFERENCE.totalStaked),
      provenance,
      pool: null,
      stakers: REFERENCE.activeStakers,
    };
  }
  const { balance, stakePool, stakerCount } = reading.body;
  return { value: formatFull(balance), provenance, pool: stakePool, stakers: stakerCount };
}

/** USD per BD, the market cap (never derived from a reference value) and the feed. */
export function priceFigure(
  reading: MarketReading,
): FigureText & { readonly marketCap: string | null; readonly feed: string } {
  const provenance = provenanceOf(DASHBOARD_MARKET_DATA.path, reading, 'reference');
  if (reading.kind !== 'known') {
    return { value: formatPrice(REFERENCE.priceUsd, PRICE_DECIMALS), provenance, marketCap: null, feed: '' };
  }
  const { priceUsd, marketCap, source } = reading.body;
  return {
    value: formatPrice(priceUsd, PRICE_DECIMALS),
    provenance,
    marketCap: formatUsd(marketCap),
    feed: feedLabel(source),
  };
}

/**
 * There is no total while either figure is unknown or a reference value. It is as old as the older figure.
 */
export function reducedSupplyFigure(vault: VaultReading, staking: StakingReading): FigureText {
  if (vault.kind === 'known' && staking.kind === 'known') {
    const staked = fromDecimalText(staking.body.balance, EXACT_DECIMALS);
    const inVault = fromDecimalText(vault.body.vaultBalance, EXACT_DECIMALS);
    const left = reducedSupply(staked, inVault, EXACT_DECIMALS);
    const asOf = Math.min(Date.parse(vault.body.asOf), Date.parse(staking.body.asOf));
    return {
      value: formatAbbreviated(toDecimalText(left, EXACT_DECIMALS)),
      provenance: {
        kind: 'read',
        asOf,
        source: 'chain',
        calls: [DASHBOARD_VAULT_BALANCE.path, DASHBOARD_STAKING_TOTAL.path],
      },
    };
  }
  if (vault.kind === 'loading' || staking.kind === 'loading') {
    return { value: null, provenance: { kind: 'loading' } };
  }
  return {
    value: null,
    provenance: { kind: 'unavailable', why: 'Requires both live figures above', retry: null },
  };
}
