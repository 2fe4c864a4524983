import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => {};

/**
 * False during hydration, when the output must match the built page, which has no figures and no drafts. An island
 * that hydrates late may already have figures in the cache, but must not show them yet.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
