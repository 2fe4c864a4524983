import { queryOptions } from '@tanstack/react-query';
import type { adminLogout, adminSession } from '../../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { callFault } from '../../data/call-fault.ts';
import { adminFetch, clearAdminSession } from './admin-session.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const SESSION: (typeof adminSession)['path'] = '/api/admin/session';
const LOGOUT: (typeof adminLogout)['path'] = '/api/admin/logout';

export type OwnSession = ResponseOf<typeof adminSession>;

/** How what is for admins alone is read: nothing of it stays in memory once its page is signed out. */
export const FOR_ADMINS = {
  staleTime: 0,
  gcTime: 0,
  retry: (failures: number, error: Error) => callFault(error) === 'failed' && failures < 2,
} as const;

/** Who is signed in, and as what. */
export function ownSessionQuery() {
  return queryOptions<OwnSession>({
    ...FOR_ADMINS,
    queryKey: [SESSION],
    queryFn: async ({ signal }) => (await adminFetch('GET', SESSION, { signal })).json(),
  });
}

/** Signs out, here and at the server. A failure there is logged only: whoever leaves is not kept. */
export async function logOut(): Promise<void> {
  try {
    await adminFetch('POST', LOGOUT);
  } catch (error) {
    console.error('The session could not be ended at the server.', error);
  }
  clearAdminSession();
}
