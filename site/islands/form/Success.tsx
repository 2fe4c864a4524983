import { AnswersChatLink, emailByReference } from './AnswersChatLink.tsx';
import { focusOnMount } from './focus-on-mount.ts';
import styles from './form.module.css';

/** The reference number is in the fragment, which browsers do not send to the server. */
export function StatusLink({ referenceNumber }: { readonly referenceNumber: string }) {
  const email = emailByReference.get(referenceNumber);
  return (
    <>
      <a className="button" href={`/application-status#reference=${referenceNumber}`}>
        Check status
      </a>
      {email === undefined ? null : <AnswersChatLink referenceNumber={referenceNumber} email={email} />}
    </>
  );
}

interface SuccessHeadProps {
  readonly id: string;
  readonly title: string;
  readonly referenceNumber: string;
}

/** The heading gets the focus. */
export function SuccessHead({ id, title, referenceNumber }: SuccessHeadProps) {
  return (
    <>
      <h2 id={id} ref={focusOnMount} tabIndex={-1}>
        {title}
      </h2>
      <p className={styles.label}>Reference number</p>
      <p className={styles.reference}>{referenceNumber}</p>
    </>
  );
}
