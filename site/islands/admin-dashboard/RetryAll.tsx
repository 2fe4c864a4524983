import { useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { formatCount } from '../../../data/model/count.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { useChange, useMay } from '../admin/admin-calls.ts';
import styles from './bounces.module.css';

/** Sends all failed deliveries again, after a confirmation. @param failed how many there are */
export function RetryAll({ failed }: { readonly failed: number }) {
  const mayRetry = useMay('reviewer');
  const { isBusy, send } = useChange();
  const [isAsking, setAsking] = useState(false);
  if (!mayRetry || failed === 0) return null;
  const retry = async () => {
    const outcome = await send(PATHS.retryFailed, { referenceNumber: null });
    if (outcome === null) return;
    setAsking(false);
    void showToast(
      outcome.kind === 'done'
        ? {
            title: 'Retry queued',
            text: `${formatCount(outcome.body.deliveries)} deliveries will be sent again.`,
            kind: 'success',
          }
        : { title: 'Not queued', text: outcome.message, kind: 'failure', seconds: 10 },
    );
  };
  return (
    <p className={`${styles.steps} ${styles.retry}`} data-retry-all>
      {isAsking ? (
        <>
          <span>
            Send {failed === 1 ? 'one failed delivery' : `${formatCount(failed)} failed deliveries`} again,
            each to the current address of its record?
          </span>
          <button type="button" className="button" aria-disabled={isBusy} onClick={() => void retry()}>
            {isBusy ? 'Queueing...' : 'Send again'}
          </button>
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Cancel
          </button>
        </>
      ) : (
        <button type="button" className="button" onClick={() => setAsking(true)}>
          Retry all {formatCount(failed)}
        </button>
      )}
    </p>
  );
}
