import { useEffect, useRef } from 'react';
import { LONGEST } from '../../../data/model/application-rules.ts';
import { DraftHint } from '../form/DraftHint.tsx';
import { FailureBanner } from '../form/FailureBanner.tsx';
import { FaultSummary } from '../form/FaultSummary.tsx';
import { Field } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { StatusLink } from '../form/StatusLink.tsx';
import { SuccessHead } from '../form/SuccessHead.tsx';
import { Trap } from '../form/Trap.tsx';
import { useForm } from '../form/use-form.ts';
import own from './manual-verification.module.css';
import { type Detected, inlinePlan } from './request-plan.ts';

/** Milliseconds between the success and its callback. */
const CALLBACK_AFTER = 2_000;

const TITLE = 'short-request-title';

const DONE = [
  'Request stored',
  'Confirmation email sent to you',
  'Notification email sent to the team',
  'Admin notification sent by the messaging app',
] as const;

export interface InlineVerificationFormProps extends Detected {
  /** Called two seconds after it was taken, with the reference number. */
  readonly onSuccess?: (referenceNumber: string) => void;
}

/** The short request for manual verification, within another screen. */
export default function InlineVerificationForm({ onSuccess, ...detected }: InlineVerificationFormProps) {
  const form = useForm(inlinePlan(detected));
  const { sending, values } = form;
  const taken = sending.kind === 'accepted' ? sending.referenceNumber : null;
  const callback = useRef(onSuccess);
  useEffect(() => {
    callback.current = onSuccess;
  });
  useEffect(() => {
    if (taken === null) return;
    const timer = setTimeout(() => callback.current?.(taken), CALLBACK_AFTER);
    return () => clearTimeout(timer);
  }, [taken]);

  if (taken !== null) {
    return (
      <div className={own.inline}>
        <SuccessHead id={TITLE} title="Request submitted" referenceNumber={taken} />
        <ul className={own.done}>
          {DONE.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
        <p>The team reviews within 24 hours.</p>
        <p className={styles.ways}>
          <StatusLink referenceNumber={taken} />
        </p>
      </div>
    );
  }
  const isSubmitting = sending.kind === 'submitting';
  const isEmpty = values.userEmail.trim() === '' || values.evidence.trim() === '';
  const trap = form.field('website');
  return (
    <form
      className={`${own.inline} ${styles.form}`}
      onSubmit={form.onSubmit}
      aria-labelledby={TITLE}
      noValidate
    >
      <h2 id={TITLE}>Request Manual Verification</h2>
      <FaultSummary faults={form.faults} summary={form.summary} />
      <Field {...form.field('userEmail')} label="Email *" type="email" autoComplete="email" />
      <Field
        {...form.field('userTelegram')}
        label="Telegram Username"
        optional
        prefix="@"
        autoComplete="off"
        maxLength={LONGEST.telegram}
      />
      <Field
        {...form.field('evidence')}
        label="Staking Evidence *"
        hint="Transaction signatures or links. Never a seed phrase or a private key."
        rows={3}
        maxLength={LONGEST.evidence}
      />
      <Trap id={trap.id} value={trap.value} onValue={trap.onValue} />
      {sending.kind === 'refused' || sending.kind === 'no-network' ? (
        <FailureBanner
          words="Failed to submit request. Please try again."
          detail={sending.kind === 'refused' ? sending.words : null}
          retry={form.retry}
        />
      ) : null}
      <p className={styles.ways}>
        <button type="submit" className="button gold" disabled={isSubmitting || isEmpty}>
          {isSubmitting ? 'Submitting...' : 'Submit Request'}
        </button>
      </p>
      <DraftHint />
    </form>
  );
}
