import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { MarketLine } from './MarketLine.tsx';
import styles from './market.module.css';
import { type MarketReading, marketFigures } from './market-figures.ts';

/** The market in four cards, under a line that says where they come from, or that the service is down. */
export function MarketCards({ reading }: { readonly reading: MarketReading }) {
  return (
    <div className={styles.market}>
      <MarketLine reading={reading} />
      <FigureLedger columns={4}>
        {marketFigures(reading).map((figure) => (
          <Figure key={figure.label} prefix="$" unit="USD" {...figure} />
        ))}
      </FigureLedger>
    </div>
  );
}
