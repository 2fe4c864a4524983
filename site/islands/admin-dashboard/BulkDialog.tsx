import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { changeRecords } from '../../../data/contract/admin-bulk.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { APPROVAL_WARNINGS } from '../../../data/model/approval-warnings.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import { CARD_TIERS } from '../../../data/model/tiers.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { useChange } from '../admin/admin-calls.ts';
import { Field } from '../form/Field.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import AdminOptions from './AdminOptions.tsx';
import styles from './bulk.module.css';
import { type BulkAction, type EnteredValues, LEFT_OUT_REASONS } from './bulk-actions.ts';
import record from './record.module.css';
import type { SelectedRecord } from './selection.tsx';
import { labelOf } from './status-labels.tsx';
import { $batchReferences } from './undo-all.ts';

type Results = ResponseOf<typeof changeRecords>['records'];

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly records: readonly SelectedRecord[];
  /** @param changed the reference numbers of the changed records */
  readonly onClose: (changed: readonly string[]) => void;
}

const recordCount = (count: number): string => `${formatCount(count)} ${count === 1 ? 'record' : 'records'}`;

const changedReferencesIn = (results: Results): readonly string[] =>
  results.flatMap(({ outcome, referenceNumber }) => (outcome === 'done' ? [referenceNumber] : []));

export function BulkDialog({ action, records, onClose }: BulkDialogProps) {
  const { isBusy, send } = useChange();
  const [enteredValues, setEnteredValues] = useState<EnteredValues>({
    assignTo: null,
    tier: null,
    reason: '',
  });
  const [preview, setPreview] = useState<Results | null>(null);
  const [results, setResults] = useState<Results | null>(null);
  const [error, setError] = useState<string | null>(null);
  const { needs } = action;
  const isInputMissing =
    (needs === 'tier' && enteredValues.tier === null) ||
    ((needs === 'reason' || needs === 'team-reason') && enteredValues.reason.trim() === '');

  const run = async (isPreview: boolean, close?: () => void) => {
    const recordVersions = records.map(({ referenceNumber, changedAt, assigneeId }) => ({
      ...{ referenceNumber, changedAt, assigneeId },
    }));
    const response = await send(PATHS.changeRecords, {
      ...action.changeOf(enteredValues),
      isPreview,
      records: recordVersions,
    });
    if (response === null) return;
    setError(response.kind === 'done' ? null : response.message);
    if (response.kind !== 'done') return;
    if (isPreview) setPreview(response.body.records);
    else {
      const changedReferences = changedReferencesIn(response.body.records);
      setResults(response.body.records);
      $batchReferences.set(action.kind === null ? [] : changedReferences);
      // If no record was left out, the dialog closes and a toast is enough. For decisions, `UndoToast` shows the toast.
      if (changedReferences.length === records.length) {
        close?.();
        if (action.kind === null)
          void showToast({
            title: action.label,
            text: `${recordCount(changedReferences.length)} changed.`,
            kind: 'success',
          });
      }
    }
  };
  const initialRun = useRef(run);
  useEffect(() => {
    if (needs === undefined) void initialRun.current(true);
  }, [needs]);
  const changeEntered = (changes: Partial<EnteredValues>) => {
    setEnteredValues({ ...enteredValues, ...changes });
    setPreview(null);
  };
  /** The number of records that will change; undefined until the preview is loaded. */
  const readyCount = preview?.filter((one) => one.outcome === 'ready').length;
  const submit = (event: SubmitEvent<HTMLFormElement>, close: () => void) => {
    event.preventDefault();
    if (!isInputMissing && !isBusy && readyCount !== 0) void run(preview === null, close);
  };
  const changed = changedReferencesIn(results ?? []);
  return (
    <ModalDialog labelledby="bulk-title" isBusy={isBusy} onClose={() => onClose(changed)}>
      {(close) => (
        <form
          className={`${form.form} ${record.record}`}
          onSubmit={(event) => submit(event, close)}
          data-bulk
          noValidate
        >
          <h2 id="bulk-title">{`${action.label}: ${recordCount(records.length)}`}</h2>
          {results === null ? (
            <>
              <BulkInputs action={action} enteredValues={enteredValues} onEnter={changeEntered} />
              <p className={form.quiet}>{action.effect}</p>
            </>
          ) : null}
          {error === null ? null : (
            <div className={record.outcome}>
              <div role="alert" data-outcome="failed">
                <p>{error}</p>
              </div>
            </div>
          )}
          <Outcomes
            records={records}
            results={results ?? preview}
            isDone={results !== null}
            showsStatus={action.kind !== null}
          />
          <p className={form.actions}>
            {results !== null ? null : readyCount === undefined ? (
              <button type="submit" className="button gold" aria-disabled={isBusy || isInputMissing}>
                {isBusy ? 'Checking...' : 'Preview'}
              </button>
            ) : (
              <button
                key="change"
                type="submit"
                className="button gold"
                aria-disabled={isBusy || readyCount === 0}
              >
                {isBusy ? 'Saving...' : `${action.label}: ${recordCount(readyCount)}`}
              </button>
            )}
            <button type="button" className="button" disabled={isBusy} onClick={close}>
              {results === null ? 'Cancel' : 'Close'}
            </button>
          </p>
        </form>
      )}
    </ModalDialog>
  );
}

