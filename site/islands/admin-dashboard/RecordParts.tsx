import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { APPROVAL_WARNINGS, type ApprovalWarning } from '../../../data/model/approval-warnings.ts';
import { isLoanOpen, LONGEST_REVIEW_TEXT } from '../../../data/model/submission-status.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { type StoredRecord, useChange, useMay } from '../admin/admin-calls.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { stillNeeded } from './decisions.ts';
import { RetryDelivery } from './list-cells.tsx';
import styles from './record.module.css';
import { labelOf, Moment, Status } from './signs.tsx';

/** The votes on a loan application, and how many are still needed. */
export function Votes({ stored }: { readonly stored: StoredRecord }) {
  if (stored.kind !== 'loan-application' || stored.record.votes.length === 0) return null;
  return (
    <ul className={styles.votes}>
      {stored.record.votes.map(({ by, addedBy, isYours, decision }) => (
        <li key={by} data-vote={decision} data-by={by}>
          {isYours ? 'You' : by}
          {addedBy === null ? '' : ` (added by ${addedBy})`} voted to {decision}.{' '}
          {isLoanOpen(stored.record.status) ? stillNeeded(decision) : null}
        </li>
      ))}
    </ul>
  );
}

/** Warnings about approving the record. */
export function Warnings({ warnings }: { readonly warnings: readonly ApprovalWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className={styles.warnings} role="note" aria-label="Before you approve">
      <p>Before you approve</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning} data-warning={warning}>
            {APPROVAL_WARNINGS[warning]}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Decisions({ stored }: { readonly stored: StoredRecord }) {
  if (stored.decisions.length === 0) return null;
  return (
    <section aria-labelledby="record-decisions">
      <h3 id="record-decisions">Decisions</h3>
      <DecisionList decisions={stored.decisions} />
    </section>
  );
}

/** Decisions, each with its admin and its reason. */
export function DecisionList({ decisions }: Pick<StoredRecord, 'decisions'>) {
  if (decisions.length === 0) return null;
  return (
    <ul className={styles.events}>
      {decisions.map(({ at, by, decision, reason }) => (
        <li key={`${at} ${by} ${decision}`}>
          <p>
            <Status status={decision} /> by {by}, <Moment at={at} />
          </p>
          {reason === null ? null : <p className={styles.lines}>{reason}</p>}
        </li>
      ))}
    </ul>
  );
}

export function Deliveries({ deliveries, referenceNumber }: StoredRecord) {
  if (deliveries.length === 0) return null;
  return (
    <section aria-labelledby="record-deliveries">
      <h3 id="record-deliveries">Deliveries</h3>
      <ul className={styles.events}>
        {deliveries.map(({ id, deliveryMethod, audience, event, state, createdAt, attempts }) => {
          const error = attempts.findLast((attempt) => attempt.error !== null)?.error;
          return (
            <li key={id}>
              <p>
                <Status status={state} /> {labelOf(deliveryMethod)} to the {audience} (
                {event.replace(/^.*\.|:.*$/g, '')}), <Moment at={createdAt} />{' '}
                {state === 'dead' ? (
                  <RetryDelivery deliveryId={id} referenceNumber={referenceNumber} />
                ) : null}
              </p>
              {error && state !== 'sent' ? <p className={styles.error}>{error}</p> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A note with its earlier texts. Its author can change and remove it. */
function Note({
  note,
  reference,
}: {
  readonly note: StoredRecord['notes'][number];
  readonly reference: string;
}) {
  const { id, referenceNumber, at, by, isYours, text, changedAt, isRemoved, versions } = note;
  const { isBusy, notice, run, refuse } = useChange();
  const [draft, setDraft] = useState<string | null>(null);
  const send = (changed: string | null) =>
    run(PATHS.changeNote, { noteId: id, seen: text, text: changed }, () => {
      setDraft(null);
      return null;
    });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (draft === null || draft.trim() === '') return refuse('Enter a note, or remove it.');
    void send(draft);
  };
  return (
    <>
      {draft === null ? (
        <p className={isRemoved ? styles.quiet : styles.lines}>{isRemoved ? 'Removed.' : text}</p>
      ) : (
        <form className={form.form} onSubmit={submit} aria-label="Change note" noValidate>
          <Field
            id={`note-${id}`}
            name="note"
            value={draft}
            error={notice?.message ?? null}
            onValue={setDraft}
            label="Change the note"
            hint="The team can still read the earlier text."
            rows={2}
            maxLength={LONGEST_REVIEW_TEXT.note}
          />
          <p className={form.actions}>
            <button type="submit" className="button" aria-disabled={isBusy}>
              Save
            </button>
            <button type="button" className="button" disabled={isBusy} onClick={() => void send(null)}>
              Remove
            </button>
            <button type="button" className="button" disabled={isBusy} onClick={() => setDraft(null)}>
              Cancel
            </button>
          </p>
        </form>
      )}
      <p className={styles.quiet}>
        {by}, <Moment at={at} />
        {referenceNumber === reference ? null : `, in ${referenceNumber}`}
        {changedAt === null ? null : (
          <>
            , {isRemoved ? 'removed' : 'changed'} <Moment at={changedAt} />
          </>
        )}{' '}
        {isYours && !isRemoved && draft === null ? (
          <button type="button" className="button" onClick={() => setDraft(text)}>
            Change<span className="visually-hidden"> note</span>
          </button>
        ) : null}
      </p>
      {versions.length === 0 ? null : (
        <details>
          <summary>Earlier texts ({versions.length})</summary>
          <ul className={styles.events}>
            {versions.map((version) => (
              <li key={`${version.at} ${version.text}`}>
                <p className={styles.lines}>{version.text}</p>
                <p className={styles.quiet}>
                  {by}, <Moment at={version.at} />
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The team's notes on the record, and a field to add one. */
export function Notes({ stored }: { readonly stored: StoredRecord }) {
  const { notes, referenceNumber } = stored;
  const mayWrite = useMay('reviewer');
  const { isBusy, send } = useChange();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (text.trim() === '') return setError('Enter a note.');
    const outcome = await send(PATHS.addNote, { referenceNumber, text });
    if (outcome === null) return;
    setError(outcome.kind === 'done' ? null : outcome.message);
    if (outcome.kind !== 'done') return;
    setText('');
    void showToast({ title: 'Note added', text: referenceNumber, kind: 'success' });
  };
  if (notes.length === 0 && !mayWrite) return null;
  return (
    <section aria-labelledby="record-notes">
      <h3 id="record-notes">Notes</h3>
      <ul className={styles.events}>
        {notes.map((note) => (
          <li key={note.id} data-note={note.isRemoved ? 'removed' : 'kept'}>
            <Note note={note} reference={referenceNumber} />
          </li>
        ))}
      </ul>
      {mayWrite ? (
        <form className={form.form} onSubmit={(event) => void submit(event)} aria-label="New note" noValidate>
          <Field
            id="record-note"
            name="note"
            value={text}
            error={error}
            onValue={setText}
            label="Add a note"
            hint="Only the team can see it."
            rows={2}
            maxLength={LONGEST_REVIEW_TEXT.note}
          />
          <p className={form.actions}>
            <button type="submit" className="button" aria-disabled={isBusy}>
              {isBusy ? 'Adding...' : 'Add note'}
            </button>
          </p>
        </form>
      ) : null}
    </section>
  );
}
