import { randomBytes, randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { adminLogin } from '../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { AdminCredentials, SecondFactor } from '../../data/store/admin-port.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import { needsSecondFactor } from '../../data/store/rules/admin-rows.ts';
import { ApiError, isApiError } from '../errors.ts';
import { clientAddress } from '../security/rate-limit.ts';
import { adminAuditRecord, requestAddress } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE_MS, SESSION_LIFE_MS } from './admin-context.ts';
import { bearerToken } from './authorize-admin.ts';
import type { CodeFactors } from './code-factor.ts';
import type { PasskeyFactors } from './passkey-factor.ts';
import { type CountedAttempt, countSignInAttempt } from './sign-in-throttle.ts';
import type { PasskeyAnswer } from './webauthn.ts';

const TOKEN_BYTES = 32;
/** Longer `User-Agent` headers are truncated. */
const MAX_USER_AGENT_LENGTH = 200;

type LoginBody = z.output<typeof adminLogin.body>;
type PasskeyContext = AdminContext & { readonly passkeyFactors: PasskeyFactors };
type SignInContext = PasskeyContext & { readonly codeFactors: CodeFactors };

interface SignInResult {
  readonly body: ResponseOf<typeof adminLogin>;
  readonly account: AdminCredentials;
}

function newSession(adminId: string, request: Request, at: number) {
  return {
    id: randomUUID(),
    adminId,
    startedAt: at,
    lastSeenAt: at,
    expiresAt: at + SESSION_LIFE_MS,
    address: requestAddress(request),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH),
  };
}

async function endPreviousSession(request: Request, { store, now }: AdminContext): Promise<void> {
  const token = bearerToken(request);
  const at = now();
  const session = token === null ? null : await store.touchSession(token, at, at - SESSION_IDLE_MS);
  if (!session) return;
  const { sessionId, admin } = session;
  const actor = { id: admin.id, address: requestAddress(request) };
  const details = { session: sessionId };
  const record = adminAuditRecord(actor, { action: 'admin.session-replaced', at, details });
  await store.endSessions({ id: sessionId }, record);
}

/**
 * Signs an admin in with a password and, if required, a second factor. Sets the cookie that marks the browser.
 * @throws {ApiError} `too-many-attempts`, `sign-in-refused`, `code-needed`, `passkey-needed`, `passwords-busy`
 */
export async function signIn(
  loginBody: LoginBody,
  request: Request,
  response: Response,
  context: SignInContext,
): Promise<ResponseOf<typeof adminLogin>> {
  const { username, code = '', passkey } = loginBody;
  const account = await context.store.byName(username);
  const hasCode = code.trim() !== '' || passkey !== undefined;
  const attempt = await countSignInAttempt({ username, account, hasCode }, request, context);
  const check = () => checkAndOpen(loginBody, account, request, context, attempt);
  return checkAndCount(check, attempt, request, response, context);
}

/**
 * Signs an admin in with a passkey alone, which proves two factors. Sets the cookie that marks the browser.
 * @throws {ApiError} `too-many-attempts`, `passkey-refused`
 */
export async function handlePasskeySignIn(
  answer: PasskeyAnswer,
  request: Request,
  response: Response,
  context: PasskeyContext,
): Promise<ResponseOf<typeof adminLogin>> {
  const { store, passkeyFactors } = context;
  const passkey = await store.passkey(answer.id);
  const account = passkey && (await store.byId(passkey.adminId));
  const username = account?.username ?? '';
  // Nobody can guess a signature, so attacks on the password do not delay a sign-in with a passkey.
  const attempt = await countSignInAttempt({ username, account, hasCode: true }, request, context);
  const check = async () => {
    const factor = await passkeyFactors.check(answer, passkey, account);
    const result =
      account && factor && account.disabledAt === null
        ? await openSession(account, factor, request, context, { withoutPassword: true })
        : null;
    if (result === null) {
      await recordFailure('admin.sign-in-failed', account, request, context);
      throw new ApiError('passkey-refused');
    }
    return result;
  };
  return checkAndCount(check, attempt, request, response, context);
}

