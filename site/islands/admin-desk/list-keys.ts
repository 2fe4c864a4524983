import { type KeyboardEvent, type RefObject, useEffect } from 'react';

/** What opens the record of a row: the row's stop of the keyboard. */
const OPENER = 'button[data-opens]';

/** The record that the keyboard goes on from once its list stands; empty for the first row, null for nowhere. */
export type GoOnFrom = RefObject<string | null>;

/** Once a dialog is closed and the list has been read again, the keyboard goes on where it was, or at the top. */
export function useFocusAfterDialog(
  section: RefObject<HTMLElement | null>,
  { record, isFetching, goOnFrom }: { record: string | null; isFetching: boolean; goOnFrom: GoOnFrom },
): void {
  useEffect(() => {
    if (record !== null) {
      goOnFrom.current = record;
      return;
    }
    if (goOnFrom.current === null || isFetching) return;
    const openers = [...(section.current?.querySelectorAll<HTMLButtonElement>(OPENER) ?? [])];
    const same = openers.find(({ dataset }) => dataset.opens === goOnFrom.current);
    goOnFrom.current = null;
    (same ?? openers[0])?.focus();
  }, [section, record, isFetching, goOnFrom]);
}

export interface Steps {
  readonly n: (() => void) | null;
  readonly p: (() => void) | null;
  readonly begin: (index: number, begin: 'approve' | 'refuse') => void;
}

/** The keys of a list, while something in it has the focus and no text is being typed. */
export function stepThrough(event: KeyboardEvent, section: HTMLElement | null, { n, p, begin }: Steps): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || section === null) return;
  if (!(target instanceof HTMLElement)) return;
  const isTyping = target.matches('input, select, textarea');
  if (key === 'Escape' && isTyping) section.querySelector<HTMLElement>(OPENER)?.focus();
  if (isTyping) return;
  const openers = [...section.querySelectorAll<HTMLButtonElement>(OPENER)];
  const place = target instanceof HTMLButtonElement ? openers.indexOf(target) : -1;
  const keys: Readonly<Record<string, (() => void) | null>> = {
    j: () => openers[Math.min(place + 1, openers.length - 1)]?.focus(),
    k: () => openers[Math.max(place - 1, 0)]?.focus(),
    n,
    p,
    '/': () => section.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
    a: place < 0 ? null : () => begin(place, 'approve'),
    r: place < 0 ? null : () => begin(place, 'refuse'),
  };
  const named = { ArrowDown: 'j', ArrowUp: 'k' }[key] ?? key;
  // Arrows scroll the page while no row has the focus.
  if (named !== key && place < 0) return;
  const step = Object.hasOwn(keys, named) ? keys[named] : null;
  if (!step) return;
  event.preventDefault();
  step();
}
