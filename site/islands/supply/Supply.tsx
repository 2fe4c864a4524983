import { formatCount } from '../../../data/model/digit-grouping.ts';
import { formatFull } from '../../../data/model/format.ts';
import { MARKET_SUPPLY_BD, STREAMFLOW_ALLOCATION_BD, TOTAL_SUPPLY_BD } from '../../../data/model/supply.ts';
import { ShareBar, ShareScale, shareSegments } from '../../components/chart/ShareBar.tsx';
import {
  ANALYTICS_STAKING_TOTAL,
  ANALYTICS_VAULT_BALANCE,
  TOKEN_MARKET_DATA,
} from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Age, Figure, FigureGrid, Reason } from '../ui/Figure.tsx';
import { formatCompact } from '../ui/format.ts';
import { liveIsland } from '../ui/Live.tsx';
import { Dash, Loading } from '../ui/ReadStates.tsx';
import styles from './supply.module.css';
import { type PartName, type SupplyLabels, type SupplySectionProps, supplyView } from './supply-view.ts';
import '../../styles/tables.css';

const MARKET_SUPPLY = formatCompact(MARKET_SUPPLY_BD.toString());
const STREAMFLOW_ALLOCATION = formatCompact(STREAMFLOW_ALLOCATION_BD.toString());

/** If a term is unknown, the term and the result are shown as dashes. */
function ReducedSupplyFormula({ view, labels }: SupplySectionProps) {
  const liveAmount = (part: PartName) => {
    const row = view.rows.find((each) => each.part === part);
    if (row?.live) return row.live.amount;
    return row?.provenance.kind === 'loading' ? <Loading width={5} /> : <Dash />;
  };
  const terms = [
    { name: labels.marketSupply, amount: MARKET_SUPPLY },
    { name: labels.staked, amount: liveAmount('staked') },
    { name: labels.vault, amount: liveAmount('vault') },
    { name: labels.streamflow, amount: STREAMFLOW_ALLOCATION },
    { name: labels.reducedSupply, amount: liveAmount('remainder'), isResult: true },
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

/** The supply that the mint reports, which excludes burned BD; a fixed text until it is known. */
function MintedSupply() {
  const token = useFigure(TOKEN_MARKET_DATA);
  return token.kind === 'known'
    ? `The mint reports ${formatFull(token.body.totalSupply)}`
    : 'All BD ever minted';
}

/** The same element in every render, so that the tile does not render again. */
const MINTED_SUPPLY = <MintedSupply />;
const STATED_PROVENANCE = { kind: 'stated' } as const;
const REDUCED_SUPPLY_FORMULA = `${MARKET_SUPPLY} − staked − vault − ${STREAMFLOW_ALLOCATION}`;

function SupplyFigures({ view, labels }: SupplySectionProps) {
  return (
    <FigureGrid columns={3} hasTopLine={false}>
      <Figure
        label={labels.totalSupply}
        value={formatCount(TOTAL_SUPPLY_BD)}
        unit="BD"
        fact={MINTED_SUPPLY}
        provenance={STATED_PROVENANCE}
      />
      <Figure
        label={labels.marketSupply}
        value={formatCount(MARKET_SUPPLY_BD)}
        unit="BD"
        fact="In circulation"
        provenance={STATED_PROVENANCE}
      />
      <Figure
        label={labels.reducedSupply}
        value={view.rows.find(({ part }) => part === 'remainder')?.live?.amount ?? null}
        unit="BD"
        fact="Uses live balances"
        source={REDUCED_SUPPLY_FORMULA}
        provenance={view.remainderProvenance}
      />
    </FigureGrid>
  );
}

function Allocation({ view, labels }: SupplySectionProps) {
  const segments = shareSegments(view.shares);
  return (
    <>
      <p className={styles.barsNote} data-allocation={view.isLive ? 'live' : 'stated'}>
        <span>
          {view.isLive
            ? 'The bars show the current split'
            : `The bars show the project’s split, ${labels.statedOn}`}
        </span>
        {view.remainderProvenance.kind === 'read' ? <Age read={view.remainderProvenance} /> : null}
      </p>
      <table className="table figures stacked">
        <caption className="visually-hidden">{labels.chart}</caption>
        <thead>
          <tr>
            <th scope="col">Part of the supply</th>
            <th scope="col" className={styles.bar}>
              <ShareScale />
            </th>
            <th scope="col">{labels.asStated}</th>
            <th scope="col">Current</th>
          </tr>
        </thead>
        <tbody>
          {view.rows.map((row, index) => (
            <tr key={row.part}>
              <th scope="row">{labels[row.part]}</th>
              <td className={styles.bar}>
                <ShareBar x={segments[index]?.x ?? 0} width={segments[index]?.width ?? 0} />
              </td>
              <td data-name={labels.asStated}>
                <Amount {...row.stated} />
              </td>
              <td data-name="Current">
                <LiveAmount row={row} name={labels[row.part]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Amount({ amount, percent }: { readonly amount: string; readonly percent: string }) {
  return (
    <span className={styles.amount}>
      {amount} BD <span className={styles.share}>{percent}%</span>
    </span>
  );
}

interface LiveAmountProps {
  readonly row: SupplySectionProps['view']['rows'][number];
  readonly name: string;
}

function LiveAmount({ row: { live, provenance }, name }: LiveAmountProps) {
  if (live !== null) return <Amount {...live} />;
  if (provenance.kind === 'loading') return <Loading width={14} />;
  if (provenance.kind !== 'unavailable') return <Dash />;
  return (
    <span className={styles.missing}>
      <Dash /> <Reason label={name} {...provenance} />
    </span>
  );
}

const SECTIONS = { figures: SupplyFigures, allocation: Allocation, formula: ReducedSupplyFormula } as const;

interface SupplyProps {
  readonly section: keyof typeof SECTIONS;
  readonly labels: SupplyLabels;
}

export default liveIsland(function Supply({ section, labels }: SupplyProps) {
  const vault = useFigure(ANALYTICS_VAULT_BALANCE);
  const staking = useFigure(ANALYTICS_STAKING_TOTAL);
  const Section = SECTIONS[section];
  return <Section view={supplyView({ vault, staking }, labels)} labels={labels} />;
});
