import type { LiveChange } from '../../data/contract/live.ts';

/** News of the page's event stream for parts of the page that hold no query client. */
const TYPE = 'live-change';

export function announceChange(change: LiveChange): void {
  document.dispatchEvent(new CustomEvent<LiveChange>(TYPE, { detail: change }));
}

/**
 * Calls `listener` with every change that the event stream brings, on pages that have opened it.
 * @returns what ends it.
 */
export function onLiveChange(listener: (change: LiveChange) => void): () => void {
  const hear = (event: Event) => {
    if (event instanceof CustomEvent) listener(event.detail);
  };
  document.addEventListener(TYPE, hear);
  return () => document.removeEventListener(TYPE, hear);
}
