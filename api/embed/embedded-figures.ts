import { EMBEDDED_FIGURES, type EmbeddedFigureName } from '../../data/contract/embeds.ts';
import { formatCount } from '../../data/model/digit-grouping.ts';
import { formatAbbreviated, formatPrice } from '../../data/model/format.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { liveBalanceBody, stakingTotalBody, tradingMarketBody } from '../metrics/figures.ts';

export interface EmbeddedFigure {
  readonly label: string;
  /** `unknown` while the figure is unavailable. */
  readonly value: string;
  /** When the figure's source was last read; null while the figure is unavailable. */
  readonly asOf: Date | null;
  /** `demo` for a made-up figure, `ageing` or `stale` for an old one, or both: `demo, stale`. Null if neither applies. */
  readonly caveat: string | null;
}

const DEMO_SOURCES: ReadonlySet<string> = new Set(['embedded-ledger', 'demo']);
export const isDemo = (source: string): boolean => DEMO_SOURCES.has(source);

interface FigureReading {
  readonly text: string;
  readonly asOf: string;
  readonly source: string;
  readonly state: 'live' | 'ageing' | 'stale';
}

/** For each figure, a function that returns its value at `now` (Unix ms), or null while the value is unknown. */
const READERS: Readonly<
  Record<EmbeddedFigureName, (inputs: FigureInputs, now: number) => FigureReading | null>
> = {
  vault: (inputs, now) => {
    const body = liveBalanceBody(inputs, now);
    return body && { ...body, text: `${formatAbbreviated(body.vaultBalance)} BD` };
  },
  staked: (inputs, now) => {
    const body = stakingTotalBody(inputs, now);
    return body && { ...body, text: `${formatAbbreviated(body.balance)} BD` };
  },
  stakers: (inputs, now) => {
    const body = stakingTotalBody(inputs, now);
    return body && { ...body, text: formatCount(body.stakerCount) };
  },
  price: (inputs, now) => {
    const body = tradingMarketBody(inputs, now);
    return body && { ...body, text: `$${formatPrice(body.priceUsd)}` };
  },
};

export function embeddedFigure(name: EmbeddedFigureName, inputs: FigureInputs, now: number): EmbeddedFigure {
  const label = EMBEDDED_FIGURES[name];
  const reading = READERS[name](inputs, now);
  if (reading === null) return { label, value: 'unknown', asOf: null, caveat: null };
  const { text, asOf, source, state } = reading;
  const caveats = [...(isDemo(source) ? ['demo'] : []), ...(state === 'live' ? [] : [state])];
  return { label, value: text, asOf: new Date(asOf), caveat: caveats.join(', ') || null };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `26 Nov, 15:04 UTC`. An absolute time stays correct in a cached copy; an age in minutes would not. */
export function shortMomentText(moment: Date): string {
  const [day, time] = [moment.getUTCDate(), moment.toISOString().slice(11, 16)];
  return `${day} ${MONTHS[moment.getUTCMonth()]}, ${time} UTC`;
}
