import { createContext, useContext, useMemo, useRef, useState } from 'react';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import styles from './selection.module.css';

/** A selected record, in the version that the admin saw. */
export interface Selected {
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
 * @param view identifies the records that can be selected. A different view ends the selection.
 */
export function useSelection(view: string) {
  const [state, setState] = useState({ view, chosen: new Map<string, Selected>() });
  if (state.view !== view) setState({ view, chosen: new Map() });
  const { chosen } = state;
  /** The record at which a range that is selected with Shift begins. */
  const anchor = useRef<string | null>(null);
  return useMemo(() => {
    const change = (records: readonly Selected[], isChosen: boolean) =>
      setState(({ view: currentView, chosen: before }) => {
        const next = new Map(before);
        for (const one of records) {
          if (isChosen) next.set(one.referenceNumber, one);
          else next.delete(one.referenceNumber);
        }
        return { view: currentView, chosen: next };
      });
    return {
      records: [...chosen.values()],
      has: (reference: string) => chosen.has(reference),
      change,
      clear: () => change([...chosen.values()], false),
      /** Selects or deselects a record. With Shift, selects all records from the last toggled one to this one. */
      toggle: (record: Selected, rows: readonly Selected[], isRange = false) => {
        const recordIndex = rows.findIndex(
          ({ referenceNumber }) => referenceNumber === record.referenceNumber,
        );
        const anchorIndex = rows.findIndex(({ referenceNumber }) => referenceNumber === anchor.current);
        anchor.current = record.referenceNumber;
        const range =
          isRange && anchorIndex >= 0
            ? rows.slice(Math.min(anchorIndex, recordIndex), Math.max(anchorIndex, recordIndex) + 1)
            : [record];
        change(range, !chosen.has(record.referenceNumber));
      },
    };
  }, [chosen]);
}

/** The selection, and the records that can be selected, in order. */
export const SelectionContext = createContext<{
  readonly selection: Selection;
  readonly rows: readonly Selected[];
} | null>(null);

/** The checkbox that selects a record. With Shift, it selects all records from the last toggled one to this one. */
export function SelectRecord({ reference }: { readonly reference: string }) {
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

/** Selects all records of the page. @param label shown beside the checkbox */
export function SelectPage({ label }: { readonly label?: string }) {
  const context = useContext(SelectionContext);
  if (context === null) return null;
  const { selection, rows } = context;
  const chosen = rows.filter(({ referenceNumber }) => selection.has(referenceNumber)).length;
  return (
    <label className={styles.select}>
      <span className={label === undefined ? 'visually-hidden' : styles.all}>
        {label ?? 'Select all records on this page'}
      </span>
      <input
        type="checkbox"
        ref={(element) => {
          if (element) element.indeterminate = chosen > 0 && chosen < rows.length;
        }}
        checked={rows.length > 0 && chosen === rows.length}
        onChange={() => selection.change(rows, chosen < rows.length)}
      />
    </label>
  );
}
