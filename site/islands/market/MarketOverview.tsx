import { MARKET_OVERVIEW } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { MarketCards } from './MarketCards.tsx';

/** The market of BD: current price, volume of 24 hours, market cap and liquidity. */
export default function MarketOverview() {
  return (
    <LiveRoot>
      <LiveMarket />
    </LiveRoot>
  );
}

function LiveMarket() {
  return <MarketCards reading={useFigure(MARKET_OVERVIEW)} />;
}
