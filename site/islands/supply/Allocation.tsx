import { ShareBar } from '../../components/chart/ShareBar.tsx';
import { Swatch } from '../../components/chart/Swatch.tsx';
import { Age } from '../figure/Age.tsx';
import { Bone } from '../figure/Bone.tsx';
import { Dash } from '../figure/Dash.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import styles from './supply.module.css';
import '../../styles/tables.css';
import type { SupplyPlaceProps } from './supply-labels.ts';
import type { PartRow } from './supply-view.ts';

const BAR = 'allocation';

/** The parts of the market supply as a bar, and the table that it draws. */
export function Allocation({ view, labels }: SupplyPlaceProps) {
  const drawn = view.isLive ? 'Live' : labels.asStated;
  return (
    <>
      <p className={styles.drawn}>
        <span>{view.isLive ? 'Drawn as it stands' : `Drawn ${lowerFirst(labels.asStated)}`}</span>
        {view.rest.kind === 'read' ? <Age read={view.rest} /> : null}
      </p>
      <div className={styles.bar}>
        <ShareBar
          id={BAR}
          label={`${labels.chart}. ${drawn}: ${sharesText(view.shares)}.`}
          shares={view.shares}
        />
      </div>
      <table className="table figures stacked">
        <caption className="visually-hidden">{labels.chart}</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">{labels.asStated}</th>
            <th scope="col">Live</th>
          </tr>
        </thead>
        <tbody>
          {view.rows.map((row, index) => (
            <tr key={row.part}>
              <th scope="row">
                <Swatch bar={BAR} index={index} />
                {labels[row.part]}
              </th>
              <td data-name={labels.asStated}>
                <Amount {...row.stated} />
              </td>
              <td data-name="Live">
                <LivePart row={row} name={labels[row.part]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function sharesText(shares: SupplyPlaceProps['view']['shares']): string {
  return shares.map(({ label, percent }) => `${label} ${percent}%`).join(', ');
}

function Amount({ amount, percent }: { readonly amount: string; readonly percent: string }) {
  return (
    <span className={styles.amount}>
      {amount} BD <span className={styles.share}>{percent}%</span>
    </span>
  );
}

function LivePart({ row: { live, provenance }, name }: { readonly row: PartRow; readonly name: string }) {
  if (live !== null) return <Amount {...live} />;
  if (provenance.kind === 'loading') {
    return (
      <span>
        <Bone width={14} />
        <LoadingWords />
      </span>
    );
  }
  if (provenance.kind !== 'unavailable') return <Dash />;
  return (
    <span className={styles.missing}>
      <Dash /> {provenance.why}
      {provenance.retry === null ? null : (
        <>
          {' · '}
          <RetryButton retry={provenance.retry} what={name} />
        </>
      )}
    </span>
  );
}
