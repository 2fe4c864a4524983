import { useSyncExternalStore } from 'react';
import { readAdminSession, watchAdminSession } from './admin-session.ts';

/** `unknown` while the first render repeats the built page, which knows of no browser. */
export type SignedIn = 'unknown' | 'signed-in' | 'signed-out';

/** Whether this browser keeps an admin's session; renders again when that changes, here or in another tab. */
export function useSignedIn(): SignedIn {
  return useSyncExternalStore<SignedIn>(
    watchAdminSession,
    () => (readAdminSession() === null ? 'signed-out' : 'signed-in'),
    () => 'unknown',
  );
}
