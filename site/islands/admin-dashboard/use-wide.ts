import { useSyncExternalStore } from 'react';

/** From this width on, a record is shown beside its list. */
const WIDE = '(min-width: 1100px)';

function watch(listener: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export function useWide(): boolean {
  return useSyncExternalStore(
    watch,
    () => matchMedia(WIDE).matches,
    () => false,
  );
}
