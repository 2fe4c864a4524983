import { useState } from 'react';
import type { retryFailedDeliveries } from '../../../data/contract/admin-bounces.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { useChange, useHasRole } from '../admin/admin-calls.ts';
import styles from './bounces.module.css';

const countText = (count: number, singular: string, plural: string) =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`;

/** Resends all failed deliveries that belong to records, even those that the list does not show. Shows a preview first. */
export function RetryAll() {
  const mayRetry = useHasRole('reviewer');
  const { isBusy, send } = useChange();
  const [preview, setPreview] = useState<ResponseOf<typeof retryFailedDeliveries> | null>(null);
  if (!mayRetry) return null;
  const showFailure = (text: string) =>
    void showToast({ title: 'Not queued', text, kind: 'failure', seconds: 10 });
  const loadPreview = async () => {
    const outcome = await send(PATHS.retryFailedDeliveries, { referenceNumber: null, preview: true });
    if (outcome?.kind === 'done') setPreview(outcome.body);
    else if (outcome) showFailure(outcome.message);
  };
  const retry = async () => {
    const outcome = await send(PATHS.retryFailedDeliveries, { referenceNumber: null });
    if (outcome === null) return;
    setPreview(null);
    if (outcome.kind !== 'done') return showFailure(outcome.message);
    const { deliveries, recordCount } = outcome.body;
    void showToast({
      title: 'Retry queued',
      text: `${countText(deliveries, 'delivery', 'deliveries')} for ${countText(recordCount, 'record', 'records')} will be sent again.`,
      kind: 'success',
    });
  };
  if (preview === null) {
    return (
      <p className={`${styles.steps} ${styles.retry}`} data-retry-all>
        <button type="button" className="button" aria-disabled={isBusy} onClick={() => void loadPreview()}>
          Retry all
        </button>
      </p>
    );
  }
  const { deliveries, recordCount, records } = preview;
  return (
    <section className={styles.retry} aria-label="Retry all" data-retry-all={deliveries}>
      <p>
        {deliveries === 0
          ? 'None of the failed deliveries belong to a record.'
          : `Send ${countText(deliveries, 'failed delivery', 'failed deliveries')} for ${countText(recordCount, 'record', 'records')} again? Each goes to the current address of its record.`}
      </p>
      <ul className={styles.preview}>
        {records.map((one) => (
          <li key={one.referenceNumber}>
            {one.referenceNumber}
            {one.deliveries === 1 ? '' : ` (${formatCount(one.deliveries)})`}
          </li>
        ))}
        {recordCount > records.length ? <li>and {formatCount(recordCount - records.length)} more</li> : null}
      </ul>
      <p className={styles.steps}>
        {deliveries === 0 ? null : (
          <button type="button" className="button" aria-disabled={isBusy} onClick={() => void retry()}>
            {isBusy ? 'Queueing...' : 'Send again'}
          </button>
        )}
        <button type="button" className="button" onClick={() => setPreview(null)}>
          Cancel
        </button>
      </p>
    </section>
  );
}
