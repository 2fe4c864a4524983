import { useEffect, useEffectEvent, useId } from 'react';
import { useWatch } from 'react-hook-form';
import type { BodyOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { requestVerification } from '../../../data/contract/submissions.ts';
import { cleanLine } from '../../../data/model/form-text.ts';
import { SHORT_REQUEST_FORM, SHORT_REQUEST_VALUES } from '../../../data/model/forms/verification-forms.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { DraftHint, FormFields } from '../form/FormFields.tsx';
import styles from '../form/form.module.css';
import { StatusLink, SuccessHead } from '../form/Success.tsx';
import { useSubmission } from '../form/use-submission.ts';
import type { StakeVerification } from '../verification/verify-stake.ts';
import localStyles from './manual-verification.module.css';

const CALLBACK_DELAY_MS = 2_000;

const DONE_STEPS = [
  'Request stored',
  'Confirmation email sent to you',
  'Notification email sent to the team',
  'Admin notification sent by the messaging app',
] as const;

interface InlineVerificationFormProps extends Pick<StakeVerification, 'walletAddress' | 'currentDetection'> {
  /** Called two seconds after the server has accepted the request. */
  readonly onSuccess: () => void;
}

export default function InlineVerificationForm({
  walletAddress,
  currentDetection,
  onSuccess,
}: InlineVerificationFormProps) {
  // The card page can show the form twice: in a dialog, and behind it for another wallet.
  const idPrefix = useId();
  const titleId = `${idPrefix}-title`;
  const form = useSubmission(SHORT_REQUEST_FORM, {
    idPrefix,
    wallet: walletAddress,
    path: PATHS.requestVerification,
    payload: ({ evidence, website, ...values }, requestedAt): BodyOf<typeof requestVerification> => ({
      ...values,
      walletAddress,
      claimedStakedAmount: SHORT_REQUEST_VALUES.claimedStakedAmount,
      requestReason: cleanLine(evidence) || SHORT_REQUEST_VALUES.requestReason,
      evidenceProvided: evidence,
      currentDetection,
      requestedAt,
      ...(website && { website }),
    }),
  });
  const { sendState } = form;
  const [userEmail, evidence] = useWatch({ control: form.hookForm.control, name: ['userEmail', 'evidence'] });
  const acceptedReference = sendState.kind === 'accepted' ? sendState.referenceNumber : null;
  const reportSuccess = useEffectEvent(onSuccess);
  useEffect(() => {
    if (acceptedReference === null) return;
    const timer = setTimeout(() => reportSuccess(), CALLBACK_DELAY_MS);
    return () => clearTimeout(timer);
  }, [acceptedReference]);

  if (acceptedReference !== null) {
    return (
      <div className={localStyles.inline}>
        <SuccessHead id={titleId} title="Request submitted" referenceNumber={acceptedReference} />
        <ul className={localStyles.doneSteps}>
          {DONE_STEPS.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
        <p>The team reviews requests within {SERVICE_TIMES.shortReviewHours} hours.</p>
        <p className={styles.actions}>
          <StatusLink referenceNumber={acceptedReference} />
        </p>
      </div>
    );
  }
  const isSubmitting = sendState.kind === 'submitting';
  const isEmpty = [userEmail, evidence].some((value) => String(value).trim() === '');
  return (
    <form {...form.formProps} className={`${localStyles.inline} ${styles.form}`} aria-labelledby={titleId}>
      <h2 id={titleId}>Request Manual Verification</h2>
      <FormFields form={form} />
      <FailureBanner
        sendState={sendState}
        messageOf={() => 'Failed to submit request. Please try again.'}
        showsDetail
        retry={form.retry}
      />
      <p className={styles.actions}>
        <button type="submit" className="button gold" disabled={isEmpty} aria-disabled={isSubmitting}>
          {isSubmitting ? 'Submitting...' : 'Submit Request'}
        </button>
      </p>
      <DraftHint />
    </form>
  );
}
