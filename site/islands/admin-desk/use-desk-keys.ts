import { useEffect } from 'react';

/** Ctrl or ⌘ with K opens the commands from anywhere; `?` the keys, while the focus is on the dashboard and in no field. */
export function useDeskKeys(show: (overlay: 'palette' | 'keys') => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, target } = event;
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault();
        event.stopPropagation();
        show('palette');
        return;
      }
      if (key !== '?' || !(target instanceof HTMLElement) || target.matches('input, select, textarea'))
        return;
      if (target.closest('astro-island, dialog') === null) return;
      event.preventDefault();
      show('keys');
    };
    // Before the site's own search hears of it.
    window.addEventListener('keydown', hear, { capture: true });
    return () => window.removeEventListener('keydown', hear, { capture: true });
  }, [show]);
}
