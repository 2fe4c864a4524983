import type { ReactNode } from 'react';
import type { TradingMarketData } from '../../../data/contract/metrics.ts';
import { formatAbbreviated, formatPrice } from '../../../data/model/format.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { MARKET_SUPPLY_BD } from '../../../data/model/supply.ts';
import type { Reading } from '../../data/figure-query.ts';
import { MARKET_OVERVIEW } from '../../data/figure-strategies.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';
import { useFigure, useFigureState } from '../../data/use-figure.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { dayChangeText, formatCompact } from '../ui/format.ts';
import { liveIsland } from '../ui/Live.tsx';
import { feedLabel, type Provenance, provenanceOf } from '../ui/provenance.ts';
import { RetryButton } from '../ui/ReadStates.tsx';
import styles from './market.module.css';

export type MarketReading = Reading<TradingMarketData>;

const REFERENCE = REFERENCE_VALUES.market;
const MARKET_SUPPLY = `${formatCompact(MARKET_SUPPLY_BD.toString())} BD`;

/** The cards have no Retry button, because the line above them has one. */
function cardProvenance(reading: MarketReading): Provenance {
  const provenance = provenanceOf(MARKET_OVERVIEW.path, reading, 'reference');
  return provenance.kind === 'reference'
    ? { ...provenance, why: 'Not a market price', retry: null }
    : provenance;
}

function optionalFigure(
  label: string,
  fact: string,
  reading: MarketReading,
  field: 'volume24h' | 'liquidity',
) {
  const amount = reading.kind === 'known' ? reading.body[field] : null;
  if (reading.kind !== 'loading' && amount === null) {
    const why = reading.kind === 'known' ? 'Not provided by the feed' : 'Not available';
    return { label, fact, value: null, provenance: { kind: 'unavailable', why, retry: null } as const };
  }
  const value = amount === null ? null : formatAbbreviated(amount);
  return { label, fact, value, provenance: cardProvenance(reading) };
}

/** Only price and market cap have reference values. */
export function marketFigures(reading: MarketReading) {
  const body = reading.kind === 'known' ? reading.body : null;
  const provenance = cardProvenance(reading);
  return [
    {
      label: 'Current price',
      value: formatPrice(body?.priceUsd ?? REFERENCE.priceUsd),
      fact: `${dayChangeText(body?.priceChange24h)} in the last 24 hours`,
      provenance,
    },
    optionalFigure('24h volume', 'Traded in the last 24 hours', reading, 'volume24h'),
    {
      label: 'Market cap',
      value: formatAbbreviated(body?.marketCap ?? REFERENCE.marketCapUsd),
      fact: `Price × ${MARKET_SUPPLY}`,
      provenance,
    },
    optionalFigure('Liquidity', 'In the pools that trade BD', reading, 'liquidity'),
  ];
}

export default liveIsland(function MarketOverview() {
  return <MarketCards reading={useFigure(MARKET_OVERVIEW)} />;
});

export function MarketCards({ reading }: { readonly reading: MarketReading }) {
  return (
    <div className={styles.market}>
      {/* A status, so that screen readers announce an outage. */}
      <p className={styles.sourceLine} role="status">
        <SourceLine reading={reading} />
      </p>
      <FigureGrid columns={4}>
        {marketFigures(reading).map((figure) => (
          <Figure key={figure.label} prefix="$" unit="USD" {...figure} />
        ))}
      </FigureGrid>
    </div>
  );
}

function SourceLine({ reading }: { readonly reading: MarketReading }) {
  switch (reading.kind) {
    case 'loading':
      return <span className="script-only">Loading market data…</span>;
    case 'unknown':
      return <Outage state="no-price">There is no price yet.</Outage>;
    case 'failed':
      return (
        <Outage state="failed">
          <RetryButton retry={{ run: reading.retry, running: reading.isRetrying }} what="the market data" />
        </Outage>
      );
    case 'known': {
      const { asOf, source } = reading.body;
      const read = { asOf: Date.parse(asOf), source: sourceOf(source), calls: [MARKET_OVERVIEW.path] };
      return <KnownSourceLine read={read} feed={feedLabel(source)} />;
    }
  }
}

function KnownSourceLine({ read, feed: feedText }: { readonly read: FigureRead; readonly feed: string }) {
  return useFigureState(read) === 'stale' ? (
    <Outage state="stale">Showing the last known figures.</Outage>
  ) : (
    `Source: ${feedText}`
  );
}

function Outage({ state, children }: { readonly state: string; readonly children: ReactNode }) {
  return (
    <span className={styles.outage} data-outage={state}>
      <strong>The market data service is temporarily unavailable.</strong> {children}
    </span>
  );
}
