import { AnswersChatLink, emailByReference } from './AnswersChatLink.tsx';
import { focusOnMount } from './focus-on-mount.ts';
import styles from './form.module.css';

/**
 * A link to the status of a submission, and a link to a chat that gets a message about each answer. The reference number is in
 * the fragment, which is not sent to the server.
 */
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

/** The heading of a success screen, which gets the focus, and the reference number. */
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
