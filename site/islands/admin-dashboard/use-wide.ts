import { useSyncExternalStore } from 'react';

/** From this width on, a record is shown beside its list. */
const WIDE_QUERY = '(min-width: 1100px)';

function watch(listener: () => void): () => void {
  const query = matchMedia(WIDE_QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export function useWide(): boolean {
  return useSyncExternalStore(
    watch,
    () => matchMedia(WIDE_QUERY).matches,
    () => false,
  );
}
