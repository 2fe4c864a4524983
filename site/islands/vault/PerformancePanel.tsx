import { formatCount } from '../../../data/model/count.ts';
import { type FigureBodies, VAULT_METRICS } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { Age } from '../figure/Age.tsx';
import { Dash } from '../figure/Dash.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { formatMoved } from '../figure/moved-amount.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import { type GrowthRow, growthRows } from './growth-rows.ts';
import styles from './vault.module.css';

type Metrics = FigureBodies['/api/vault/metrics'];

/** Zero stands in the middle of the scale, and the longest bar keeps a tenth of the way to its end. */
const HALF_SCALE = 0.45;

/** Growth of the vault by window and its movements of the last 24 hours. */
export function PerformancePanel({ reading }: { readonly reading: Reading<Metrics> }) {
  return (
    <section aria-labelledby="vault-performance">
      <header className={styles.head}>
        <h2 id="vault-performance">Vault Performance</h2>
        <Reach reading={reading} />
      </header>
      <GrowthTable reading={reading} />
      <Movements
        metrics={reading.kind === 'known' ? reading.body : null}
        loading={reading.kind === 'loading'}
      />
    </section>
  );
}

function Reach({ reading }: { readonly reading: Reading<Metrics> }) {
  switch (reading.kind) {
    case 'loading':
      return <span className={`${styles.bone} script-only`} aria-hidden="true" />;
    case 'known':
      return (
        <span className={styles.reach}>
          <Age read={{ asOf: Date.parse(reading.body.asOf), source: 'chain', calls: [VAULT_METRICS.path] }} />
        </span>
      );
    case 'unknown':
      return <span className={styles.reach}>Not read yet</span>;
    case 'failed':
      return (
        <span className={styles.reach}>
          Could not be read ·{' '}
          <RetryButton retry={{ run: reading.retry, running: reading.retrying }} what="vault performance" />
        </span>
      );
  }
}

function GrowthTable({ reading }: { readonly reading: Reading<Metrics> }) {
  const loading = reading.kind === 'loading';
  return (
    <table className={styles.growth} aria-busy={loading}>
      <caption className="visually-hidden">Growth of the vault balance</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Window</th>
          <th scope="col">Scale</th>
          <th scope="col">Growth</th>
        </tr>
      </thead>
      <tbody>
        {growthRows(reading.kind === 'known' ? reading.body.growth : []).map((row) => (
          <tr key={row.hours} data-direction={row.direction} data-example={row.example}>
            <th scope="row">{row.hours} h</th>
            <td className={styles.scale}>{loading ? null : <Bar row={row} />}</td>
            <td className={styles.percent}>{loading ? <Bone /> : <Percent row={row} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ row }: { readonly row: GrowthRow }) {
  return <span className={styles.bar} style={{ width: `${row.length * HALF_SCALE}%` }} aria-hidden="true" />;
}

function Percent({ row }: { readonly row: GrowthRow }) {
  return (
    <>
      {row.example ? <span className={styles.example}>Example</span> : null}
      {row.text}
    </>
  );
}

function Bone() {
  return (
    <>
      <span className={`${styles.bone} script-only`} aria-hidden="true" />
      <LoadingWords />
    </>
  );
}

/** A moved amount with its sign, which nothing moved has not; null while the day is not wholly indexed. */
function moved(sign: '+' | '−', decimalText: string | null): string | null {
  if (decimalText === null) return null;
  const amount = formatMoved(decimalText);
  return /[1-9]/.test(amount) ? `${sign}${amount}` : amount;
}

const countOf = (count: number | null | undefined) => (count == null ? null : formatCount(count));

function Movements({ metrics, loading }: { readonly metrics: Metrics | null; readonly loading: boolean }) {
  const rows = [
    { name: 'Deposited, 24 h', value: moved('+', metrics?.deposits24h ?? null), unit: 'BD' },
    { name: 'Withdrawn, 24 h', value: moved('−', metrics?.withdrawals24h ?? null), unit: 'BD' },
    { name: 'Movements, 24 h', value: countOf(metrics?.movements24h), unit: '' },
  ];
  return (
    <dl className={styles.movements}>
      {rows.map(({ name, value, unit }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {loading ? <Bone /> : (value ?? <Dash />)}
            {value === null || unit === '' ? null : <span className={styles.unit}> {unit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
