import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect, useLayoutEffect } from 'react';

const OPENER_SELECTOR = 'button[data-opens]';

export const isField = (target: HTMLElement) =>
  target.matches('input:not([type="radio"], [type="checkbox"]), select, textarea');

/** Keys pressed in a modal dialog do not trigger the shortcuts of the page behind it. */
export const isInModalDialog = (target: HTMLElement) => target.closest('[aria-modal]') !== null;

/** The record whose row gets the focus when the list has loaded; an empty string for the first row, null for none. */
export const rowToFocus: RefObject<string | null> = { current: null };

interface ListFocus {
  readonly openReference: string | null;
  readonly isFetching: boolean;
}

/**
 * After a dialog closes and the list has reloaded, moves the focus to the record's row or, if that is gone, to the first row.
 * If another control got the focus after the record closed, the focus stays there.
 */
export function useFocusAfterDialog(
  section: RefObject<HTMLElement | null>,
  { openReference, isFetching }: ListFocus,
): void {
  useEffect(() => {
    const openers = [...(section.current?.querySelectorAll<HTMLButtonElement>(OPENER_SELECTOR) ?? [])];
    const findOpener = (of: string | null) => openers.find(({ dataset }) => dataset.opens === of);
    if (openReference !== null) {
      // Ignores a record that this list does not contain, such as one in another list on the page.
      if (findOpener(openReference)) rowToFocus.current = openReference;
      return;
    }
    const reference = rowToFocus.current;
    if (reference === null || isFetching) return;
    rowToFocus.current = null;
    const { activeElement } = document;
    // The focus stays on another control, for example on the search field after a search closed the record. The area around the
    // rows is not a control: the browser returns the focus to it after a click in a row.
    const isElsewhere =
      reference !== '' &&
      activeElement?.matches('a, button, input, select, textarea') &&
      !activeElement.closest(`dialog, ${OPENER_SELECTOR}`);
    if (isElsewhere) return;
    (findOpener(reference) ?? openers[0])?.focus();
  }, [section, openReference, isFetching]);
}

interface ListActions {
  readonly nextPage: (() => void) | null;
  readonly previousPage: (() => void) | null;
  readonly startAction: (reference: string, action: 'approved' | 'refused') => void;
  /** Shows the record in the row that the focus moved to; null if no record is shown beside the list. */
  readonly browse: ((reference: string) => void) | null;
  /** Closes the record beside the list, or clears the selection; null if neither is possible. */
  readonly close: (() => void) | null;
  readonly select: (reference: string) => void;
}

/** In a field, only Escape has an effect. */
export function handleListKey(
  event: ReactKeyboardEvent | KeyboardEvent,
  section: HTMLElement | null,
  { nextPage, previousPage, startAction, browse, close, select }: ListActions,
): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || section === null) return;
  if (!(target instanceof HTMLElement) || isInModalDialog(target)) return;
  if (isField(target)) {
    if (key === 'Escape') section.querySelector<HTMLElement>(OPENER_SELECTOR)?.focus();
    return;
  }
  const openers = [...section.querySelectorAll<HTMLButtonElement>(OPENER_SELECTOR)];
  const rowIndex = target instanceof HTMLButtonElement ? openers.indexOf(target) : -1;
  const reference = openers[rowIndex]?.dataset.opens;
  const moveFocus = (to: number) => {
    const opener = openers[Math.max(0, Math.min(to, openers.length - 1))];
    opener?.focus();
    if (opener?.dataset.opens !== undefined) browse?.(opener.dataset.opens);
  };
  const keyHandlers: Readonly<Record<string, (() => void) | null>> = {
    j: () => moveFocus(rowIndex + 1),
    k: () => moveFocus(rowIndex - 1),
    Escape: close,
    n: nextPage,
    p: previousPage,
    '/': () => section.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
    x: reference === undefined ? null : () => select(reference),
    a: reference === undefined ? null : () => startAction(reference, 'approved'),
    r: reference === undefined ? null : () => startAction(reference, 'refused'),
  };
  const letterKey = { ArrowDown: 'j', ArrowUp: 'k' }[key] ?? key;
  // Without a focused row, arrow keys scroll the page.
  if (letterKey !== key && rowIndex < 0) return;
  const action = Object.hasOwn(keyHandlers, letterKey) ? keyHandlers[letterKey] : null;
  if (!action) return;
  event.preventDefault();
  action();
}

/** Calls `onKey` when a key is pressed while no dialog is open and nothing has the focus, as after a page load. */
export function useUnfocusedKeys(onKey: (event: KeyboardEvent) => void): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.target === document.body && document.querySelector('dialog[open]') === null) onKey(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
}

/** Opens the record in the next or previous row, skipping other rows of the same record. */
export function openNeighbor(reference: string, step: 1 | -1): void {
  const openers = [...document.querySelectorAll<HTMLButtonElement>(OPENER_SELECTOR)];
  if (step < 0) openers.reverse();
  const currentIndex = openers.findIndex(({ dataset }) => dataset.opens === reference);
  openers
    .slice(currentIndex + 1)
    .find(({ dataset }) => dataset.opens !== reference)
    ?.click();
}

/** The element in a dialog that was focused last. */
let lastFocused: EventTarget | null = null;

/**
 * Calls `onKey` when a key is pressed without Ctrl, Meta or Alt:
 * - in the dialog that contains `element`, except in its fields,
 * - in the row of the shown record, if the list does not handle the key,
 * - while nothing has the focus because the dialog's focused control is gone.
 */
export function useDialogKeys(element: RefObject<HTMLElement | null>, onKey: (event: KeyboardEvent) => void) {
  // Runs before the browser paints, so that no key press reaches the previous render's listener.
  useLayoutEffect(() => {
    const dialog = element.current?.closest('dialog');
    if (!dialog) return;
    const listen = (event: KeyboardEvent) => {
      const { target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (ctrlKey || metaKey || altKey || defaultPrevented || !(target instanceof HTMLElement)) return;
      if (isField(target) || document.querySelector('[aria-modal]') !== null) return;
      const isFocusGone =
        target === document.body &&
        lastFocused instanceof Node &&
        !lastFocused.isConnected &&
        dialog.querySelector('dialog[open]') === null;
      if (isFocusGone || dialog.contains(target) || target.closest('tr[aria-current]')) onKey(event);
    };
    const noteFocus = ({ target }: FocusEvent) => {
      lastFocused = target;
    };
    document.addEventListener('keydown', listen);
    dialog.addEventListener('focusin', noteFocus);
    return () => {
      document.removeEventListener('keydown', listen);
      dialog.removeEventListener('focusin', noteFocus);
    };
  });
}

export function submitOnCtrlEnter(event: ReactKeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
