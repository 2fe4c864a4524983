import styles from '../form/form.module.css';
import { StatusLink } from '../form/StatusLink.tsx';
import { SuccessHead } from '../form/SuccessHead.tsx';

const NEXT = [
  'Application review within 24 hours',
  'KYC verification (if required)',
  'Virtual card details via secure email',
  'Activation instructions via the messaging app',
] as const;

interface OverlaySuccessProps {
  readonly titleId: string;
  readonly referenceNumber: string;
  readonly close: () => void;
}

/** The overlay once the application was taken. */
export function OverlaySuccess({ titleId, referenceNumber, close }: OverlaySuccessProps) {
  return (
    <div className={styles.form}>
      <div>
        <SuccessHead
          id={titleId}
          title="Application Submitted Successfully!"
          referenceNumber={referenceNumber}
        />
        <p>A confirmation email and a messaging-app notification were sent.</p>
        <p>A copy of your application was saved for processing.</p>
      </div>
      <section className={styles.panel} aria-labelledby={`${titleId}-next`}>
        <h3 id={`${titleId}-next`}>What happens next?</h3>
        <ol>
          {NEXT.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
      <p className={styles.ways}>
        <button type="button" className="button gold" onClick={close}>
          Close
        </button>
        <StatusLink referenceNumber={referenceNumber} />
      </p>
    </div>
  );
}
