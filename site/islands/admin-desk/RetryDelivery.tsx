import { showToast } from '../../shell/toasts/show-toast.ts';
import styles from './admin-desk.module.css';
import { useChange } from './desk-changes.ts';
import { useMay } from './role.ts';

/** Queues a delivery again that was given up. */
export function RetryDelivery({ deliveryId, what }: { readonly deliveryId: string; readonly what: string }) {
  const mayDecide = useMay('reviewer');
  const { isBusy, send } = useChange('/api/admin/deliveries/retry');
  if (!mayDecide) return 'Given up';
  const retry = async () => {
    const outcome = await send({ deliveryId });
    void showToast(
      outcome.kind === 'done'
        ? { title: 'Queued again', text: `The delivery of ${what} is tried again.`, kind: 'success' }
        : { title: 'Not queued', text: outcome.words, kind: 'failure', seconds: 10 },
    );
  };
  return (
    <button
      type="button"
      className={styles.quick}
      aria-disabled={isBusy}
      onClick={(event) => {
        event.stopPropagation();
        if (!isBusy) void retry();
      }}
    >
      {isBusy ? 'Queueing...' : 'Retry'}
      <span className="visually-hidden"> the delivery of {what}</span>
    </button>
  );
}
