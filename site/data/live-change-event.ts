import type { LiveChange } from '../../data/contract/live.ts';

/** Scripts without a query client follow the page's event stream through this DOM event. */
const EVENT_TYPE = 'live-change';

export function dispatchLiveChange(change: LiveChange): void {
  document.dispatchEvent(new CustomEvent<LiveChange>(EVENT_TYPE, { detail: change }));
}

/** @returns a function that removes the listener */
export function onLiveChange(listener: (change: LiveChange) => void): () => void {
  const handle = (event: Event) => {
    if (event instanceof CustomEvent) listener(event.detail);
  };
  document.addEventListener(EVENT_TYPE, handle);
  return () => document.removeEventListener(EVENT_TYPE, handle);
}
