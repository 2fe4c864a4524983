import { useEffect } from 'react';
import { isField } from '../admin-dashboard/shortcut-keys.ts';

export type Overlay = 'palette' | 'keys';

declare global {
  /**
   * Stops the page's inline script from capturing keys.
   * @returns the text typed after Ctrl+K or ⌘+K; null if neither was pressed
   */
  var takeEarlyKeys: (() => string | null) | undefined;
}

/**
 * Opens the command palette when Ctrl+K or ⌘+K is pressed or an element with `data-commands` is clicked. Opens the list of
 * shortcuts when `?` is pressed outside a field.
 */
export function useFrameKeys(show: (overlay: Overlay) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, target } = event;
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault();
        event.stopPropagation();
        show('palette');
        return;
      }
      if (key !== '?' || !(target instanceof HTMLElement) || isField(target)) return;
      event.preventDefault();
      show('keys');
    };
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('[data-commands]') !== null) show('palette');
    };
    // In the capture phase, so that no list handles the key first.
    window.addEventListener('keydown', onKeyDown, { capture: true });
    document.addEventListener('click', onClick);
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true });
      document.removeEventListener('click', onClick);
    };
  }, [show]);
}
