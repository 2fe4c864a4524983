import type { VaultMetrics } from '../../../data/contract/metrics.ts';
import { scaledDecimal } from '../../../data/model/amounts.ts';
import { formatCount } from '../../../data/model/count.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import type { Reading } from '../../data/figure-query.ts';
import { VAULT_METRICS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Age, Reason } from '../ui/Figure.tsx';
import { formatMoved, signedPercent } from '../ui/format.ts';
import { liveIsland } from '../ui/Live.tsx';
import { provenanceOf } from '../ui/provenance.ts';
import { Dash, Loading, Skeleton } from '../ui/ReadStates.tsx';
import styles from './vault.module.css';

interface GrowthRow {
  readonly hours: number;
  /** Signed, with its percent sign. */
  readonly text: string;
  readonly direction: 'up' | 'down' | 'flat';
  /** Whether the growth is the published example, shown while the window has no history. */
  readonly example: boolean;
  /** Length of the bar in percent of one side of the scale. An example has no bar. */
  readonly length: number;
}

/** The end of the shortest scale in hundredths of a percent, so that a tiny change does not fill the scale. */
const SHORTEST_SCALE = 10;

/** The end of a scale: the smallest of 1, 2 and 5 times a power of ten that is at least `longest`. */
function scaleEnd(longest: number): number {
  for (let power = SHORTEST_SCALE; ; power *= 10) {
    const end = [1, 2, 5].map((factor) => factor * power).find((each) => each >= longest);
    if (end !== undefined) return end;
  }
}

/**
 * The growth in each window. A window without history shows the published example.
 * @returns `end`: the growth at the right end of the scale, in hundredths of a percent; null if no growth is known
 */
export function growthRows(growth: VaultMetrics['growth']) {
  const windows = REFERENCE_VALUES.vaultGrowth.map(({ hours, percent }) => {
    const real = growth.find((window) => window.hours === hours)?.percent ?? null;
    const hundredths = scaledDecimal(real ?? percent, 2);
    return { hours, example: real === null, hundredths, magnitude: Math.abs(Number(hundredths)) };
  });
  const measured = windows.filter(({ example }) => !example).map(({ magnitude }) => magnitude);
  const end = measured.length === 0 ? null : scaleEnd(Math.max(...measured));
  const rows = windows.map(
    ({ hours, example, hundredths, magnitude }): GrowthRow => ({
      hours,
      example,
      text: signedPercent(hundredths, example ? 1 : 2),
      direction: hundredths > 0n ? 'up' : hundredths < 0n ? 'down' : 'flat',
      length: example || end === null ? 0 : (magnitude / end) * 100,
    }),
  );
  return { rows, end };
}

export default liveIsland(function VaultPerformance() {
  return <PerformancePanel reading={useFigure(VAULT_METRICS)} />;
});

export function PerformancePanel({ reading }: { readonly reading: Reading<VaultMetrics> }) {
  return (
    <section aria-labelledby="vault-performance">
      <header className={styles.head}>
        <h2 id="vault-performance">Vault Performance</h2>
        <ReadState reading={reading} />
      </header>
      <div className={styles.parts}>
        <GrowthTable reading={reading} />
        <Movements reading={reading} />
      </div>
    </section>
  );
}

function ReadState({ reading }: { readonly reading: Reading<VaultMetrics> }) {
  const provenance = provenanceOf(VAULT_METRICS.path, reading, 'unavailable');
  if (provenance.kind === 'loading') return <Skeleton width={10} />;
  return (
    <span className={styles.state}>
      {provenance.kind === 'read' ? <Age read={provenance} /> : null}
      {provenance.kind === 'unavailable' ? <Reason label="vault performance" {...provenance} /> : null}
    </span>
  );
}

/** `10` → `'0.1%'`. */
const endText = (end: number) => `${end / 100}%`;

function GrowthTable({ reading }: { readonly reading: Reading<VaultMetrics> }) {
  const loading = reading.kind === 'loading';
  const { rows, end } = growthRows(reading.kind === 'known' ? reading.body.growth : []);
  return (
    <table className={styles.growth} aria-busy={loading}>
      <caption className="visually-hidden">Growth of the vault balance</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Window</span>
          </th>
          <th scope="col">
            <span className="visually-hidden">Scale</span>
            {end === null ? null : (
              <span className={styles.scaleEnds}>
                <span>−{endText(end)}</span>
                <span>0</span>
                <span>+{endText(end)}</span>
              </span>
            )}
          </th>
          <th scope="col">
            <span className="visually-hidden">Growth</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.hours} data-direction={row.direction} data-example={row.example}>
            <th scope="row">{row.hours} h</th>
            <td className={styles.scale}>
              {loading || row.example ? null : (
                <span className={styles.bar} style={{ width: `${row.length / 2}%` }} />
              )}
            </td>
            <td className={styles.percent}>
              {!loading && row.example ? <span className={styles.example}>Example</span> : null}
              {loading ? <Loading width={10} /> : row.text}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** An amount with a sign. Zero has no sign. */
function signedAmount(sign: '+' | '−', decimalText: string): string {
  const amount = formatMoved(decimalText);
  return /[1-9]/.test(amount) ? `${sign}${amount}` : amount;
}

function Movements({ reading }: { readonly reading: Reading<VaultMetrics> }) {
  const loading = reading.kind === 'loading';
  // Null while the last 24 hours are not fully indexed.
  const {
    deposits24h = null,
    withdrawals24h = null,
    movements24h = null,
  } = reading.kind === 'known' ? reading.body : {};
  const rows = [
    { name: 'Deposited, 24 h', value: deposits24h && signedAmount('+', deposits24h), unit: 'BD' },
    { name: 'Withdrawn, 24 h', value: withdrawals24h && signedAmount('−', withdrawals24h), unit: 'BD' },
    { name: 'Movements, 24 h', value: movements24h === null ? null : formatCount(movements24h), unit: '' },
  ];
  return (
    <dl className={styles.movements}>
      {rows.map(({ name, value, unit }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {loading ? <Loading width={10} /> : (value ?? <Dash />)}
            {value === null || unit === '' ? null : <span className={styles.unit}> {unit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
