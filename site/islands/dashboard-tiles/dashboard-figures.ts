import type { StakingTotal, TradingMarketData, VaultLiveBalance } from '../../../data/contract/metrics.ts';
import {
  EXACT_DECIMALS,
  exactUnits,
  ratioText,
  toDecimalText,
  unitsPerToken,
} from '../../../data/model/amounts.ts';
import { formatAbbreviated, formatFull, formatPrice, formatUsd } from '../../../data/model/format.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { MARKET_SUPPLY_BD, reducedSupply } from '../../../data/model/supply.ts';
import type { Reading } from '../../data/figure-query.ts';
import {
  DASHBOARD_MARKET_DATA,
  DASHBOARD_STAKING_TOTAL,
  DASHBOARD_VAULT_BALANCE,
} from '../../data/figure-strategies.ts';
import { dayChangeText } from '../ui/format.ts';
import { feedLabel, provenanceOf, totalProvenance } from '../ui/provenance.ts';

const REFERENCE = REFERENCE_VALUES.dashboard;
const PRICE_DECIMALS = 6;

export function vaultFigure(reading: Reading<VaultLiveBalance>) {
  const body = reading.kind === 'known' ? reading.body : null;
  const supply = MARKET_SUPPLY_BD * unitsPerToken(EXACT_DECIMALS);
  return {
    value: formatFull(body?.vaultBalance ?? REFERENCE.vaultBalance),
    provenance: provenanceOf(DASHBOARD_VAULT_BALANCE.path, reading, 'reference'),
    address: body?.vaultAddress ?? null,
    sharePercent: body && ratioText(exactUnits(body.vaultBalance) * 100n, supply, 2),
  };
}

export function stakedFigure(reading: Reading<StakingTotal>) {
  const body = reading.kind === 'known' ? reading.body : null;
  return {
    value: formatFull(body?.balance ?? REFERENCE.totalStaked),
    provenance: provenanceOf(DASHBOARD_STAKING_TOTAL.path, reading, 'reference'),
    poolAddress: body?.stakePool ?? null,
    stakerCount: body?.stakerCount ?? REFERENCE.activeStakers,
  };
}

/** The price in USD per BD, its change, the market cap and the feed. While the reference price is shown, the rest is unknown. */
export function priceFigure(reading: Reading<TradingMarketData>) {
  const body = reading.kind === 'known' ? reading.body : null;
  return {
    value: formatPrice(body?.priceUsd ?? REFERENCE.priceUsd, PRICE_DECIMALS),
    provenance: provenanceOf(DASHBOARD_MARKET_DATA.path, reading, 'reference'),
    marketCap: body && formatUsd(body.marketCap),
    change24h: dayChangeText(body?.priceChange24h),
    feedText: body ? feedLabel(body.source) : '',
  };
}

/** Unknown while the vault balance or the total stake is unknown. */
export function reducedSupplyFigure(vault: Reading<VaultLiveBalance>, staking: Reading<StakingTotal>) {
  const reducedUnits =
    vault.kind === 'known' && staking.kind === 'known'
      ? reducedSupply(exactUnits(staking.body.balance), exactUnits(vault.body.vaultBalance), EXACT_DECIMALS)
      : null;
  return {
    value: reducedUnits === null ? null : formatAbbreviated(toDecimalText(reducedUnits, EXACT_DECIMALS)),
    provenance: totalProvenance(vaultFigure(vault).provenance, stakedFigure(staking).provenance),
  };
}
