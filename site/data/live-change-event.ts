import type { LiveChange } from '../../data/contract/live.ts';

/** The name of the DOM event by which scripts without a query client follow the page's event stream. */
const TYPE = 'live-change';

export function dispatchLiveChange(change: LiveChange): void {
  document.dispatchEvent(new CustomEvent<LiveChange>(TYPE, { detail: change }));
}

/** Calls `listener` with every change from the event stream. @returns a function that removes the listener */
export function onLiveChange(listener: (change: LiveChange) => void): () => void {
  const handle = (event: Event) => {
    if (event instanceof CustomEvent) listener(event.detail);
  };
  document.addEventListener(TYPE, handle);
  return () => document.removeEventListener(TYPE, handle);
}
