import type { BodyOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { requestVerification } from '../../../data/contract/submissions.ts';
import { REQUEST_FORM } from '../../../data/model/forms/verification-forms.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { DraftHint, FormFields } from '../form/FormFields.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import styles from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { StatusLink } from '../form/Success.tsx';
import { type SubmitFailure, useSubmission } from '../form/use-submission.ts';
import type { StakeVerification } from '../verification/verify-stake.ts';
import localStyles from './manual-verification.module.css';

const TITLE_ID = 'verification-request-title';

const NEXT_STEPS = [
  'A confirmation email with a reference number',
  `Manual verification within ${SERVICE_TIMES.fullReviewHours.join('-')} hours`,
  'Whitelisting for immediate card access if approved',
  'An email when it is done',
] as const;

function failureMessage(failure: SubmitFailure): string {
  return failure.kind === 'no-network'
    ? 'Failed to submit verification request. Please try again.'
    : (failure.message ?? 'Failed to submit verification request');
}

interface ManualVerificationModalProps extends Pick<StakeVerification, 'walletAddress' | 'currentDetection'> {
  readonly onClose: () => void;
}

export default function ManualVerificationModal({
  walletAddress,
  currentDetection,
  onClose,
}: ManualVerificationModalProps) {
  const form = useSubmission(REQUEST_FORM, {
    wallet: walletAddress,
    initialValues: { walletAddress },
    path: PATHS.requestVerification,
    payload: ({ website, ...values }, requestedAt): BodyOf<typeof requestVerification> => ({
      ...values,
      walletAddress,
      currentDetection,
      requestedAt,
      ...(website && { website }),
    }),
  });
  const { sendState } = form;
  const isSubmitting = sendState.kind === 'submitting';
  const isAccepted = sendState.kind === 'accepted';
  return (
    <ModalDialog labelledby={TITLE_ID} isBusy={isSubmitting} onClose={onClose}>
      {(close) => (
        <form {...form.formProps} className={styles.form} aria-labelledby={TITLE_ID}>
          <h2 id={TITLE_ID} ref={focusOnMount} tabIndex={-1}>
            Manual Verification Request
          </h2>
          <div className={localStyles.detection}>
            <p className={styles.title}>Detection Issue Detected</p>
            <p>Automated detection: {currentDetection}</p>
          </div>
          <FormFields form={form} />
          <section className={styles.panel} aria-labelledby={`${TITLE_ID}-next`}>
            <h3 id={`${TITLE_ID}-next`}>What happens next</h3>
            <ol>
              {NEXT_STEPS.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </section>
          {isAccepted ? (
            <div className={localStyles.success} role="status">
              <p className={styles.title} ref={focusOnMount} tabIndex={-1}>
                Verification request submitted
              </p>
              <p>
                Your reference number is <strong>{sendState.referenceNumber}</strong>. A confirmation email is
                on its way.
              </p>
              <p>
                <StatusLink referenceNumber={sendState.referenceNumber} />
              </p>
            </div>
          ) : null}
          <FailureBanner
            title="Submission Failed"
            sendState={sendState}
            messageOf={failureMessage}
            retry={form.retry}
          />
          <p className={styles.actions}>
            <button type="submit" className="button gold" disabled={isAccepted} aria-disabled={isSubmitting}>
              {isSubmitting ? 'Submitting...' : 'Submit Request'}
            </button>
            <button type="button" className="button" onClick={close} disabled={isSubmitting}>
              {isAccepted ? 'Close' : 'Cancel'}
            </button>
          </p>
          <DraftHint />
        </form>
      )}
    </ModalDialog>
  );
}
