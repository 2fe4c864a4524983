import { type ReactNode, useMemo } from 'react';
import type { StakeDistribution } from '../../../data/contract/stakes.ts';
import { EXACT_DECIMALS, exactUnits, toDecimalText } from '../../../data/model/amounts.ts';
import { toCsv } from '../../../data/model/csv.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { formatFull } from '../../../data/model/format.ts';
import { ShareBar } from '../../components/chart/ShareBar.tsx';
import type { Reading } from '../../data/figure-query.ts';
import { ANALYTICS_DISTRIBUTION } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { ChartActions } from '../chart/ChartActions.tsx';
import chart from '../chart/chart.module.css';
import { PeriodChart } from '../chart/PeriodChart.tsx';
import type { ChartSpec } from '../chart/period-chart.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { formatStake } from '../ui/format.ts';
import { LinkedId, useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { provenanceOf, sourceLabel } from '../ui/provenance.ts';
import { ReadNotice } from '../ui/ReadStates.tsx';
import styles from './distribution.module.css';

const UNLOCKS_TITLE = 'BD unlocking per week';
const LARGEST_TITLE = 'Largest stakers';
const TIERS_TITLE = 'Stakers by card tier';

function unlockSpec({ weeks }: Pick<StakeDistribution, 'weeks'>): ChartSpec {
  const texts = weeks.map(({ amount }) => amount);
  return {
    ...{ id: 'unlocks', title: UNLOCKS_TITLE, shape: 'stack', unit: 'BD' },
    series: [{ label: 'Unlocks', tone: 'gold', values: texts.map(Number), texts }],
    extraColumns: [{ label: 'Stakes', texts: weeks.map(({ stakes }) => formatCount(stakes)) }],
  };
}

/** The terms of the equation: already unlocked + unlocking in the listed weeks + unlocking later = staked. */
function unlockTerms({ unlocked, weeks, later, totalStaked }: StakeDistribution) {
  const unitsInWeeks = weeks.reduce((sum, { amount }) => sum + exactUnits(amount), 0n);
  return [
    { name: 'Already unlocked', amount: unlocked },
    { name: `In these ${weeks.length} weeks`, amount: toDecimalText(unitsInWeeks, EXACT_DECIMALS) },
    { name: 'Later', amount: later },
    { name: 'Total staked', amount: totalStaked },
  ];
}

interface SectionProps {
  readonly body: StakeDistribution;
  readonly link: ExplorerLink | null;
}

const noteOf = ({ asOf, source }: StakeDistribution) =>
  `${asOf.slice(0, 16).replace('T', ' ')} UTC · ${sourceLabel(source)}`;

function Unlocks({ body }: Pick<SectionProps, 'body'>) {
  const spec = useMemo(() => unlockSpec(body), [body]);
  return (
    <PeriodChart spec={spec} periods={body.weeks} source={sourceLabel(body.source)} isFuture>
      <dl className={styles.terms}>
        {unlockTerms(body).map(({ name, amount }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatFull(amount)} BD</dd>
          </div>
        ))}
      </dl>
    </PeriodChart>
  );
}

