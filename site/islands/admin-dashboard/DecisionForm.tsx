import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import { CARD_TIERS, type CardTier } from '../../../data/model/tiers.ts';
import type { StoredRecord } from '../admin/admin-calls.ts';
import { forgetReasons, useKeptText } from '../admin-conversation/drafts.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { type Decision, isApproval, type RecordAction, warningsOf } from './decisions.ts';
import { CurrentStake, Warnings } from './RecordSections.tsx';
import styles from './record.module.css';
import { submitOnCtrlEnter } from './shortcut-keys.ts';

interface DecisionFormProps {
  readonly storedRecord: StoredRecord;
  readonly action: RecordAction;
  readonly isBusy: boolean;
  /** Resolves to true if the decision was saved. */
  readonly onDecide: (decision: Decision) => Promise<boolean>;
  readonly onCancel: () => void;
}

const ERRORS = {
  tier: 'Choose the tier to whitelist the wallet for.',
  reason: 'Enter the reason. The applicant will see it.',
  'team-reason': 'Enter the reason. Only the team will see it.',
  despite: 'Enter the reason. It is kept in the audit trail.',
} as const;

/** Ctrl+Enter or ⌘+Enter submits the form. */
export function DecisionForm({ storedRecord, action, isBusy, onDecide, onCancel }: DecisionFormProps) {
  const formElement = useRef<HTMLFormElement>(null);
  const [tier, setTier] = useState<CardTier | null>(null);
  const textKey = `${storedRecord.referenceNumber} ${action.id}`;
  const [reason, setReason] = useKeptText(textKey, '');
  const [overrideReason, setOverrideReason] = useKeptText(`${textKey} despite`, '');
  const cancel = () => {
    setReason('');
    setOverrideReason('');
    onCancel();
  };
  const [isSubmitted, setSubmitted] = useState(false);
  useEffect(() => {
    formElement.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
  }, []);
  const warnings = isApproval(action) ? warningsOf(storedRecord, tier) : [];
  const needsReason = action.needs === 'reason' || action.needs === 'team-reason';
  const isInputMissing = (action.needs === 'tier' && tier === null) || (needsReason && reason.trim() === '');
  const isOverrideReasonMissing = warnings.length > 0 && overrideReason.trim() === '';
  const error = isSubmitted && isInputMissing && action.needs ? ERRORS[action.needs] : null;
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (isInputMissing) formElement.current?.querySelector<HTMLElement>('input, textarea')?.focus();
    else if (isOverrideReasonMissing)
      formElement.current?.querySelector<HTMLElement>('[name="despite"]')?.focus();
    else if (!isBusy) {
      const approvedDespite = { warnings: [...warnings], reason: overrideReason.trim() };
      const isMade = await onDecide({
        action,
        tier,
        reason: reason.trim(),
        despite: warnings.length > 0 ? approvedDespite : null,
      });
      if (isMade) forgetReasons(storedRecord.referenceNumber);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    submitOnCtrlEnter(event);
    if (event.key === 'Escape') {
      // Escape closes the form, not the dialog.
      event.preventDefault();
      event.stopPropagation();
      if (!isBusy) cancel();
    }
  };
  return (
    <form
      ref={formElement}
      className={`${form.form} ${styles.decision}`}
      aria-label={action.label}
      onSubmit={(event) => void submit(event)}
      onKeyDown={onKeyDown}
      noValidate
    >
      {action.needs === 'tier' ? (
        <fieldset className={styles.tiers} aria-describedby={error === null ? undefined : 'tier-error'}>
          <legend>Tier</legend>
          {storedRecord.kind === 'verification-request' ? (
            <p className={form.quiet}>
              Stake now: <CurrentStake {...storedRecord.record.walletNow} />
            </p>
          ) : null}
          {CARD_TIERS.map((one) => (
            <label key={one}>
              <input type="radio" name="tier" checked={tier === one} onChange={() => setTier(one)} />
              {one}
            </label>
          ))}
          {error === null ? null : (
            <p className={form.error} id="tier-error">
              {error}
            </p>
          )}
        </fieldset>
      ) : null}
      {needsReason ? (
        <Field
          id="decision-reason"
          name="reason"
          value={reason}
          error={error}
          onValue={setReason}
          label="Reason"
          hint={`${action.needs === 'reason' ? 'The applicant will see this text exactly as written.' : 'Only the team will see it.'} Press Ctrl+Enter or ⌘+Enter to confirm.`}
          rows={3}
          maxLength={MAX_REVIEW_TEXT_LENGTH.reason}
        />
      ) : null}
      {warnings.length > 0 ? (
        <>
          <Warnings warnings={warnings} />
          <Field
            id="decision-despite"
            name="despite"
            value={overrideReason}
            error={isSubmitted && isOverrideReasonMissing ? ERRORS.despite : null}
            onValue={setOverrideReason}
            label="Why approve anyway?"
            hint="Kept in the audit trail permanently. Do not include information about the person."
            rows={2}
            maxLength={MAX_REVIEW_TEXT_LENGTH.despite}
          />
        </>
      ) : null}
      <p className={form.quiet}>{action.effect}</p>
      <p className={form.actions}>
        <button type="submit" className="button gold" aria-disabled={isBusy}>
          {isBusy ? 'Sending...' : `Confirm: ${action.label}`}
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={cancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
