import type { SubmitEvent } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { LIST_OF_KIND } from '../../../data/model/admin-lists.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import { type StoredRecord, useChange, useHasRole } from '../admin/admin-calls.ts';
import { useKeptText } from '../admin-conversation/drafts.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { RecordLink } from './RecordLink.tsx';
import styles from './record.module.css';
import { Moment } from './status-labels.tsx';

export default function MergeLinks({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  const { mergedInto, merged, kind } = storedRecord;
  const list = LIST_OF_KIND[kind];
  return (
    <>
      {mergedInto === null ? null : (
        <div className={styles.merged} data-merged-into={mergedInto}>
          <p>
            Merged into <RecordLink list={list} reference={mergedInto} />. Messages and decisions continue
            there.
          </p>
          <SplitForm stored={storedRecord} />
        </div>
      )}
      {merged.length === 0 ? null : (
        <section aria-labelledby="record-merged">
          <h3 id="record-merged">Merged into this record</h3>
          <ul className={styles.others}>
            {merged.map(({ referenceNumber, at, by }) => (
              <li key={referenceNumber}>
                <RecordLink list={list} reference={referenceNumber} />
                <span className={styles.quiet}>
                  by {by}, <Moment at={at} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function SplitForm({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  const maySplit = useHasRole('reviewer') === true;
  const { isBusy, notice, sendAndNotify, showError } = useChange();
  const [reason, setReason] = useKeptText(`${storedRecord.referenceNumber} split`, null);
  if (!maySplit) return null;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (reason === null || reason.trim() === '') return showError('Enter the reason.');
    const { referenceNumber, changedAt } = storedRecord.record;
    void sendAndNotify(PATHS.splitRecord, { referenceNumber, changedAt, reason }, () => {
      setReason(null);
      return null;
    });
  };
  if (reason === null)
    return (
      <p>
        <button type="button" className="button" data-split onClick={() => setReason('')}>
          Split this record
        </button>
      </p>
    );
  return (
    <form className={form.form} onSubmit={submit} aria-label="Split this record" noValidate>
      <Field
        id="split-reason"
        name="reason"
        value={reason}
        error={notice?.message ?? null}
        onValue={setReason}
        label="Reason"
        hint="Only the team will see it."
        rows={2}
        maxLength={MAX_REVIEW_TEXT_LENGTH.reason}
      />
      <p className={form.actions}>
        <button type="submit" className="button gold" aria-disabled={isBusy}>
          {isBusy ? 'Splitting...' : 'Split'}
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => setReason(null)}>
          Cancel
        </button>
      </p>
    </form>
  );
}
