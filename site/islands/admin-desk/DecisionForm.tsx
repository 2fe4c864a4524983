import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { LONGEST_REVIEW_TEXT } from '../../../data/model/record-review.ts';
import { CARD_TIERS, type CardTier } from '../../../data/model/tiers.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import styles from './record.module.css';
import type { RecordAction } from './record-actions.ts';
import type { Decision } from './use-decision.ts';

interface DecisionFormProps {
  readonly action: RecordAction;
  readonly isBusy: boolean;
  readonly onDecide: (decision: Decision) => void;
  readonly onCancel: () => void;
}

const FAULTS = {
  tier: 'Choose the tier that the wallet is admitted to.',
  reason: 'Give the reason: it is told to the sender.',
} as const;

/** What a decision still needs, and its confirmation. Enter confirms; in the reason Ctrl or ⌘ with Enter does. */
export function DecisionForm({ action, isBusy, onDecide, onCancel }: DecisionFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const [tier, setTier] = useState<CardTier | null>(null);
  const [reason, setReason] = useState('');
  const [isChecked, setChecked] = useState(false);
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
  }, []);
  const isMissing =
    (action.needs === 'tier' && tier === null) || (action.needs === 'reason' && reason.trim() === '');
  const fault = isChecked && isMissing && action.needs !== null ? FAULTS[action.needs] : null;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    if (isMissing) element.current?.querySelector<HTMLElement>('input, textarea')?.focus();
    else if (!isBusy) onDecide({ action, tier, reason: reason.trim() });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // It closes the form alone, not the dialog.
      event.preventDefault();
      event.stopPropagation();
      if (!isBusy) onCancel();
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      element.current?.requestSubmit();
    }
  };
  return (
    <form
      ref={element}
      className={`${form.form} ${styles.decision}`}
      aria-label={action.label}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      noValidate
    >
      {action.needs === 'tier' ? (
        <fieldset className={styles.tiers} aria-describedby={fault === null ? undefined : 'tier-fault'}>
          <legend>Tier</legend>
          {CARD_TIERS.map((one) => (
            <label key={one}>
              <input type="radio" name="tier" checked={tier === one} onChange={() => setTier(one)} />
              {one}
            </label>
          ))}
          {fault === null ? null : (
            <p className={form.fault} id="tier-fault">
              {fault}
            </p>
          )}
        </fieldset>
      ) : null}
      {action.needs === 'reason' ? (
        <Field
          id="decision-reason"
          name="reason"
          value={reason}
          fault={fault}
          onValue={setReason}
          label="Reason"
          hint="Told to the sender as it stands. Ctrl or ⌘ with Enter confirms."
          rows={3}
          maxLength={LONGEST_REVIEW_TEXT.reason}
        />
      ) : null}
      <p className={form.quiet}>{action.follows}</p>
      <p className={form.ways}>
        <button type="submit" className="button gold" aria-disabled={isBusy}>
          {isBusy ? 'Sending...' : `Confirm: ${action.label}`}
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
