import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { useChange } from '../admin/admin-calls.ts';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import styles from './bulk.module.css';
import record from './record.module.css';
import type { SelectedRecord } from './selection.tsx';
import { Moment } from './status-labels.tsx';
import { $batchReferences } from './undo-all.ts';

export type RecordToMerge = Pick<SelectedRecord, 'referenceNumber' | 'changedAt' | 'name' | 'createdAt'>;

interface MergeDialogProps {
  /** The first record is kept, unless the admin chooses another record. */
  readonly records: readonly RecordToMerge[];
  /** @param mergedReferences the records that were merged into `keptReference`; null if nothing was merged */
  readonly onClose: (keptReference: string, mergedReferences: readonly string[] | null) => void;
}

export default function MergeDialog({ records, onClose }: MergeDialogProps) {
  const { isBusy, send } = useChange();
  const [keptReference, setKeptReference] = useState(records[0]?.referenceNumber ?? '');
  const [error, setError] = useState<string | null>(null);
  const [mergedReferences, setMergedReferences] = useState<readonly string[] | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>, close: () => void) => {
    event.preventDefault();
    const recordVersions = records.map(({ referenceNumber, changedAt }) => ({ referenceNumber, changedAt }));
    const keptRecord = recordVersions.find(({ referenceNumber }) => referenceNumber === keptReference);
    if (keptRecord === undefined) return;
    const mergedRecords = recordVersions.filter((one) => one !== keptRecord);
    const outcome = await send(PATHS.mergeRecords, { kept: keptRecord, merged: mergedRecords });
    if (outcome === null) return;
    if (outcome.kind !== 'done') return setError(outcome.message);
    const references = mergedRecords.map(({ referenceNumber }) => referenceNumber);
    $batchReferences.set(references);
    setMergedReferences(references);
    close();
  };
  return (
    <ModalDialog
      labelledby="merge-title"
      isBusy={isBusy}
      onClose={() => onClose(keptReference, mergedReferences)}
    >
      {(close) => (
        <form
          className={`${form.form} ${record.record}`}
          onSubmit={(event) => void submit(event, close)}
          data-merge
          noValidate
        >
          <h2 id="merge-title">Merge {records.length} records</h2>
          <fieldset className={styles.kept}>
            <legend>Which one do you want to keep?</legend>
            {records.map(({ referenceNumber, name, createdAt }) => (
              <label key={referenceNumber}>
                <input
                  type="radio"
                  name="kept"
                  value={referenceNumber}
                  checked={referenceNumber === keptReference}
                  onChange={() => setKeptReference(referenceNumber)}
                />
                <span>
                  <strong>{referenceNumber}</strong>
                  <span className={styles.muted}>
                    {name}, <Moment at={createdAt} />
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
          <p className={form.quiet}>
            {records.length === 2 ? 'The other one' : 'The others'} will no longer be listed as open.
            Messages, notes and documents appear in the one you keep, and replies arrive there. Links in our
            emails will show applicants the status of the one you keep. No email is sent.
          </p>
          {error === null ? null : (
            <div className={record.outcome}>
              <div role="alert" data-outcome="failed">
                <p>{error}</p>
              </div>
            </div>
          )}
          <p className={form.actions}>
            <button type="submit" className="button gold" aria-disabled={isBusy}>
              {isBusy ? 'Merging...' : 'Merge'}
            </button>
            <button type="button" className="button" disabled={isBusy} onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
    </ModalDialog>
  );
}
