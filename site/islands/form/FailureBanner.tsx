import styles from './form.module.css';
import type { Sending, SubmitFailure } from './use-submission.ts';

interface FailureBannerProps {
  readonly sending: Sending;
  readonly title?: string;
  readonly message?: (failure: SubmitFailure) => string;
  /** Whether to show the server's message, too. */
  readonly withDetail?: boolean;
  readonly retry: () => void;
}

function defaultMessage(failure: SubmitFailure): string {
  return failure.kind === 'no-network'
    ? 'We could not reach the portal. Check your connection.'
    : (failure.message ?? 'Something went wrong on our side.');
}

/** Says why a form was not sent, and offers a retry. */
export function FailureBanner({
  sending,
  title,
  message: messageOf = defaultMessage,
  withDetail = false,
  retry,
}: FailureBannerProps) {
  if (sending.kind !== 'refused' && sending.kind !== 'no-network') return null;
  const message = messageOf(sending);
  const detail =
    withDetail && sending.kind === 'refused' && sending.message !== message ? sending.message : null;
  return (
    <div className={styles.failure} role="alert">
      {title === undefined ? null : <p className={styles.title}>{title}</p>}
      <p className={title === undefined ? styles.title : undefined}>{message}</p>
      {detail === null ? null : <p>{detail}</p>}
      <p className={styles.quiet}>Everything you entered is still here.</p>
      <button
        type="button"
        className="button"
        onClick={({ currentTarget }) => {
          // Moves the focus, because this banner disappears while the form is being sent.
          currentTarget.form?.querySelector<HTMLButtonElement>('[type=submit]')?.focus();
          retry();
        }}
      >
        Retry
      </button>
    </div>
  );
}
