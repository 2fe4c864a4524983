import { randomBytes, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { AdminRole } from '../../../data/model/admin-rules.ts';
import { APPROVAL_WARNINGS } from '../../../data/model/approval-warnings.ts';
import type { AuditRecord } from '../../../data/store/audit-port.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { type Answer, ask, sendForm } from '../../testing/portal-client.ts';
import type { TestPortal } from '../../testing/test-portal.ts';
import { SESSION_LIFE_MS } from '../admin-context.ts';

export const PASSWORD = 'seven quiet ducks';
let passwordHashPromise: Promise<string> | undefined;
/** A hash with the lowest cost, so that it is made and checked in less than a millisecond. */
export const cheapHash = (password: string): Promise<string> =>
  hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
/** The cheap hash of `PASSWORD`. */
export function passwordHash(): Promise<string> {
  passwordHashPromise ??= cheapHash(PASSWORD);
  return passwordHashPromise;
}

/** Overrides every warning, so that an approval always passes. */
export const CONFIRMED_WARNINGS = {
  warnings: Object.keys(APPROVAL_WARNINGS),
  reason: 'Confirmed in a video call.',
};

const ADDRESS = '127.0.0.1';

export function sampleAuditRecord(action: string, at: number): AuditRecord {
  return { id: randomUUID(), at, actor: 'system', action, details: {}, address: ADDRESS };
}

interface SampleAdmin {
  readonly username: string;
  readonly role?: AdminRole;
  /** When the admin is added (Unix ms). */
  readonly at: number;
  readonly addedBy?: string | null;
  readonly email?: string | null;
}

export async function addAdmin(
  store: AppStore,
  { username, role = 'owner', at, addedBy = null, email = null }: SampleAdmin,
): Promise<string> {
  const id = randomUUID();
  const admin = {
    id,
    username,
    email,
    role,
    passwordHash: await passwordHash(),
    createdAt: at,
    addedBy,
  };
  await store.admins.add(admin, sampleAuditRecord('admin.added', at));
  return id;
}

export async function openSession(store: AppStore, adminId: string, at: number) {
  const token = randomBytes(32).toString('base64url');
  const account = await store.admins.byId(adminId);
  const session = {
    id: randomUUID(),
    adminId,
    startedAt: at,
    lastSeenAt: at,
    expiresAt: at + SESSION_LIFE_MS,
    address: ADDRESS,
    userAgent: 'test',
  };
  const attempt = {
    token,
    session,
    passwordHash: account?.passwordHash ?? '',
    secondFactor: null,
    address: ADDRESS,
  };
  const outcome = await store.admins.signIn(attempt, sampleAuditRecord('admin.signed-in', at));
  if (outcome !== 'opened') throw new Error('no session was opened');
  return { token, id: session.id };
}

export async function signedInAdmin(store: AppStore, admin: SampleAdmin) {
  const id = await addAdmin(store, admin);
  return { id, token: (await openSession(store, id, admin.at)).token };
}

/** Sends a request as an admin, or without a session if the token is null. If there is a body, POSTs it as JSON. */
export function askAs(
  portal: Pick<TestPortal, 'port'>,
  token: string | null,
  path: string,
  body?: unknown,
  extraHeaders: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers = { ...(token !== null && { Authorization: `Bearer ${token}` }), ...extraHeaders };
  return body === undefined
    ? ask(portal.port, path, { headers })
    : sendForm(portal.port, path, body, headers);
}

export function signInAs(
  portal: Pick<TestPortal, 'port'>,
  fields: { readonly username: string; readonly password?: string; readonly code?: string },
  extraHeaders: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return askAs(portal, null, '/api/admin/login', { password: PASSWORD, ...fields }, extraHeaders);
}
