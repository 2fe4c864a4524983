import { randomBytes, randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { z } from 'zod';
import type { adminLogin } from '../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { AdminCredentials, SecondFactor } from '../../data/store/admin-port.ts';
import { adminRecord, visitorRecord } from './admin-audit.ts';
import { type AdminDesk, SESSION_IDLE, SESSION_LIFE } from './admin-desk.ts';
import { CodeNeededError, SignInRefusedError } from './admin-errors.ts';
import { bearerToken } from './admit-admin.ts';
import type { SecondFactors } from './second-factor.ts';
import { type CountedAttempt, countAttempt } from './sign-in-throttle.ts';

const TOKEN_BYTES = 32;
/** Characters that are kept of what a browser calls itself. */
const USER_AGENT_AT_MOST = 200;

type Typed = z.output<typeof adminLogin.body>;

/** Whose name and password these are; null where they are nobody's who may sign in. It takes as long for an unknown name. */
async function accountOf(
  { username, password }: Typed,
  { store, passwords }: AdminDesk,
): Promise<{ readonly named: AdminCredentials | null; readonly isHis: boolean }> {
  const named = await store.byName(username);
  const isRight = await passwords.isRight(named?.passwordHash ?? null, password);
  return { named, isHis: isRight && named?.disabledAt === null };
}

function newSession(adminId: string, request: Request, at: number) {
  return {
    id: randomUUID(),
    adminId,
    startedAt: at,
    lastSeenAt: at,
    expiresAt: at + SESSION_LIFE,
    address: request.ip ?? 'left',
    userAgent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_AT_MOST),
  };
}

/** A session that is sent along is over with the new one: it would be left lying about. */
async function endFormerSession(request: Request, { store, now }: AdminDesk): Promise<void> {
  const token = bearerToken(request);
  const at = now();
  const held = token === null ? null : await store.touchSession(token, at, at - SESSION_IDLE);
  if (!held) return;
  const by = { id: held.admin.id, address: request.ip ?? 'left' };
  const details = { session: held.sessionId };
  await store.endSessions(
    { id: held.sessionId },
    adminRecord(by, { action: 'admin.session-replaced', at, details }),
  );
}

/**
 * Signs an admin in.
 * @throws {TooManyAttemptsError} {SignInRefusedError} {CodeNeededError} {PasswordsBusyError}
 */
export async function signIn(
  typed: Typed,
  request: Request,
  desk: AdminDesk & { readonly factors: SecondFactors },
): Promise<ResponseOf<typeof adminLogin>> {
  const attempt = await countAttempt(typed.username, request, desk);
  try {
    return await checked(typed, request, desk, attempt);
  } catch (error) {
    // What was not checked, for want of the machine or of a code, did not fail.
    if (!(error instanceof SignInRefusedError)) await attempt.forgive();
    throw error;
  }
}

async function checked(
  typed: Typed,
  request: Request,
  desk: AdminDesk & { readonly factors: SecondFactors },
  attempt: CountedAttempt,
): Promise<ResponseOf<typeof adminLogin>> {
  const { store, now, factors } = desk;
  const { named, isHis } = await accountOf(typed, desk);
  const refuse = async (): Promise<never> => {
    // What was typed may be a password in the wrong field: an unknown name is not kept.
    const details = { adminId: named?.id ?? null };
    await desk.audit(
      visitorRecord(request.ip ?? 'left', { action: 'admin.sign-in-failed', at: now(), details }),
    );
    throw new SignInRefusedError();
  };
  if (!named || !isHis) return refuse();
  let secondFactor: SecondFactor | null = null;
  if (named.hasTotp) {
    if (typed.code === undefined || typed.code.trim() === '') throw new CodeNeededError();
    secondFactor = await factors.check(named, typed.code);
    if (!secondFactor) return refuse();
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const at = now();
  const session = newSession(named.id, request, at);
  const record = adminRecord(
    { id: named.id, address: session.address },
    {
      action: 'admin.signed-in',
      at,
      details: { session: session.id, secondFactor: secondFactor?.kind ?? null },
    },
  );
  const { passwordHash } = named;
  if ((await store.signIn({ token, session, passwordHash, secondFactor }, record)) === 'refused')
    return refuse();
  await attempt.succeed();
  await endFormerSession(request, desk);
  return {
    success: true,
    sessionId: token,
    user: { username: named.username, role: named.role },
    expiresAt: new Date(session.expiresAt).toISOString(),
    recoveryCodesLeft: named.hasTotp ? await store.recoveryCodesLeft(named.id) : null,
  };
}
