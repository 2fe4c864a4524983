import { formatCount } from '../../../data/model/count.ts';
import { MARKET_SUPPLY_BD, supplyParts, TOTAL_SUPPLY_BD } from '../../../data/model/supply.ts';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { formatRound } from '../figure/round-amount.ts';
import type { SupplyPlaceProps } from './supply-labels.ts';

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
        fact="All BD ever minted"
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
