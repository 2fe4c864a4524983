import { type SubmitEvent, useState } from 'react';
import { LONGEST_REVIEW_TEXT } from '../../../data/model/record-review.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import type { DeskRecord } from './desk-calls.ts';
import { useChange } from './desk-changes.ts';
import { wordsOf } from './desk-words.ts';
import { RetryDelivery } from './RetryDelivery.tsx';
import styles from './record.module.css';
import { useMay } from './role.ts';
import { Moment, Status } from './Sign.tsx';

/** The votes that stand on a loan application, and what is still needed. */
export function StandingVotes({ about }: { readonly about: DeskRecord }) {
  if (about.kind !== 'loan-application' || about.record.votes.length === 0) return null;
  return (
    <ul className={styles.votes}>
      {about.record.votes.map(({ by, isYours, decision }) => (
        <li key={by}>
          {isYours ? 'Your vote stands' : `The vote of ${by} stands`}: {wordsOf(decision).toLowerCase()}.
          {isYours ? ' A second admin has to say the same.' : ' A second one like it decides.'}
        </li>
      ))}
    </ul>
  );
}

/** What the team decided and voted. */
export function Decisions({ about }: { readonly about: DeskRecord }) {
  if (about.decisions.length === 0) return null;
  return (
    <section aria-labelledby="record-decisions">
      <h3 id="record-decisions">Decisions</h3>
      <ul className={styles.events}>
        {about.decisions.map(({ at, by, decision, reason }) => (
          <li key={`${at} ${by} ${decision}`}>
            <p>
              <Status status={decision} /> by {by}, <Moment at={at} />
            </p>
            {reason === null ? null : <p className={styles.lines}>{reason}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How what tells of the record was delivered. */
export function Deliveries({ deliveries, referenceNumber }: DeskRecord) {
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
                <Status status={state} /> {wordsOf(deliveryMethod)} to the {audience},{' '}
                {event.split('.').at(-1)}, <Moment at={createdAt} />{' '}
                {state === 'dead' ? <RetryDelivery deliveryId={id} what={referenceNumber} /> : null}
              </p>
              {error && state !== 'sent' ? <p className={styles.error}>{error}</p> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What the team wrote about the record, and a field for more. */
export function Notes({ about }: { readonly about: DeskRecord }) {
  const { notes, referenceNumber } = about;
  const mayWrite = useMay('reviewer');
  const { isBusy, send } = useChange('/api/admin/notes/add');
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    if (text.trim() === '') {
      setFault('Write the note first.');
      return;
    }
    const outcome = await send({ referenceNumber, text });
    setFault(outcome.kind === 'done' ? null : outcome.words);
    if (outcome.kind !== 'done') return;
    setText('');
    void showToast({ title: 'Note added', text: referenceNumber, kind: 'success' });
  };
  if (notes.length === 0 && !mayWrite) return null;
  return (
    <section aria-labelledby="record-notes">
      <h3 id="record-notes">Notes</h3>
      <ul className={styles.events}>
        {notes.map(({ id, at, by, text: note }) => (
          <li key={id}>
            <p className={styles.lines}>{note}</p>
            <p className={styles.quiet}>
              {by}, <Moment at={at} />
            </p>
          </li>
        ))}
      </ul>
      {mayWrite ? (
        <form className={form.form} onSubmit={(event) => void submit(event)} aria-label="New note" noValidate>
          <Field
            id="record-note"
            name="note"
            value={text}
            fault={fault}
            onValue={setText}
            label="Add a note"
            hint="For the team; its sender never sees it."
            rows={2}
            maxLength={LONGEST_REVIEW_TEXT.note}
          />
          <p className={form.ways}>
            <button type="submit" className="button" aria-disabled={isBusy}>
              {isBusy ? 'Adding...' : 'Add note'}
            </button>
          </p>
        </form>
      ) : null}
    </section>
  );
}
