import { LOAN_TERMS } from '../../../data/model/loan-terms.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import styles from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { StatusLink, SuccessHead } from '../form/Success.tsx';
import loanStyles from './loan.module.css';

const TITLE_ID = 'loan-success-title';

export function LoanSuccess({
  referenceNumber,
  onClose,
}: {
  readonly referenceNumber: string;
  readonly onClose: () => void;
}) {
  return (
    <ModalDialog labelledby={TITLE_ID} isBusy={false} onClose={onClose}>
      {(close) => (
        <div className={styles.form}>
          <button type="button" className={loanStyles.close} aria-label="Close this message" onClick={close}>
            ✕
          </button>
          <div>
            <SuccessHead
              id={TITLE_ID}
              title="Application Submitted Successfully"
              referenceNumber={referenceNumber}
            />
            <p>
              We have emailed you a receipt. Within {LOAN_TERMS.confirmationHours} hours the team confirms
              that your application is complete.
            </p>
            <p className={loanStyles.nextStep}>
              <strong>Confirm your email address</strong> with the link in that email within{' '}
              {PORTAL_LIMITS.mailboxConfirmationHours} hours. Otherwise your documents are deleted.
            </p>
            <p className={styles.quiet}>
              Keep the reference number. Do not send money before you have signed the note.
            </p>
          </div>
          <p className={styles.actions}>
            <button type="button" className="button gold" onClick={close}>
              Close
            </button>
            <StatusLink referenceNumber={referenceNumber} />
          </p>
        </div>
      )}
    </ModalDialog>
  );
}
