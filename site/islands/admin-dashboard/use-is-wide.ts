import { useSyncExternalStore } from 'react';

/** From this width on, a record is shown beside its list. */
const WIDE_QUERY = '(min-width: 1100px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(WIDE_QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export function useIsWide(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(WIDE_QUERY).matches,
    () => false,
  );
}
