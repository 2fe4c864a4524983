import { MARKET_SUPPLY_BD, supplyParts } from '../../../data/model/supply.ts';
import { Bone } from '../figure/Bone.tsx';
import { Dash } from '../figure/Dash.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { formatRound } from '../figure/round-amount.ts';
import styles from './supply.module.css';
import type { SupplyPlaceProps } from './supply-labels.ts';
import type { PartName } from './supply-view.ts';

const MARKET_SUPPLY = formatRound(MARKET_SUPPLY_BD.toString());
const STREAMFLOW = formatRound(supplyParts(1).streamflowAllocation);

/** The reduced supply's arithmetic, a term each: live ones are dashes where they are not known, and so is the result. */
export function ReducedFormula({ view, labels }: SupplyPlaceProps) {
  const live = (part: PartName) => {
    const row = view.rows.find((each) => each.part === part);
    if (row?.live) return row.live.amount;
    return row?.provenance.kind === 'loading' ? <Waiting /> : <Dash />;
  };
  const terms = [
    { name: labels.marketSupply, amount: MARKET_SUPPLY },
    { name: labels.staked, amount: live('staked') },
    { name: labels.vault, amount: live('vault') },
    { name: labels.streamflow, amount: STREAMFLOW },
    { name: labels.reduced, amount: live('market'), isResult: true },
  ];
  return (
    <div className={styles.formula}>
      {terms.map(({ name, amount, isResult = false }) => (
        <div key={name} className={styles.term} data-result={isResult}>
          <span>{name}</span>
          <b>{amount}</b>
        </div>
      ))}
    </div>
  );
}

function Waiting() {
  return (
    <>
      <Bone width={5} />
      <LoadingWords />
    </>
  );
}
