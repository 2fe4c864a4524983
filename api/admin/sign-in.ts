import { randomBytes, randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { adminLogin } from '../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { AdminCredentials, SecondFactor } from '../../data/store/admin-port.ts';
import { ApiError, isApiError } from '../errors.ts';
import { clientAddress } from '../security/rate-limit.ts';
import { adminRecord, requestAddress } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE, SESSION_LIFE } from './admin-context.ts';
import { bearerToken } from './admit-admin.ts';
import type { SecondFactors } from './second-factor.ts';
import { type CountedAttempt, countSignIn } from './sign-in-throttle.ts';

const TOKEN_BYTES = 32;
/** Longer `User-Agent` headers are cut. */
const MAX_USER_AGENT_LENGTH = 200;

type Typed = z.output<typeof adminLogin.body>;
type SignInContext = AdminContext & { readonly factors: SecondFactors };

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
 * Signs an admin in, and marks the browser.
 * @throws {ApiError} `too-many-attempts`, `sign-in-refused`, `code-needed`, `passwords-busy`
 */
export async function signIn(
  typed: Typed,
  request: Request,
  response: Response,
  context: SignInContext,
): Promise<ResponseOf<typeof adminLogin>> {
  const { username, code = '' } = typed;
  const account = await context.store.byName(username);
  const attempt = await countSignIn({ username, account, hasCode: code.trim() !== '' }, request, context);
  try {
    const { body, signedIn } = await checkAndOpen(typed, account, request, context, attempt);
    await attempt.succeed();
    context.devices.renew(request, response, signedIn);
    await endPreviousSession(request, context);
    return body;
  } catch (error) {
    if (isApiError(error, 'sign-in-refused')) await attempt.fail();
    else if (isApiError(error, 'code-needed')) await attempt.forgiveOthers();
    // If the server was too busy to check the attempt, it does not count as a failure.
    else await attempt.forgive();
    throw error;
  }
}

/** Checks the password and the second factor, then opens a session. */
async function checkAndOpen(
  { password, code = '' }: Typed,
  account: AdminCredentials | null,
  request: Request,
  context: SignInContext,
  { needsFactor }: CountedAttempt,
): Promise<{ readonly body: ResponseOf<typeof adminLogin>; readonly signedIn: AdminCredentials }> {
  const { store, now, factors, passwords } = context;
  const fail = async (action: string, error: 'sign-in-refused' | 'code-needed'): Promise<never> => {
    // An unknown name is not recorded: it may be a password typed into the wrong field.
    const details = { adminId: account?.id ?? null };
    const visitor = { id: 'visitor', address: requestAddress(request) };
    await context.audit(adminRecord(visitor, { action, at: now(), details }));
    throw new ApiError(error);
  };
  const refuse = () => fail('admin.sign-in-failed', 'sign-in-refused');
  // The check takes as long for an unknown name as for a known one.
  const isRight = await passwords.isRight(account?.passwordHash ?? null, password);
  if (!account || !isRight || account.disabledAt !== null) return refuse();
  if (needsFactor && !account.hasTotp) return refuse();
  let secondFactor: SecondFactor | null = null;
  if (account.hasTotp) {
    if (code.trim() === '') return fail('admin.code-missing', 'code-needed');
    secondFactor = await factors.check(account, code);
    if (!secondFactor) return refuse();
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const at = now();
  const session = newSession(account.id, request, at);
  const actor = { id: account.id, address: session.address };
  const details = { session: session.id, secondFactor: secondFactor?.kind ?? null };
  const record = adminRecord(actor, { action: 'admin.signed-in', at, details });
  const { passwordHash } = account;
  const address = clientAddress(request);
  const outcome = await store.signIn({ token, session, passwordHash, secondFactor, address }, record);
  if (outcome === 'refused') return refuse();
  const body = {
    success: true,
    sessionId: token,
    user: { username: account.username, role: account.role },
    expiresAt: new Date(session.expiresAt).toISOString(),
    recoveryCodesLeft: account.hasTotp ? await store.recoveryCodesLeft(account.id) : null,
  } as const;
  return { body, signedIn: account };
}
