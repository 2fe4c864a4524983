import { randomBytes, randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { z } from 'zod';
import type { adminLogin } from '../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { AdminCredentials, SecondFactor } from '../../data/store/admin-port.ts';
import { ApiError, isApiError } from '../errors.ts';
import { adminRecord, requestAddress } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE, SESSION_LIFE } from './admin-context.ts';
import { bearerToken } from './admit-admin.ts';
import type { SecondFactors } from './second-factor.ts';
import { type CountedAttempt, countAttempt } from './sign-in-throttle.ts';

const TOKEN_BYTES = 32;
/** Longer `User-Agent` headers are cut. */
const MAX_USER_AGENT_LENGTH = 200;

type Typed = z.output<typeof adminLogin.body>;
type SignInContext = AdminContext & { readonly factors: SecondFactors };

/** Finds an account by name and checks the password. For an unknown name it takes as long. */
async function checkPassword(
  { username, password }: Typed,
  { store, passwords }: AdminContext,
): Promise<{ readonly account: AdminCredentials | null; readonly maySignIn: boolean }> {
  const account = await store.byName(username);
  const isRight = await passwords.isRight(account?.passwordHash ?? null, password);
  return { account, maySignIn: isRight && account?.disabledAt === null };
}

function newSession(adminId: string, request: Request, at: number) {
  return {
    id: randomUUID(),
    adminId,
    startedAt: at,
    lastSeenAt: at,
    expiresAt: at + SESSION_LIFE,
    address: requestAddress(request),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH),
  };
}

/** Ends the session that the request carries, because the new one replaces it. */
async function endPreviousSession(request: Request, { store, now }: AdminContext): Promise<void> {
  const token = bearerToken(request);
  const at = now();
  const session = token === null ? null : await store.touchSession(token, at, at - SESSION_IDLE);
  if (!session) return;
  const { sessionId, admin } = session;
  const actor = { id: admin.id, address: requestAddress(request) };
  const details = { session: sessionId };
  const record = adminRecord(actor, { action: 'admin.session-replaced', at, details });
  await store.endSessions({ id: sessionId }, record);
}

/**
 * Signs an admin in.
 * @throws {ApiError} `too-many-attempts`, `sign-in-refused`, `code-needed`, `passwords-busy`
 */
export async function signIn(
  typed: Typed,
  request: Request,
  context: SignInContext,
): Promise<ResponseOf<typeof adminLogin>> {
  const attempt = await countAttempt(typed.username, request, context);
  try {
    return await checkAndOpen(typed, request, context, attempt);
  } catch (error) {
    if (isApiError(error, 'code-needed')) await attempt.forgiveAddress();
    // An attempt that was not checked because the server is busy is not a failure.
    else if (!isApiError(error, 'sign-in-refused')) await attempt.forgive();
    throw error;
  }
}

async function checkAndOpen(
  typed: Typed,
  request: Request,
  context: SignInContext,
  attempt: CountedAttempt,
): Promise<ResponseOf<typeof adminLogin>> {
  const { store, now, factors } = context;
  const { account, maySignIn } = await checkPassword(typed, context);
  const fail = async (action: string, code: 'sign-in-refused' | 'code-needed'): Promise<never> => {
    // An unknown name is not recorded: it may be a password typed into the wrong field.
    const details = { adminId: account?.id ?? null };
    const visitor = { id: 'visitor', address: requestAddress(request) };
    await context.audit(adminRecord(visitor, { action, at: now(), details }));
    throw new ApiError(code);
  };
  const refuse = () => fail('admin.sign-in-failed', 'sign-in-refused');
  if (!account || !maySignIn) return refuse();
  let secondFactor: SecondFactor | null = null;
  if (account.hasTotp) {
    if (typed.code === undefined || typed.code.trim() === '')
      return fail('admin.code-missing', 'code-needed');
    secondFactor = await factors.check(account, typed.code);
    if (!secondFactor) return refuse();
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const at = now();
  const session = newSession(account.id, request, at);
  const actor = { id: account.id, address: session.address };
  const details = { session: session.id, secondFactor: secondFactor?.kind ?? null };
  const record = adminRecord(actor, { action: 'admin.signed-in', at, details });
  const { passwordHash } = account;
  const outcome = await store.signIn({ token, session, passwordHash, secondFactor }, record);
  if (outcome === 'refused') return refuse();
  await attempt.succeed();
  await endPreviousSession(request, context);
  return {
    success: true,
    sessionId: token,
    user: { username: account.username, role: account.role },
    expiresAt: new Date(session.expiresAt).toISOString(),
    recoveryCodesLeft: account.hasTotp ? await store.recoveryCodesLeft(account.id) : null,
  };
}
