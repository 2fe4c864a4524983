import { type SubmitEvent, useId, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { BOUNCE_REASONS, SETTLED_BY_LABELS, type SettledBy } from '../../../data/model/bounces.ts';
import { fieldError } from '../../../data/model/forms/field.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { isLoanOpen } from '../../../data/model/submission-status.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { type ChangeSender, type StoredRecord, useChange, useHasRole } from '../admin/admin-calls.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import styles from './bounces.module.css';
import { labelOf, Moment } from './status-labels.tsx';

const SETTLING_METHODS = Object.keys(SETTLED_BY_LABELS) as SettledBy[];
const EMAIL_FIELD = { kind: 'email', label: 'Email address' } as const;

const MAIL_LABELS: Readonly<Record<string, string>> = {
  received: 'Confirmation of receipt',
  approved: 'Approval',
  refused: 'Refusal',
  withdrawn: 'Withdrawal of the whitelisting',
  replied: 'Reply',
};

function mailLabel(event: string): string {
  const name = event.replace(/^[^.]*\./, '').replace(/:.*$/, '');
  return MAIL_LABELS[name] ?? labelOf(name);
}

const showOutcome = (title: string, text: string, kind: 'success' | 'failure' = 'success') =>
  void showToast({ title, text, kind });

export function Bounces({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  const { bounces, earlierAddresses } = storedRecord;
  const mayAct = useHasRole('reviewer');
  if (bounces.length === 0 && earlierAddresses.length === 0) return null;
  return (
    <>
      {bounces.length === 0 ? null : (
        <section className={styles.bounces} aria-labelledby="record-bounces" data-bounces={bounces.length}>
          <h3 id="record-bounces">Mail bounced</h3>
          <ul>
            {bounces.map(({ deliveryId, event, reason, recipient, error, at }) => (
              <li key={deliveryId} data-reason={reason}>
                <p>
                  <strong>{mailLabel(event)}:</strong> {BOUNCE_REASONS[reason]}
                  {at === null ? null : (
                    <>
                      {' '}
                      <Moment at={at} />
                    </>
                  )}
                </p>
                {error === null ? null : (
                  <p className={styles.quiet}>
                    {recipient === null ? '' : `${recipient}: `}
                    {error}
                  </p>
                )}
              </li>
            ))}
          </ul>
          {mayAct ? <NextSteps storedRecord={storedRecord} /> : null}
        </section>
      )}
      {earlierAddresses.map(({ email, at, by }) => (
        <p key={at} className={styles.quiet} data-earlier-address>
          The address was <span className={styles.address}>{email}</span> until {by} corrected it,{' '}
          <Moment at={at} />.
        </p>
      ))}
    </>
  );
}

function NextSteps({
  storedRecord: { referenceNumber, kind, record },
}: {
  readonly storedRecord: StoredRecord;
}) {
  const change = useChange();
  const [isCorrecting, setCorrecting] = useState(false);
  const resend = async () => {
    const outcome = await change.send(PATHS.retryFailedDeliveries, { referenceNumber });
    if (outcome?.kind === 'done' && outcome.body.deliveries === 0)
      showOutcome(
        'Not sent',
        `${referenceNumber} has no failed messages left. Another admin may have handled them.`,
        'failure',
      );
    else if (outcome?.kind === 'done')
      showOutcome('Sending again', `${referenceNumber}: the failed messages are queued.`);
    else if (outcome) showOutcome('Not sent', outcome.message, 'failure');
  };
  const settle = async (method: SettledBy) => {
    const outcome = await change.send(PATHS.settleBounce, { referenceNumber, by: method });
    if (outcome?.kind === 'done') showOutcome('Bounce closed', `A note was added to ${referenceNumber}.`);
    else if (outcome) showOutcome('Not closed', outcome.message, 'failure');
  };
  return (
    <>
      {isCorrecting ? (
        <CorrectAddressForm
          referenceNumber={referenceNumber}
          change={change}
          needsConfirmation={kind === 'loan-application' && isLoanOpen(record.status)}
          onClose={() => setCorrecting(false)}
        />
      ) : (
        <p className={styles.steps}>
          <button type="button" className="button gold" onClick={() => setCorrecting(true)}>
            Correct the address
          </button>
          <button
            type="button"
            className="button"
            aria-disabled={change.isBusy}
            onClick={() => void resend()}
          >
            Send again
          </button>
        </p>
      )}
      <p className={styles.steps}>
        <span>Did you inform the applicant in another way?</span>
        {SETTLING_METHODS.map((method) => (
          <button
            key={method}
            type="button"
            className="button"
            aria-disabled={change.isBusy}
            data-settle={method}
            onClick={() => void settle(method)}
          >
            {SETTLED_BY_LABELS[method]}
          </button>
        ))}
      </p>
    </>
  );
}

interface CorrectAddressFormProps {
  readonly referenceNumber: string;
  readonly change: ChangeSender;
  /** Whether the applicant must confirm the new email address. Without confirmation, the applicant's documents are deleted. */
  readonly needsConfirmation: boolean;
  readonly onClose: () => void;
}

function CorrectAddressForm({
  referenceNumber,
  change,
  needsConfirmation,
  onClose,
}: CorrectAddressFormProps) {
  const id = useId();
  const [email, setEmail] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const addressError = fieldError(EMAIL_FIELD, email);
    if (addressError) return setError(addressError.message);
    const outcome = await change.send(PATHS.correctAddress, { referenceNumber, email });
    if (outcome === null) return;
    if (outcome.kind !== 'done') return setError(outcome.message);
    showOutcome('Address corrected', `${referenceNumber}: bounced emails will be sent again.`);
    onClose();
  };
  return (
    <form
      className={form.form}
      onSubmit={(event) => void submit(event)}
      aria-label="Correct the address"
      noValidate
    >
      <Field
        id={id}
        name="email"
        type="email"
        value={email}
        error={error}
        onValue={setEmail}
        label="New email address"
        hint={
          needsConfirmation
            ? `Bounced emails will be sent to this address. The applicant must confirm it within ${PORTAL_LIMITS.mailboxConfirmationHours} hours, or the documents are deleted.`
            : 'Bounced emails and all future ones will be sent to this address.'
        }
        autoComplete="off"
      />
      <p className={form.actions}>
        <button type="submit" className="button gold" aria-disabled={change.isBusy}>
          {change.isBusy ? 'Saving...' : 'Correct and send'}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </form>
  );
}