async function checkAndCount(
  check: () => Promise<SignInResult>,
  attempt: CountedAttempt,
  request: Request,
  response: Response,
  context: AdminContext,
): Promise<ResponseOf<typeof adminLogin>> {
  try {
    const { body, account } = await check();
    await attempt.succeed();
    context.deviceMarks.renew(request, response, account);
    await endPreviousSession(request, context);
    return body;
  } catch (error) {
    if (isApiError(error, 'sign-in-refused') || isApiError(error, 'passkey-refused')) await attempt.fail();
    else if (isApiError(error, 'code-needed') || isApiError(error, 'passkey-needed'))
      await attempt.forgiveOthers();
    // The attempt could not be checked, for example because the server is too busy, so it does not count as a failure.
    else await attempt.forgive();
    throw error;
  }
}

async function recordFailure(
  action: string,
  account: AdminCredentials | null,
  request: Request,
  { audit, now }: AdminContext,
): Promise<void> {
  // An unknown name is not recorded: it may be a password typed into the wrong field.
  const details = { adminId: account?.id ?? null };
  const visitor = { id: 'visitor', address: requestAddress(request) };
  await audit(adminAuditRecord(visitor, { action, at: now(), details }));
}

async function checkAndOpen(
  { password, code = '', passkey: answer }: LoginBody,
  account: AdminCredentials | null,
  request: Request,
  context: SignInContext,
  { needsFactor, countCode }: CountedAttempt,
): Promise<SignInResult> {
  const { store, codeFactors, passkeyFactors, passwordHasher } = context;
  const fail = async (
    action: string,
    error: 'sign-in-refused' | 'code-needed' | 'passkey-needed',
  ): Promise<never> => {
    await recordFailure(action, account, request, context);
    throw new ApiError(error);
  };
  const refuse = () => fail('admin.sign-in-failed', 'sign-in-refused');
  // The check takes as long for an unknown name as for a known one.
  const isPasswordCorrect = await passwordHasher.isCorrect(account?.passwordHash ?? null, password);
  if (!account || !isPasswordCorrect || account.disabledAt !== null) return refuse();
  const hasFactor = needsSecondFactor(account);
  if (needsFactor && !hasFactor) return refuse();
  let secondFactor: SecondFactor | null = null;
  if (hasFactor) {
    if (answer !== undefined) {
      secondFactor = await passkeyFactors.check(answer, await store.passkey(answer.id), account);
    } else if (code.trim() === '') {
      return fail('admin.code-missing', account.hasTotp ? 'code-needed' : 'passkey-needed');
    } else if (await countCode()) secondFactor = await codeFactors.check(account, code);
    if (!secondFactor) return refuse();
  }
  return (await openSession(account, secondFactor, request, context)) ?? refuse();
}

/** @returns null if the account has changed in the meantime, or if the second factor was already used */
async function openSession(
  account: AdminCredentials,
  secondFactor: SecondFactor | null,
  request: Request,
  { store, now }: AdminContext,
  extraDetails: AuditRecord['details'] = {},
): Promise<SignInResult | null> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const at = now();
  const session = newSession(account.id, request, at);
  const actor = { id: account.id, address: session.address };
  const details = { session: session.id, secondFactor: secondFactor?.kind ?? null, ...extraDetails };
  const record = adminAuditRecord(actor, { action: 'admin.signed-in', at, details });
  const { passwordHash } = account;
  const address = clientAddress(request);
  const outcome = await store.signIn({ token, session, passwordHash, secondFactor, address }, record);
  if (outcome === 'refused') return null;
  const body = {
    success: true,
    sessionId: token,
    user: { username: account.username, role: account.role },
    expiresAt: new Date(session.expiresAt).toISOString(),
    recoveryCodesLeft: account.hasTotp ? await store.recoveryCodesLeft(account.id) : null,
  } as const;
  return { body, account };
}
