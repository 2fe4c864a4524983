import { scaledDecimal } from '../../../data/model/amounts.ts';
import type { Usage } from '../../data/card-calls.ts';
import type { Retry } from '../figure/provenance.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import { momentText } from '../position/moment-text.ts';
import { DataTable } from '../table/DataTable.tsx';
import styles from './card.module.css';
import { dollarsText, USAGE_PLAN } from './usage-plan.tsx';

interface UsageViewProps {
  readonly usage: Usage;
  /** The badge of a card that pays for nothing; null for a real one. */
  readonly testBadge: string | null;
  /** How to read it again where the last attempt failed; null where it did not fail. */
  readonly behind: Retry | null;
}

/** What a card has paid for: its totals against its limits, and every transaction that its issuer told. */
export default function UsageView({ usage, testBadge, behind }: UsageViewProps) {
  return (
    <div className={styles.used} data-usage={usage.isComplete ? 'complete' : 'incomplete'}>
      {testBadge === null ? null : <p className={styles.test}>{testBadge}</p>}
      <div className={styles.spent}>
        <Spent label="Spent today" spent={usage.spentToday} limit={usage.dailyLimit} />
        <Spent label="Spent this month" spent={usage.spentThisMonth} limit={usage.monthlyLimit} />
      </div>
      <p className={styles.quiet}>As the issuer told on {momentText(usage.asOf)}.</p>
      {behind === null ? null : (
        <p className={styles.amber} role="status">
          It could not be read again: what was paid since is missing.{' '}
          <RetryButton retry={behind} what="the usage" />
        </p>
      )}
      {usage.isComplete ? null : (
        <p className={styles.amber}>
          The issuer has more transactions than are listed here. The table and its CSV hold those that are
          listed.
        </p>
      )}
      <DataTable
        plan={USAGE_PLAN}
        rows={usage.transactions}
        empty={<p className={styles.unused}>The card has not been used yet.</p>}
      />
    </div>
  );
}

interface SpentProps {
  readonly label: string;
  /** US dollars, decimal text. */
  readonly spent: string;
  readonly limit: string;
}

/** How much of a limit is used up (0–100). What came back in excess of payments uses none of it. */
export function shareOfLimit(spent: string, limit: string): number {
  const [used, whole] = [scaledDecimal(spent, 4), scaledDecimal(limit, 4)];
  if (whole <= 0n || used <= 0n) return 0;
  return used >= whole ? 100 : Number((used * 1_000n) / whole) / 10;
}

function Spent({ label, spent, limit }: SpentProps) {
  return (
    <div>
      <h3>{label}</h3>
      <p className={styles.figure}>
        {dollarsText(spent)} <span className={styles.quiet}>of {dollarsText(limit)}</span>
      </p>
      <meter min={0} max={100} value={shareOfLimit(spent, limit)} aria-label={`${label}, of the limit`} />
    </div>
  );
}
