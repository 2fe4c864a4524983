import styles from './form.module.css';

interface FailureBannerProps {
  readonly title?: string;
  readonly words: string;
  /** More on what happened, as the server tells it. */
  readonly detail?: string | null;
  readonly retry: () => void;
}

/** Tells that a form was not sent, beside the form, which has kept everything. */
export function FailureBanner({ title, words, detail = null, retry }: FailureBannerProps) {
  return (
    <div className={styles.failure} role="alert">
      {title === undefined ? null : <p className={styles.title}>{title}</p>}
      <p className={title === undefined ? styles.title : undefined}>{words}</p>
      {detail === null || detail === words ? null : <p>{detail}</p>}
      <p className={styles.quiet}>Everything you entered is still here.</p>
      <button type="button" className="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}
