import { useSyncExternalStore } from 'react';

const never = () => () => {};

/**
 * False during hydration, when the render must match the built page, which has no figures and no drafts. An island that
 * hydrates late may find figures in the cache.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
