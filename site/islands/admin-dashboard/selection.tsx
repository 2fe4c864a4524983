import { createContext, useContext, useMemo, useRef, useState } from 'react';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import styles from './selection.module.css';

/** A selected record, in the version that the admin saw. */
export interface SelectedRecord {
  readonly referenceNumber: string;
  readonly kind: SubmissionKind;
  readonly name: string;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly assigneeId: string | null;
}

export type Selection = ReturnType<typeof useSelection>;

/**
 * The selected records, across all pages.
 * @param viewKey identifies the records that can be selected. When it changes, the selection is cleared.
 */
export function useSelection(viewKey: string) {
  const [state, setState] = useState({ view: viewKey, selectedRecords: new Map<string, SelectedRecord>() });
  if (state.view !== viewKey) setState({ view: viewKey, selectedRecords: new Map() });
  const { selectedRecords } = state;
  /** The last toggled record, where the range of the next Shift+click starts. */
  const anchor = useRef<string | null>(null);
  return useMemo(() => {
    const change = (records: readonly SelectedRecord[], isSelected: boolean) =>
      setState(({ view: currentView, selectedRecords: previousRecords }) => {
        const next = new Map(previousRecords);
        for (const one of records) {
          if (isSelected) next.set(one.referenceNumber, one);
          else next.delete(one.referenceNumber);
        }
        return { view: currentView, selectedRecords: next };
      });
    return {
      records: [...selectedRecords.values()],
      has: (reference: string) => selectedRecords.has(reference),
      change,
      clear: () => change([...selectedRecords.values()], false),
      /** Selects or deselects a record or, with `isRange`, all records from the last toggled record to this one. */
      toggle: (record: SelectedRecord, rows: readonly SelectedRecord[], isRange = false) => {
        const recordIndex = rows.findIndex(
          ({ referenceNumber }) => referenceNumber === record.referenceNumber,
        );
        const anchorIndex = rows.findIndex(({ referenceNumber }) => referenceNumber === anchor.current);
        anchor.current = record.referenceNumber;
        const range =
          isRange && anchorIndex >= 0
            ? rows.slice(Math.min(anchorIndex, recordIndex), Math.max(anchorIndex, recordIndex) + 1)
            : [record];
        change(range, !selectedRecords.has(record.referenceNumber));
      },
    };
  }, [selectedRecords]);
}

export const SelectionContext = createContext<{
  readonly selection: Selection;
  readonly rows: readonly SelectedRecord[];
} | null>(null);

export function RecordCheckbox({ reference }: { readonly reference: string }) {
  const context = useContext(SelectionContext);
  const record = context?.rows.find(({ referenceNumber }) => referenceNumber === reference);
  if (context === null || record === undefined) return null;
  const { selection, rows } = context;
  return (
    // The label fills the cell, so a click beside the checkbox selects the record instead of opening it.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox handles the keyboard
    <label className={styles.select} onClick={(event) => event.stopPropagation()}>
      <span className="visually-hidden">Select {reference}</span>
      <input
        type="checkbox"
        checked={selection.has(reference)}
        onChange={({ nativeEvent }) =>
          selection.toggle(record, rows, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </label>
  );
}

export function PageCheckbox({ label }: { readonly label?: string }) {
  const context = useContext(SelectionContext);
  if (context === null) return null;
  const { selection, rows } = context;
  const selectedCount = rows.filter(({ referenceNumber }) => selection.has(referenceNumber)).length;
  return (
    <label className={styles.select}>
      <span className={label === undefined ? 'visually-hidden' : styles.visibleLabel}>
        {label ?? 'Select all records on this page'}
      </span>
      <input
        type="checkbox"
        ref={(element) => {
          if (element) element.indeterminate = selectedCount > 0 && selectedCount < rows.length;
        }}
        checked={rows.length > 0 && selectedCount === rows.length}
        onChange={() => selection.change(rows, selectedCount < rows.length)}
      />
    </label>
  );
}
