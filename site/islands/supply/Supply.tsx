import { ANALYTICS_STAKING_TOTAL, ANALYTICS_VAULT_BALANCE } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { Allocation } from './Allocation.tsx';
import { ReducedFormula } from './ReducedFormula.tsx';
import { SupplyFigures } from './SupplyFigures.tsx';
import type { SupplyLabels } from './supply-labels.ts';
import { supplyView } from './supply-view.ts';

/** One of the three places on a page where the supply is told. */
const PLACES = { figures: SupplyFigures, allocation: Allocation, formula: ReducedFormula } as const;

interface SupplyProps {
  readonly place: keyof typeof PLACES;
  readonly labels: SupplyLabels;
}

/** The supply of BD, live where it is. */
export default function Supply(props: SupplyProps) {
  return (
    <LiveRoot>
      <LiveSupply {...props} />
    </LiveRoot>
  );
}

function LiveSupply({ place, labels }: SupplyProps) {
  const vault = useFigure(ANALYTICS_VAULT_BALANCE);
  const staking = useFigure(ANALYTICS_STAKING_TOTAL);
  const Place = PLACES[place];
  return <Place view={supplyView({ vault, staking }, labels)} labels={labels} />;
}
