import { formatCount } from '../../../data/model/count.ts';
import { formatFull } from '../../../data/model/format.ts';
import { MARKET_SUPPLY_BD, supplyParts, TOTAL_SUPPLY_BD } from '../../../data/model/supply.ts';
import { TOKEN_MARKET_DATA } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { formatRound } from '../figure/round-amount.ts';
import type { SupplyPlaceProps } from './supply-labels.ts';

/** What the mint itself says of the supply, once it is read: an amount that was burnt is not in it. */
function Minted() {
  const token = useFigure(TOKEN_MARKET_DATA);
  return token.kind === 'known'
    ? `The mint says ${formatFull(token.body.totalSupply)}`
    : 'All BD ever minted';
}

/** One element for all renders, so that the tile counts as unchanged. */
const MINTED = <Minted />;
const STATED = { kind: 'stated' } as const;
const FORMULA = `${formatRound(MARKET_SUPPLY_BD.toString())} − staked − vault − ${formatRound(supplyParts(1).streamflowAllocation)}`;

/** The two supplies that are fixed, and the one that is worked out from what is live. */
export function SupplyFigures({ view, labels }: SupplyPlaceProps) {
  return (
    <FigureLedger columns={3} lined={false}>
      <Figure
        label={labels.totalSupply}
        value={formatCount(TOTAL_SUPPLY_BD)}
        unit="BD"
        fact={MINTED}
        provenance={STATED}
      />
      <Figure
        label={labels.marketSupply}
        value={formatCount(MARKET_SUPPLY_BD)}
        unit="BD"
        fact="What circulates"
        provenance={STATED}
      />
      <Figure
        label={labels.reduced}
        value={view.rows.find(({ part }) => part === 'market')?.live?.amount ?? null}
        unit="BD"
        fact="Worked out from live figures alone"
        evidence={FORMULA}
        provenance={view.rest}
      />
    </FigureLedger>
  );
}
