import { type RefObject, useEffect } from 'react';

/** Calls back for single keys that are pressed anywhere in the dialog around an element, but where text is typed. */
export function useDialogKeys(
  within: RefObject<HTMLElement | null>,
  onKey: (event: globalThis.KeyboardEvent) => void,
): void {
  useEffect(() => {
    const dialog = within.current?.closest('dialog');
    const hear = (event: globalThis.KeyboardEvent) => {
      const { target, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
      if (!target.matches('input, select, textarea')) onKey(event);
    };
    dialog?.addEventListener('keydown', hear);
    return () => dialog?.removeEventListener('keydown', hear);
  });
}
