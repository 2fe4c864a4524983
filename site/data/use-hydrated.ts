import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => {};

/**
 * Returns false during hydration, when the output must match the built page, which has no figures and no drafts. An island that
 * hydrates late may already find figures in the cache.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
