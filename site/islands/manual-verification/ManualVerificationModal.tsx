import { LONGEST } from '../../../data/model/application-rules.ts';
import { DraftHint } from '../form/DraftHint.tsx';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { StatusLink } from '../form/StatusLink.tsx';
import { Trap } from '../form/Trap.tsx';
import { type Form, useForm } from '../form/use-form.ts';
import own from './manual-verification.module.css';
import { type Detected, type ModalField, modalPlan } from './request-plan.ts';

const TITLE = 'verification-request-title';

const NEXT = [
  'A confirmation email with a reference number',
  'Manual verification within 24-48 hours',
  'Whitelisting for immediate card access if approved',
  'An email when it is done',
] as const;

export interface ManualVerificationModalProps extends Detected {
  /** Called once it is closed, however that happens. */
  readonly onClose: () => void;
}

/** Asks the team to verify a stake that the portal did not find. */
export default function ManualVerificationModal({ onClose, ...detected }: ManualVerificationModalProps) {
  const form = useForm(modalPlan(detected));
  const { sending } = form;
  const isSubmitting = sending.kind === 'submitting';
  const trap = form.field('website');
  return (
    <ModalDialog labelledby={TITLE} isBusy={isSubmitting} onClose={onClose}>
      {(close) => (
        <form className={styles.form} onSubmit={form.onSubmit} aria-labelledby={TITLE} noValidate>
          <h2 id={TITLE}>Manual Verification Request</h2>
          <div className={own.detection}>
            <p className={styles.title}>Detection Issue Detected</p>
            <p>Automated detection: {detected.currentDetection}</p>
          </div>
          <FaultSummary faults={form.faults} summary={form.summary} />
          <Field {...form.field('walletAddress')} label="Wallet Address" readOnly mono />
          <Field {...form.field('userEmail')} label="Email Address *" type="email" autoComplete="email" />
          <Field
            {...form.field('userTelegram')}
            label="Telegram Username"
            optional
            prefix="@"
            autoComplete="off"
            maxLength={LONGEST.telegram}
          />
          <Field
            {...form.field('claimedStakedAmount')}
            label="BD Tokens You Have Staked *"
            suffix="BD"
            inputMode="decimal"
            autoComplete="off"
            maxLength={LONGEST.claimedAmount}
          />
          <Field
            {...form.field('requestReason')}
            label="Why do you believe our system is incorrect? *"
            rows={4}
            maxLength={LONGEST.reason}
          />
          <Field
            {...form.field('evidenceProvided')}
            label="Additional Evidence"
            optional
            hint="Transaction signatures or links. Never a seed phrase or a private key."
            rows={3}
            maxLength={LONGEST.evidence}
          />
          <Trap id={trap.id} value={trap.value} onValue={trap.onValue} />
          <section className={styles.panel} aria-labelledby={`${TITLE}-next`}>
            <h3 id={`${TITLE}-next`}>What happens next</h3>
            <ol>
              {NEXT.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </section>
          <Outcome form={form} />
          <p className={styles.ways}>
            <button
              type="submit"
              className="button gold"
              disabled={isSubmitting || sending.kind === 'accepted'}
            >
              {isSubmitting ? 'Submitting...' : 'Submit Request'}
            </button>
            <button type="button" className="button" onClick={close} disabled={isSubmitting}>
              {sending.kind === 'accepted' ? 'Close' : 'Cancel'}
            </button>
          </p>
          <DraftHint />
        </form>
      )}
    </ModalDialog>
  );
}

function Outcome({ form: { sending, retry } }: { readonly form: Form<ModalField> }) {
  switch (sending.kind) {
    case 'accepted':
      return (
        <div className={own.success} role="status">
          <p className={styles.title}>Verification request submitted</p>
          <p>
            Your reference number is <strong>{sending.referenceNumber}</strong>. A confirmation email is on
            its way.
          </p>
          <p>
            <StatusLink referenceNumber={sending.referenceNumber} />
          </p>
        </div>
      );
    case 'refused':
      return (
        <FailureBanner
          title="Submission Failed"
          words={sending.words ?? 'Failed to submit verification request'}
          retry={retry}
        />
      );
    case 'no-network':
      return (
        <FailureBanner
          title="Submission Failed"
          words="Failed to submit verification request. Please try again."
          retry={retry}
        />
      );
    default:
      return null;
  }
}
