import type { ReactNode } from 'react';
import { MARKET_OVERVIEW } from '../../data/figure-strategies.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';
import { useFigureState } from '../../data/use-figure.ts';
import { feedLabel } from '../figure/feed-label.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import styles from './market.module.css';
import type { MarketReading } from './market-figures.ts';

const DOWN = 'The market data service is temporarily unavailable.';

/** One line, of one height in every state. What it says of an outage is read out when it begins. */
export function MarketLine({ reading }: { readonly reading: MarketReading }) {
  return (
    <p className={styles.line} role="status">
      <Words reading={reading} />
    </p>
  );
}

function Words({ reading }: { readonly reading: MarketReading }) {
  switch (reading.kind) {
    case 'loading':
      return <span className="script-only">Asking the market …</span>;
    case 'unknown':
      return <Down>It has not told a price yet.</Down>;
    case 'failed':
      return (
        <Down>
          <RetryButton retry={{ run: reading.retry, running: reading.retrying }} what="the market data" />
        </Down>
      );
    case 'known': {
      const { asOf, source } = reading.body;
      const read = { asOf: Date.parse(asOf), source: sourceOf(source), calls: [MARKET_OVERVIEW.path] };
      return <FeedWords read={read} feed={feedLabel(source)} />;
    }
  }
}

function FeedWords({ read, feed }: { readonly read: FigureRead; readonly feed: string }) {
  return useFigureState(read) === 'stale' ? <Down>These are its last figures.</Down> : `From the ${feed}`;
}

function Down({ children }: { readonly children: ReactNode }) {
  return (
    <span className={styles.down}>
      <strong>{DOWN}</strong> {children}
    </span>
  );
}
