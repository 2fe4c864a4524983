import { scaledDecimal } from '../../../data/model/amounts.ts';
import { formatAbbreviated, formatPrice } from '../../../data/model/format.ts';
import { REFERENCE_VALUES } from '../../../data/model/reference-values.ts';
import { MARKET_SUPPLY_BD } from '../../../data/model/supply.ts';
import { type FigureBodies, MARKET_OVERVIEW } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { type Provenance, provenanceOf } from '../figure/provenance.ts';
import { formatRound } from '../figure/round-amount.ts';
import { signedPercent } from '../figure/signed-percent.ts';

export type MarketReading = Reading<FigureBodies['/api/trading/market-data']>;

/** A figure of the market as its card shows it, in USD. */
export interface MarketFigure {
  readonly label: string;
  readonly value: string | null;
  readonly fact: string;
  readonly provenance: Provenance;
}

const REFERENCE = REFERENCE_VALUES.market;

const MARKET_SUPPLY = `${formatRound(MARKET_SUPPLY_BD.toString())} BD`;

function changeText(percent: string | null): string {
  return percent === null ? '—' : signedPercent(scaledDecimal(percent, 2), 2);
}

/** The line above says that the service is down, and has the retry: the cards only say that they are not from it. */
function cardProvenance(reading: MarketReading): Provenance {
  const provenance = provenanceOf(MARKET_OVERVIEW.path, reading);
  return provenance.kind === 'reference'
    ? { ...provenance, why: 'Not a market price', retry: null }
    : provenance;
}

/** A figure that a feed need not have: a dash where it is missing, whatever the others are. */
function optionalFigure(
  label: string,
  fact: string,
  reading: MarketReading,
  field: 'volume24h' | 'liquidity',
): MarketFigure {
  const amount = reading.kind === 'known' ? reading.body[field] : null;
  if (reading.kind !== 'loading' && amount === null) {
    const why = reading.kind === 'known' ? 'Not told by the feed' : 'Not read';
    return { label, fact, value: null, provenance: { kind: 'unavailable', why, retry: null } };
  }
  const value = amount === null ? null : formatAbbreviated(amount);
  return { label, fact, value, provenance: cardProvenance(reading) };
}

/** The four figures of the market: the price and the market cap have published fallbacks, the others have none. */
export function marketFigures(reading: MarketReading): readonly MarketFigure[] {
  const known = reading.kind === 'known' ? reading.body : null;
  const provenance = cardProvenance(reading);
  return [
    {
      label: 'Current price',
      value: formatPrice(known?.priceUsd ?? REFERENCE.priceUsd),
      fact: `${changeText(known?.priceChange24h ?? null)} in 24 hours`,
      provenance,
    },
    optionalFigure('24h volume', 'Traded in 24 hours', reading, 'volume24h'),
    {
      label: 'Market cap',
      value: formatAbbreviated(known?.marketCap ?? REFERENCE.marketCapUsd),
      fact: `Price × ${MARKET_SUPPLY}`,
      provenance,
    },
    optionalFigure('Liquidity', 'In the pools that trade BD', reading, 'liquidity'),
  ];
}
