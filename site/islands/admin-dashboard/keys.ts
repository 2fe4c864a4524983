import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect, useLayoutEffect } from 'react';

/** The button in each row that opens the row's record. */
const OPENER = 'button[data-opens]';

export const isField = (target: HTMLElement) => target.matches('input:not([type="radio"]), select, textarea');

/** The record whose row gets the focus when the list has loaded; an empty string for the first row, null for none. */
export const focusReturn: RefObject<string | null> = { current: null };

interface ListFocus {
  /** The record whose dialog is open. */
  readonly record: string | null;
  readonly isFetching: boolean;
}

/** After a dialog closes and its list has reloaded, moves the focus to the record's row, or to the first row. */
export function useFocusAfterDialog(
  section: RefObject<HTMLElement | null>,
  { record, isFetching }: ListFocus,
): void {
  useEffect(() => {
    if (record !== null) {
      focusReturn.current = record;
      return;
    }
    if (focusReturn.current === null || isFetching) return;
    const openers = [...(section.current?.querySelectorAll<HTMLButtonElement>(OPENER) ?? [])];
    const same = openers.find(({ dataset }) => dataset.opens === focusReturn.current);
    focusReturn.current = null;
    (same ?? openers[0])?.focus();
  }, [section, record, isFetching]);
}

interface ListActions {
  readonly nextPage: (() => void) | null;
  readonly previousPage: (() => void) | null;
  /** Starts an action on the row with this index. */
  readonly begin: (row: number, action: 'approve' | 'refuse') => void;
}

/** Handles the shortcut keys of a list while the focus is in the list. In a field, only Escape has an effect. */
export function handleListKey(
  event: ReactKeyboardEvent,
  section: HTMLElement | null,
  { nextPage, previousPage, begin }: ListActions,
): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || section === null) return;
  if (!(target instanceof HTMLElement)) return;
  if (isField(target)) {
    if (key === 'Escape') section.querySelector<HTMLElement>(OPENER)?.focus();
    return;
  }
  const openers = [...section.querySelectorAll<HTMLButtonElement>(OPENER)];
  const row = target instanceof HTMLButtonElement ? openers.indexOf(target) : -1;
  const keys: Readonly<Record<string, (() => void) | null>> = {
    j: () => openers[Math.min(row + 1, openers.length - 1)]?.focus(),
    k: () => openers[Math.max(row - 1, 0)]?.focus(),
    n: nextPage,
    p: previousPage,
    '/': () => section.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
    a: row < 0 ? null : () => begin(row, 'approve'),
    r: row < 0 ? null : () => begin(row, 'refuse'),
  };
  const named = { ArrowDown: 'j', ArrowUp: 'k' }[key] ?? key;
  // Without a focused row, arrow keys scroll the page.
  if (named !== key && row < 0) return;
  const act = Object.hasOwn(keys, named) ? keys[named] : null;
  if (!act) return;
  event.preventDefault();
  act();
}

/** Calls `onKey` for keys without modifiers in the dialog that contains `within`, except in fields. */
export function useDialogKeys(within: RefObject<HTMLElement | null>, onKey: (event: KeyboardEvent) => void) {
  // Runs before the paint, so that no key reaches the listener of the previous render.
  useLayoutEffect(() => {
    const dialog = within.current?.closest('dialog');
    const listen = (event: KeyboardEvent) => {
      const { target, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
      if (!isField(target)) onKey(event);
    };
    dialog?.addEventListener('keydown', listen);
    return () => dialog?.removeEventListener('keydown', listen);
  });
}
