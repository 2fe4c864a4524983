import type { VaultMetrics } from '../../../data/contract/metrics.ts';
import { scaledDecimal } from '../../../data/model/amounts.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import type { Reading } from '../../data/figure-query.ts';
import { VAULT_METRICS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Age, Reason } from '../ui/Figure.tsx';
import { formatAmount, signedPercent } from '../ui/format.ts';
import { liveIsland } from '../ui/Live.tsx';
import { provenanceOf } from '../ui/provenance.ts';
import { Dash, Loading, Skeleton } from '../ui/ReadStates.tsx';
import styles from './vault.module.css';

interface GrowthRow {
  readonly hours: number;
  /** Signed, with its percent sign; null if the growth is unknown. */
  readonly text: string | null;
  readonly direction: 'up' | 'down' | 'flat';
  /** Whether the growth is the published example, shown while the window has no history. */
  readonly isExample: boolean;
  /** The length of the bar, as a percentage of one side of the scale. An example has no bar. */
  readonly barPercent: number;
}

/** The end of the shortest scale in hundredths of a percent, so that a tiny change does not fill the scale. */
const SHORTEST_SCALE = 10;

/** The end of a scale: the smallest 1, 2 or 5 times a power of ten that reaches both `maxMagnitude` and `SHORTEST_SCALE`. */
function scaleLimitFor(maxMagnitude: number): number {
  for (let power = SHORTEST_SCALE; ; power *= 10) {
    const limit = [1, 2, 5].map((factor) => factor * power).find((each) => each >= maxMagnitude);
    if (limit !== undefined) return limit;
  }
}

/**
 * The growth in each window. A window without history shows the published example. An unknown growth has no text.
 * @param metrics null if nothing is known about the vault
 * @returns `scaleLimit`: the growth at the right end of the scale, in hundredths of a percent; null if no growth is known
 */
export function growthRows(metrics: VaultMetrics | null) {
  const windows = REFERENCE_VALUES.vaultGrowth.map(({ hours, percent }) => {
    const window = metrics?.growth.find((one) => one.hours === hours);
    const measured = window?.percent ?? null;
    const isExample = window?.hasHistory === false;
    const shownPercent = isExample ? percent : measured;
    const hundredths = shownPercent === null ? null : scaledDecimal(shownPercent, 2);
    return { hours, isExample, hundredths, magnitude: measured === null ? 0 : Math.abs(Number(hundredths)) };
  });
  const isMeasured = windows.some(({ isExample, hundredths }) => !isExample && hundredths !== null);
  const scaleLimit = isMeasured
    ? scaleLimitFor(Math.max(...windows.map(({ magnitude }) => magnitude)))
    : null;
  const rows = windows.map(
    ({ hours, isExample, hundredths, magnitude }): GrowthRow => ({
      hours,
      isExample,
      text: hundredths === null ? null : signedPercent(hundredths, isExample ? 1 : 2),
      direction: !hundredths ? 'flat' : hundredths > 0n ? 'up' : 'down',
      barPercent: scaleLimit === null ? 0 : (magnitude / scaleLimit) * 100,
    }),
  );
  return { rows, scaleLimit };
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
const scaleLimitText = (limit: number) => `${limit / 100}%`;

function GrowthTable({ reading }: { readonly reading: Reading<VaultMetrics> }) {
  const isLoading = reading.kind === 'loading';
  const { rows, scaleLimit } = growthRows(reading.kind === 'known' ? reading.body : null);
  return (
    <table className={styles.growth} aria-busy={isLoading}>
      <caption className="visually-hidden">Growth of the vault balance</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Window</span>
          </th>
          <th scope="col">
            <span className="visually-hidden">Scale</span>
            {scaleLimit === null ? null : (
              <span className={styles.scaleEnds}>
                <span>−{scaleLimitText(scaleLimit)}</span>
                <span>0</span>
                <span>+{scaleLimitText(scaleLimit)}</span>
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
          <tr key={row.hours} data-direction={row.direction} data-example={row.isExample}>
            <th scope="row">{row.hours} h</th>
            <td className={styles.scale}>
              {isLoading || row.isExample || row.text === null ? null : (
                <span className={styles.bar} style={{ width: `${row.barPercent / 2}%` }} />
              )}
            </td>
            <td className={styles.percent}>
              {!isLoading && row.isExample ? <span className={styles.example}>Example</span> : null}
              {isLoading ? <Loading width={10} /> : (row.text ?? <Dash />)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Adds the sign unless the amount is zero. */
function signedAmount(sign: '+' | '−', decimalText: string): string {
  const amount = formatAmount(decimalText);
  return /[1-9]/.test(amount) ? `${sign}${amount}` : amount;
}

function Movements({ reading }: { readonly reading: Reading<VaultMetrics> }) {
  const isLoading = reading.kind === 'loading';
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
            {isLoading ? <Loading width={10} /> : (value ?? <Dash />)}
            {value === null || unit === '' ? null : <span className={styles.unit}> {unit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
