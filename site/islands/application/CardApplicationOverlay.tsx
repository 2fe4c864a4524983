import { useEffect } from 'react';
import type { BodyOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { submitApplication } from '../../../data/contract/submissions.ts';
import { OVERLAY_FORM } from '../../../data/model/forms/card-forms.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { DraftHint, FormFields } from '../form/FormFields.tsx';
import styles from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { StatusLink, SuccessHead } from '../form/Success.tsx';
import { type Submission, useSubmission } from '../form/use-submission.ts';
import { formatStake } from '../ui/format.ts';
import type { VerifiedWallet } from './ApplicationForm.tsx';

const NEXT_STEPS = [
  `Application review within ${SERVICE_TIMES.applicationReviewHours} hours`,
  'KYC verification (if required)',
  'Virtual card details via secure email',
  'Activation instructions via the messaging app',
] as const;

const TITLE_ID = 'card-application-title';

interface OverlaySuccessProps {
  readonly referenceNumber: string;
  readonly close: () => void;
}

function OverlaySuccess({ referenceNumber, close }: OverlaySuccessProps) {
  return (
    <div className={styles.form}>
      <div>
        <SuccessHead
          id={TITLE_ID}
          title="Application Submitted Successfully!"
          referenceNumber={referenceNumber}
        />
        <p>A confirmation email and a messaging-app notification were sent.</p>
        <p>A copy of your application was saved for processing.</p>
      </div>
      <section className={styles.panel} aria-labelledby={`${TITLE_ID}-next`}>
        <h3 id={`${TITLE_ID}-next`}>What happens next?</h3>
        <ol>
          {NEXT_STEPS.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p className={styles.quiet}>
          No email contains the card’s number or CVV. Only this portal shows them, to the proven owner of the
          wallet.
        </p>
      </section>
      <p className={styles.actions}>
        <button type="button" className="button gold" onClick={close}>
          Close
        </button>
        <StatusLink referenceNumber={referenceNumber} />
      </p>
    </div>
  );
}

/** Milliseconds between the success screen and its toast. */
const TOAST_DELAY_MS = 500;

const SUBMISSION_FAILED = 'Application submission failed. Please try again or contact support.';
const NO_NETWORK = 'Network error occurred. Please check your connection and try again.';

const TELEGRAM_USES = [
  'Instant delivery notices',
  '2FA for transactions',
  'Balance updates',
  '24/7 support',
] as const;

interface CardApplicationOverlayProps extends VerifiedWallet {
  readonly onClose: () => void;
}

export default function CardApplicationOverlay({ onClose, ...verifiedWallet }: CardApplicationOverlayProps) {
  const { walletAddress, tier, stakedAmount } = verifiedWallet;
  const form = useSubmission(OVERLAY_FORM, {
    wallet: walletAddress,
    path: PATHS.submitApplication,
    payload: ({ website, ...otherValues }): BodyOf<typeof submitApplication> => ({
      ...otherValues,
      walletAddress,
      tier,
      bdAmount: stakedAmount,
      ...(website && { website }),
    }),
  });
  const { sendState } = form;
  const acceptedReference = sendState.kind === 'accepted' ? sendState.referenceNumber : null;
  useEffect(() => {
    if (acceptedReference === null) return;
    const timer = setTimeout(() => {
      void showToast({
        title: 'Application Submitted Successfully!',
        text: `Your reference number is ${acceptedReference}.`,
        kind: 'success',
      });
    }, TOAST_DELAY_MS);
    return () => clearTimeout(timer);
  }, [acceptedReference]);
  return (
    <ModalDialog labelledby={TITLE_ID} isBusy={sendState.kind === 'submitting'} onClose={onClose}>
      {(close) =>
        acceptedReference === null ? (
          <OverlayForm form={form} verifiedWallet={verifiedWallet} close={close} />
        ) : (
          <OverlaySuccess referenceNumber={acceptedReference} close={close} />
        )
      }
    </ModalDialog>
  );
}

interface OverlayFormProps {
  readonly form: Submission;
  readonly verifiedWallet: VerifiedWallet;
  readonly close: () => void;
}

function OverlayForm({
  form,
  verifiedWallet: { walletAddress, tier, stakedAmount },
  close,
}: OverlayFormProps) {
  const isSubmitting = form.sendState.kind === 'submitting';
  const accountLines: readonly (readonly [label: string, value: string, className?: string | undefined])[] = [
    ['Membership tier', tier],
    ['BD holdings', `${formatStake(stakedAmount)} BD`],
    ['Wallet address', walletAddress, 'full-id'],
  ];
  return (
    <form {...form.formProps} className={styles.form} aria-labelledby={TITLE_ID}>
      <p className={styles.banner}>
        <strong>Verification complete</strong>
        <span>This wallet qualifies for a card.</span>
      </p>
      <header>
        <h2 id={TITLE_ID}>Virtual Mastercard Application</h2>
        <p className={styles.quiet}>
          A virtual card for BD stakers, funded exclusively in USDT on the ERC-20 network.
        </p>
      </header>
      <section className={styles.panel} aria-labelledby={`${TITLE_ID}-account`}>
        <h3 id={`${TITLE_ID}-account`}>Account details</h3>
        <dl className="definitions">
          {accountLines.map(([label, value, className]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className={className}>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <FormFields form={form} contentAfter={{ telegram: <TelegramPanel /> }} />
      <FailureBanner
        sendState={form.sendState}
        messageOf={({ kind }) => (kind === 'no-network' ? NO_NETWORK : SUBMISSION_FAILED)}
        showsDetail
        retry={form.retry}
      />
      <p className={styles.actions}>
        <button type="submit" className="button gold" aria-disabled={isSubmitting}>
          {isSubmitting ? 'Processing Application...' : 'Submit Application'}
        </button>
        <button type="button" className="button" onClick={close} disabled={isSubmitting}>
          Cancel
        </button>
      </p>
      <DraftHint />
    </form>
  );
}

function TelegramPanel() {
  return (
    <section className={styles.panel} aria-labelledby={`${TITLE_ID}-telegram`}>
      <h3 id={`${TITLE_ID}-telegram`}>Why Telegram is Required</h3>
      <ul>
        {TELEGRAM_USES.map((use) => (
          <li key={use}>{use}</li>
        ))}
      </ul>
    </section>
  );
}
