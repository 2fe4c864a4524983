import styles from './form.module.css';
import type { SendState, SubmitFailure } from './use-submission.ts';

interface FailureBannerProps {
  readonly sendState: SendState;
  readonly title?: string;
  readonly messageOf?: (failure: SubmitFailure) => string;
  readonly showsDetail?: boolean;
  readonly retry: () => void;
}

function defaultMessage(failure: SubmitFailure): string {
  return failure.kind === 'no-network'
    ? 'We could not reach the portal. Check your connection.'
    : (failure.message ?? 'Something went wrong on our side.');
}

export function FailureBanner({
  sendState,
  title,
  messageOf = defaultMessage,
  showsDetail = false,
  retry,
}: FailureBannerProps) {
  if (sendState.kind !== 'refused' && sendState.kind !== 'no-network') return null;
  const message = messageOf(sendState);
  const detail =
    showsDetail && sendState.kind === 'refused' && sendState.message !== message ? sendState.message : null;
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
          // Moves the focus to the submit button, because this banner disappears while the form is being sent.
          currentTarget.form?.querySelector<HTMLButtonElement>('[type=submit]')?.focus();
          retry();
        }}
      >
        Retry
      </button>
    </div>
  );
}