interface BulkInputsProps {
  readonly action: BulkAction;
  readonly enteredValues: EnteredValues;
  readonly onEnter: (changes: Partial<EnteredValues>) => void;
}

function BulkInputs({ action: { needs }, enteredValues, onEnter }: BulkInputsProps) {
  switch (needs) {
    case undefined:
      return null;
    case 'assignee':
      return (
        <label>
          Assignee
          <select
            name="assignTo"
            value={enteredValues.assignTo ?? ''}
            onChange={({ target }) => onEnter({ assignTo: target.value || null })}
          >
            <option value="">Nobody</option>
            <AdminOptions />
          </select>
        </label>
      );
    case 'tier':
      return (
        <fieldset className={record.tiers}>
          <legend>Tier</legend>
          {CARD_TIERS.map((tier) => (
            <label key={tier}>
              <input
                type="radio"
                name="tier"
                checked={enteredValues.tier === tier}
                onChange={() => onEnter({ tier })}
              />
              {tier}
            </label>
          ))}
        </fieldset>
      );
    default:
      return (
        <Field
          id="bulk-reason"
          name="reason"
          value={enteredValues.reason}
          error={null}
          onValue={(reason) => onEnter({ reason })}
          label="Reason"
          hint={
            needs === 'reason'
              ? 'Each applicant will see this text exactly as written.'
              : 'Only the team will see it.'
          }
          rows={3}
          maxLength={MAX_REVIEW_TEXT_LENGTH.reason}
        />
      );
  }
}

interface OutcomesProps {
  readonly records: readonly SelectedRecord[];
  readonly results: Results | null;
  readonly isDone: boolean;
  readonly showsStatus: boolean;
}

/** Records that are left out come first. */
function Outcomes({ records, results, isDone, showsStatus }: OutcomesProps) {
  if (results === null) return null;
  const isLeftOut = ({ outcome }: Results[number]) => LEFT_OUT_REASONS[outcome] !== null;
  const leftOutResults = results.filter(isLeftOut);
  const changedResults = results.filter((one) => !isLeftOut(one));
  const nameByReference = new Map(records.map(({ referenceNumber, name }) => [referenceNumber, name]));
  return (
    <>
      <p className={styles.summary} role="status">
        {recordCount(changedResults.length)} {isDone ? 'changed' : 'will change'}
        {leftOutResults.length === 0 ? '' : `, ${formatCount(leftOutResults.length)} left out`}.
      </p>
      <ul
        key={String(isDone)}
        // Takes the focus from the button. Otherwise, a second press of Enter would make the change before the admin reads the
        // preview.
        ref={focusOnMount}
        className={styles.outcomes}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without a tab stop, the keyboard could not scroll the list
        tabIndex={0}
        aria-label="Records"
      >
        {[...leftOutResults, ...changedResults].map((one) => (
          <li key={one.referenceNumber} data-record={one.referenceNumber} data-result={one.outcome}>
            <span>
              {nameByReference.get(one.referenceNumber)}{' '}
              <span className={styles.muted}>{one.referenceNumber}</span>
            </span>
            <span className={isLeftOut(one) ? styles.muted : undefined}>
              {LEFT_OUT_REASONS[one.outcome] ??
                (showsStatus && one.status !== null ? labelOf(one.status) : null)}
              {one.warnings.map((warning) => ` ${APPROVAL_WARNINGS[warning]}`)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
