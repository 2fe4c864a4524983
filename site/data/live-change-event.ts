import type { LiveChange } from '../../data/contract/live.ts';

/** A DOM event, so that scripts without a query client can follow the page's event stream too. */
const TYPE = 'live-change';

export function dispatchLiveChange(change: LiveChange): void {
  document.dispatchEvent(new CustomEvent<LiveChange>(TYPE, { detail: change }));
}

/**
 * Calls `listener` with every change from the event stream, on pages that have opened it.
 * @returns a function that removes the listener.
 */
export function onLiveChange(listener: (change: LiveChange) => void): () => void {
  const handle = (event: Event) => {
    if (event instanceof CustomEvent) listener(event.detail);
  };
  document.addEventListener(TYPE, handle);
  return () => document.removeEventListener(TYPE, handle);
}
