import { queryOptions } from '@tanstack/react-query';
import type {
  adminSessions,
  changeOwnPassword,
  revokeAdminSession,
} from '../../../data/contract/admin-session.ts';
import type {
  addToTeam,
  changeRole,
  disableAdmin,
  enableAdmin,
  resetPassword,
  team,
} from '../../../data/contract/admin-team.ts';
import type {
  beginTotp,
  confirmTotp,
  disableTotp,
  renewRecoveryCodes,
} from '../../../data/contract/admin-totp.ts';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import { faultText } from '../../data/call-fault.ts';
import { adminFetch } from '../admin/admin-session.ts';
import { FOR_ADMINS } from '../admin/own-session.ts';

const SESSIONS: (typeof adminSessions)['path'] = '/api/admin/sessions';
const TEAM: (typeof team)['path'] = '/api/admin/team';

export type OpenSession = ResponseOf<typeof adminSessions>['sessions'][number];
export type TeamMember = ResponseOf<typeof team>['team'][number];

/** Open sessions: one's own; of an owner the whole team's. */
export function sessionsQuery() {
  return queryOptions<ResponseOf<typeof adminSessions>>({
    ...FOR_ADMINS,
    queryKey: [SESSIONS],
    queryFn: async ({ signal }) => (await adminFetch('GET', SESSIONS, { signal })).json(),
  });
}

/** Every admin; for owners. */
export function teamQuery() {
  return queryOptions<ResponseOf<typeof team>>({
    ...FOR_ADMINS,
    queryKey: [TEAM],
    queryFn: async ({ signal }) => (await adminFetch('GET', TEAM, { signal })).json(),
  });
}

/** The calls that change something. Named by their types alone, as their modules would bring schemas into the browser. */
interface Changes {
  '/api/admin/sessions/revoke': typeof revokeAdminSession;
  '/api/admin/password': typeof changeOwnPassword;
  '/api/admin/totp/begin': typeof beginTotp;
  '/api/admin/totp/confirm': typeof confirmTotp;
  '/api/admin/totp/disable': typeof disableTotp;
  '/api/admin/totp/recovery-codes': typeof renewRecoveryCodes;
  '/api/admin/team/add': typeof addToTeam;
  '/api/admin/team/role': typeof changeRole;
  '/api/admin/team/disable': typeof disableAdmin;
  '/api/admin/team/enable': typeof enableAdmin;
  '/api/admin/team/reset-password': typeof resetPassword;
}

/** Milliseconds that an answer may take: passwords are slow to check, and wait for each other. */
const ANSWER_WITHIN = 30_000;

export type Changed<Body> =
  | { readonly kind: 'done'; readonly body: Body }
  | { readonly kind: 'failed'; readonly words: string };

/** Changes something at the server. Whatever happens is an outcome; nothing is thrown. */
export async function change<Path extends keyof Changes>(
  path: Path,
  payload: BodyOf<Changes[Path]>,
): Promise<Changed<ResponseOf<Changes[Path]>>> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN);
    const response = await adminFetch('POST', path, { payload, signal });
    return { kind: 'done', body: await response.json() };
  } catch (error) {
    const otherwise = 'The portal did not answer as it should. Look whether it was done, and try again.';
    return { kind: 'failed', words: faultText(error, otherwise) };
  }
}
