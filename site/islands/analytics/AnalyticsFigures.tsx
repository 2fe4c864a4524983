import type { ComponentProps } from 'react';
import type {
  AnalyticsOverview,
  RealStaking,
  StakingTotal,
  TradingMarketData,
  VaultLiveBalance,
} from '../../../data/contract/metrics.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { formatAbbreviated, formatFull, formatPrice } from '../../../data/model/format.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { MARKET_SUPPLY_BD } from '../../../data/model/supply.ts';
import { HOLDER_COUNT_FRESHNESS } from '../../../data/model/value-state.ts';
import type { Reading } from '../../data/figure-query.ts';
import {
  ANALYTICS_MARKET_DATA,
  ANALYTICS_OVERVIEW,
  ANALYTICS_REAL_STAKING,
  ANALYTICS_STAKING_TOTAL,
  ANALYTICS_VAULT_BALANCE,
  type FigureBodies,
  type FigurePath,
  type FigureStrategy,
} from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { dayChangeText, formatCompact } from '../ui/format.ts';
import { LinkedId, useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { type Provenance, provenanceOf, sourceLabel } from '../ui/provenance.ts';

interface CardContent {
  readonly value: string | null;
  readonly provenance: Provenance;
  /** The name of the figure's source; empty if unknown. */
  readonly source: string;
}

/** The content of a figure card without a reference value. */
function cardContentOf<Body extends { readonly asOf: string; readonly source: string }>(
  path: FigurePath,
  reading: Reading<Body>,
  textOf: (body: Body) => string,
): CardContent {
  const knownBody = reading.kind === 'known' ? reading.body : null;
  return {
    value: knownBody && textOf(knownBody),
    provenance: provenanceOf(path, reading, 'unavailable'),
    source: knownBody ? sourceLabel(knownBody.source) : '',
  };
}

export const vaultCard = (reading: Reading<VaultLiveBalance>) =>
  cardContentOf(ANALYTICS_VAULT_BALANCE.path, reading, ({ vaultBalance }) => formatFull(vaultBalance));

export const stakersCard = (reading: Reading<RealStaking>) =>
  cardContentOf(ANALYTICS_REAL_STAKING.path, reading, ({ totalStakers }) => formatCount(totalStakers));

export const stakedCard = (reading: Reading<RealStaking>) =>
  cardContentOf(ANALYTICS_REAL_STAKING.path, reading, ({ totalStaked }) => formatFull(totalStaked));

/** Staked ÷ market supply. */
export const ratioCard = (reading: Reading<AnalyticsOverview>) =>
  cardContentOf(
    ANALYTICS_OVERVIEW.path,
    reading,
    ({ overview }) => `${formatFull(overview.stakingRatioPercent)}%`,
  );

/**
 * Wallets that stake ÷ wallets that hold BD. Holders are counted less often than stakers, so the card shows the age of the
 * holder count.
 */
export function participationCard(reading: Reading<RealStaking>): CardContent {
  if (reading.kind !== 'known') return cardContentOf(ANALYTICS_REAL_STAKING.path, reading, () => '');
  const { stakingParticipation, holdersCounted, source: sourceName } = reading.body;
  const source = sourceLabel(sourceName);
  if (holdersCounted === null) return { value: null, provenance: NOT_COUNTED, source };
  if (stakingParticipation === null) return { value: null, provenance: OUTDATED_COUNT, source };
  const freshness = HOLDER_COUNT_FRESHNESS[sourceName === 'embedded-ledger' ? sourceName : 'solana'];
  const asOf = Date.parse(holdersCounted.asOf);
  return {
    value: `${formatFull(stakingParticipation.toFixed(2))}%`,
    provenance: { kind: 'read', asOf, source: 'chain', calls: [ANALYTICS_REAL_STAKING.path], freshness },
    source,
  };
}

const NOT_COUNTED = { kind: 'unavailable', why: 'Holders not counted yet', retry: null } as const;
const OUTDATED_COUNT = { kind: 'unavailable', why: 'Waiting for the next count', retry: null } as const;

/** BD in the vault and the stake pool, abbreviated; null if unknown. */
export function deployedText(reading: Reading<AnalyticsOverview>): string | null {
  return reading.kind === 'known' ? formatAbbreviated(reading.body.overview.totalDeployed) : null;
}

/** The price in USD per BD, or the reference value while the price is unknown. */
export function priceCard(reading: Reading<TradingMarketData>): CardContent {
  const { priceUsd } = reading.kind === 'known' ? reading.body : REFERENCE_VALUES.market;
  return { value: formatPrice(priceUsd), ...marketFields(reading) };
}

/** The API's market cap, or a reference value while it is unknown. It is never computed from the reference price. */
export function marketCapCard(reading: Reading<TradingMarketData>): CardContent {
  const cap = reading.kind === 'known' ? reading.body.marketCap : REFERENCE_VALUES.market.marketCapUsd;
  return { value: formatAbbreviated(cap), ...marketFields(reading) };
}

function marketFields(reading: Reading<TradingMarketData>): Pick<CardContent, 'provenance' | 'source'> {
  return {
    provenance: provenanceOf(ANALYTICS_MARKET_DATA.path, reading, 'reference'),
    source: reading.kind === 'known' ? sourceLabel(reading.body.source) : '',
  };
}

const SUPPLY_TEXT = formatCompact(MARKET_SUPPLY_BD.toString());

interface AnalyticsFiguresProps {
  readonly explorer: string;
}

/** Each figure makes its own API calls and renders independently. */
export default liveIsland(function AnalyticsFigures({ explorer }: AnalyticsFiguresProps) {
  return (
    <FigureGrid columns={4} hasTopLine={false} isLastRowShort>
      <VaultBalance explorer={explorer} />
      <FigureCard
        strategy={ANALYTICS_REAL_STAKING}
        contentOf={stakersCard}
        label="Active Stakers"
        unit="wallets"
        fact="Wallets with an active stake"
      />
      <TotalStaked explorer={explorer} />
      <CurrentPrice />
      <FigureCard
        strategy={ANALYTICS_MARKET_DATA}
        contentOf={marketCapCard}
        label="Market Cap"
        prefix="$"
        unit="USD"
        fact={`Price × ${SUPPLY_TEXT}`}
      />
      <FigureCard
        strategy={ANALYTICS_OVERVIEW}
        contentOf={ratioCard}
        label="Staking Ratio"
        unit=""
        fact={`Staked ÷ ${SUPPLY_TEXT}`}
      />
      <FigureCard
        strategy={ANALYTICS_REAL_STAKING}
        contentOf={participationCard}
        label="Staking Participation"
        unit=""
        fact="Wallets staking ÷ wallets holding BD"
      />
    </FigureGrid>
  );
});

interface FigureCardProps<Path extends FigurePath>
  extends Pick<ComponentProps<typeof Figure>, 'label' | 'prefix' | 'unit' | 'fact'> {
  readonly strategy: FigureStrategy<Path>;
  readonly contentOf: (reading: Reading<FigureBodies[Path]>) => CardContent;
}

function FigureCard<Path extends FigurePath>({ strategy, contentOf, ...texts }: FigureCardProps<Path>) {
  const { source, ...figure } = contentOf(useFigure(strategy));
  return <Figure source={source} {...texts} {...figure} />;
}

function VaultBalance({ explorer }: AnalyticsFiguresProps) {
  const reading = useFigure(ANALYTICS_VAULT_BALANCE);
  const link = useExplorerLink(explorer);
  const deployedAmount = deployedText(useFigure(ANALYTICS_OVERVIEW));
  const { source, ...figure } = vaultCard(reading);
  const address = reading.kind === 'known' ? reading.body.vaultAddress : null;
  return (
    <Figure
      label="Total Vault Balance"
      unit="BD"
      fact={`${deployedAmount ?? '—'} including staked BD`}
      source={
        address === null ? source : <LinkedId id={address} kind="address" link={link} name="Vault address" />
      }
      {...figure}
    />
  );
}

function CurrentPrice() {
  const reading = useFigure(ANALYTICS_MARKET_DATA);
  const { source, ...figure } = priceCard(reading);
  const changeText = dayChangeText(reading.kind === 'known' ? reading.body.priceChange24h : null);
  return (
    <Figure
      label="Current Price"
      prefix="$"
      unit="USD"
      fact={`${changeText} in the last 24 hours`}
      source={source}
      {...figure}
    />
  );
}

const poolOf = ({ stakePool }: StakingTotal) => stakePool;

function TotalStaked({ explorer }: AnalyticsFiguresProps) {
  const { source, ...figure } = stakedCard(useFigure(ANALYTICS_REAL_STAKING));
  const pool = useFigure(ANALYTICS_STAKING_TOTAL, poolOf);
  const link = useExplorerLink(explorer);
  return (
    <Figure
      label="Total Staked"
      unit="BD"
      fact="In the stake pool"
      source={
        pool.kind === 'known' ? (
          <LinkedId id={pool.body} kind="address" link={link} name="Stake pool" />
        ) : (
          source
        )
      }
      {...figure}
    />
  );
}