interface BarTableProps {
  readonly id: string;
  readonly title: string;
  readonly body: StakeDistribution;
  /** The column headings of the table and of its CSV file. The table has an additional column with bars after the first one. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly name: ReactNode;
    readonly percent: string | null;
    readonly cells: readonly string[];
    readonly csvCells: readonly (string | null)[];
  }[];
}

function BarTable({ id, title, body, columns, rows }: BarTableProps) {
  const [firstColumn, ...otherColumns] = columns;
  const largestPercent = Math.max(...rows.map(({ percent }) => Number(percent)), 0.01);
  return (
    <section aria-labelledby={id}>
      <header className={chart.head}>
        <h2 id={id}>{title}</h2>
        <ChartActions
          title={title}
          fileName={`blackduck-${id}-${body.asOf.slice(0, 10)}`}
          csv={() =>
            toCsv(
              columns,
              rows.map(({ csvCells }) => csvCells),
            )
          }
          note={noteOf(body)}
        />
      </header>
      <figure className={styles.bars} aria-labelledby={id}>
        <table className="table figures">
          <thead>
            <tr>
              <th scope="col">{firstColumn}</th>
              <th scope="col" className={styles.bar}>
                <span className="visually-hidden">Bar</span>
              </th>
              {otherColumns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, percent, cells }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td className={styles.bar}>
                  <ShareBar x={0} width={(Number(percent) / largestPercent) * 100} />
                </td>
                {[...cells, percent === null ? '–' : `${percent}%`].map((cell, index) => (
                  <td key={otherColumns[index]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </figure>
    </section>
  );
}

function Concentration({
  body,
  link,
  reading,
}: SectionProps & { readonly reading: Reading<StakeDistribution> }) {
  const provenance = provenanceOf(ANALYTICS_DISTRIBUTION.path, reading, 'unavailable');
  const { top, tiers } = body;
  return (
    <>
      <div className={styles.figures}>
        <FigureGrid columns={2}>
          <Figure
            label={`Share of the ${top.length} largest stakers`}
            value={body.topPercent === null ? null : `${body.topPercent}%`}
            unit=""
            fact="of all staked BD"
            provenance={provenance}
          />
          <Figure
            label="Gini coefficient"
            value={body.gini}
            unit=""
            fact="0: all equal; near 1: one wallet has almost all"
            provenance={provenance}
          />
        </FigureGrid>
      </div>
      <BarTable
        id="largest-stakers"
        title={LARGEST_TITLE}
        body={body}
        columns={['Wallet', 'Staked (BD)', 'Share']}
        rows={top.map(({ wallet, amount, percent }) => ({
          key: wallet,
          name: <LinkedId id={wallet} kind="address" link={link} name="Wallet" />,
          percent,
          cells: [formatStake(amount)],
          csvCells: [wallet, amount, percent],
        }))}
      />
      <BarTable
        id="stakers-by-tier"
        title={TIERS_TITLE}
        body={body}
        columns={['Tier', 'Stakers', 'Staked (BD)', 'Share']}
        rows={tiers.toReversed().map(({ tier, stakers, amount, percent }) => ({
          key: tier ?? 'none',
          name: tier ?? 'No card tier',
          percent,
          cells: [formatCount(stakers), formatStake(amount)],
          csvCells: [tier ?? 'None', String(stakers), amount, percent],
        }))}
      />
    </>
  );
}

interface StakeDistributionProps {
  readonly section: 'unlocks' | 'concentration';
  readonly explorer: string;
}

export default liveIsland(function StakeDistributionSection({ section, explorer }: StakeDistributionProps) {
  const link = useExplorerLink(explorer);
  const reading = useFigure(ANALYTICS_DISTRIBUTION);
  const hasStakers = reading.kind === 'known' && reading.body.totalStakers > 0;
  return (
    <div className={styles[section]} aria-busy={reading.kind === 'loading'}>
      {hasStakers ? (
        section === 'unlocks' ? (
          <Unlocks body={reading.body} />
        ) : (
          <Concentration body={reading.body} link={link} reading={reading} />
        )
      ) : (
        <section aria-label={section === 'unlocks' ? UNLOCKS_TITLE : LARGEST_TITLE}>
          <header className={chart.head}>
            <h2>{section === 'unlocks' ? UNLOCKS_TITLE : LARGEST_TITLE}</h2>
          </header>
          {reading.kind === 'loading' ? null : (
            <ReadNotice
              reading={reading}
              what="the stakes"
              failedText="Could not load the stakes."
              unknownText="Loading the stakes from the chain."
              emptyText="No active stakes at the moment."
            />
          )}
        </section>
      )}
    </div>
  );
});
