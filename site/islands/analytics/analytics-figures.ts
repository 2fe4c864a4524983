import { formatCount } from '../../../data/model/count.ts';
import { formatAbbreviated, formatFull, formatPrice } from '../../../data/model/format.ts';
import { REFERENCE_VALUES } from '../../../data/model/reference-values.ts';
import { HOLDER_COUNT_FRESHNESS } from '../../../data/model/value-state.ts';
import {
  ANALYTICS_MARKET_DATA,
  ANALYTICS_OVERVIEW,
  ANALYTICS_REAL_STAKING,
  ANALYTICS_VAULT_BALANCE,
  type FigureBodies,
  type FigurePath,
} from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { type Provenance, provenanceOf, provenanceWithoutFallback } from '../figure/provenance.ts';
import { sourceWords } from '../figure/source-words.ts';

/** What a card shows: its figure, where that comes from, and the name of its source. */
export interface CardText {
  /** Null where it is not known. */
  readonly value: string | null;
  readonly provenance: Provenance;
  readonly source: string;
}

type VaultReading = Reading<FigureBodies['/api/vault/live-balance']>;
type StakingReading = Reading<FigureBodies['/api/analytics/real-staking']>;
type OverviewReading = Reading<FigureBodies['/api/analytics/overview']>;
type MarketReading = Reading<FigureBodies['/api/trading/market-data']>;

/** A card of a figure that has no published fallback. */
function cardOf<Body extends { readonly asOf: string; readonly source: string }>(
  path: FigurePath,
  reading: Reading<Body>,
  textOf: (body: Body) => string,
): CardText {
  const known = reading.kind === 'known' ? reading.body : null;
  return {
    value: known && textOf(known),
    provenance: provenanceWithoutFallback(path, reading),
    source: known ? sourceWords(known.source) : '',
  };
}

/** BD in the vault. */
export function vaultCard(reading: VaultReading): CardText {
  return cardOf(ANALYTICS_VAULT_BALANCE.path, reading, ({ vaultBalance }) => formatFull(vaultBalance));
}

/** Wallets that stake. */
export function stakersCard(reading: StakingReading): CardText {
  return cardOf(ANALYTICS_REAL_STAKING.path, reading, ({ totalStakers }) => formatCount(totalStakers));
}

/** BD staked. */
export function stakedCard(reading: StakingReading): CardText {
  return cardOf(ANALYTICS_REAL_STAKING.path, reading, ({ totalStaked }) => formatFull(totalStaked));
}

/** Staked ÷ market supply in percent. */
export function ratioCard(reading: OverviewReading): CardText {
  return cardOf(
    ANALYTICS_OVERVIEW.path,
    reading,
    ({ overview }) => `${formatFull(overview.stakingRatioPercent)}%`,
  );
}

/**
 * Wallets staking ÷ wallets holding BD in percent. It is as old as the count of the wallets that hold, which
 * is taken now and then.
 */
export function participationCard(reading: StakingReading): CardText {
  if (reading.kind !== 'known') {
    const provenance = provenanceWithoutFallback(ANALYTICS_REAL_STAKING.path, reading);
    return { value: null, provenance, source: '' };
  }
  const { stakingParticipation, holdersCounted, source: name } = reading.body;
  const source = sourceWords(name);
  if (holdersCounted === null) return { value: null, provenance: NOT_COUNTED, source };
  if (stakingParticipation === null) return { value: null, provenance: OVERTAKEN, source };
  const pace = HOLDER_COUNT_FRESHNESS[name === 'embedded-ledger' ? name : 'solana'];
  const asOf = Date.parse(holdersCounted.asOf);
  return {
    value: `${formatFull(stakingParticipation.toFixed(2))}%`,
    provenance: { kind: 'read', asOf, source: 'chain', calls: [ANALYTICS_REAL_STAKING.path], pace },
    source,
  };
}

const NOT_COUNTED = { kind: 'unavailable', why: 'Wallets holding BD not counted yet', retry: null } as const;
const OVERTAKEN = { kind: 'unavailable', why: 'Waits for the next count of wallets', retry: null } as const;

/** BD in the vault and in the stake pool together, abbreviated; null where it is not known. */
export function deployedText(reading: OverviewReading): string | null {
  return reading.kind === 'known' ? formatAbbreviated(reading.body.overview.totalDeployed) : null;
}

/** USD for one BD, or the published price of market screens. */
export function priceCard(reading: MarketReading): CardText {
  const { priceUsd } = reading.kind === 'known' ? reading.body : REFERENCE_VALUES.market;
  return { value: formatPrice(priceUsd), ...ofMarket(reading) };
}

/** Price × market supply as the API worked it out, or the published cap of market screens; never of a published price. */
export function marketCapCard(reading: MarketReading): CardText {
  const cap = reading.kind === 'known' ? reading.body.marketCap : REFERENCE_VALUES.market.marketCapUsd;
  return { value: formatAbbreviated(cap), ...ofMarket(reading) };
}

function ofMarket(reading: MarketReading): Pick<CardText, 'provenance' | 'source'> {
  return {
    provenance: provenanceOf(ANALYTICS_MARKET_DATA.path, reading),
    source: reading.kind === 'known' ? sourceWords(reading.body.source) : '',
  };
}
