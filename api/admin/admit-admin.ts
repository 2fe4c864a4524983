import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { RateLimitName } from '../../data/config/rate-limits.ts';
import type { Call } from '../../data/contract/call.ts';
import { type AdminRole, mayActAs } from '../../data/model/admin-rules.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { adminRecord } from './admin-audit.ts';
import { SESSION_IDLE } from './admin-context.ts';

/** The admin who sent a request. */
export interface SignedInAdmin {
  readonly id: string;
  readonly username: string;
  readonly role: AdminRole;
  /** Identifies the session in lists and in the audit trail. It is not the token. */
  readonly sessionId: string;
  /** The network address that the request came from. */
  readonly address: string;
}

/**
 * Identifies the admin who sent a request.
 * @throws {ApiError} `not-signed-in` (401) without a valid session; `not-allowed` (403) if the role is not sufficient.
 */
export type AdmitAdmin = (request: Request, needed: AdminRole) => Promise<SignedInAdmin>;

/** `Bearer` and 256 bits in base64url. */
const BEARER = /^bearer +([\w-]{43})$/i;

/** The bearer token of a request, or null. Cookies and query parameters do not authorize. */
export function bearerToken(request: IncomingMessage): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** Identifies admins by session token. Reads the role and the account from the store for every call. */
export function adminAdmission({
  store,
  now,
}: {
  readonly store: Pick<AppStore, 'admins' | 'recordAudit'>;
  readonly now: () => number;
}): AdmitAdmin {
  return async (request, needed) => {
    const token = bearerToken(request);
    const at = now();
    const session = token === null ? null : await store.admins.touchSession(token, at, at - SESSION_IDLE);
    if (!session) throw new ApiError('not-signed-in');
    const { sessionId, admin: account } = session;
    const { role } = account;
    const admin = { ...account, sessionId, address: request.ip ?? 'disconnected' };
    if (!mayActAs(role, needed)) {
      const details = { path: request.path, role };
      await store.recordAudit(adminRecord(admin, { action: 'admin.call-refused', at, details }));
      throw new ApiError('not-allowed');
    }
    return admin;
  };
}

/** A route for the role that the call's contract names. It checks the sender before it reads the request. */
export function adminRoute(
  { method, path, access }: Pick<Call, 'method' | 'path'> & { readonly access: AdminRole },
  { admit, limit }: { readonly admit: AdmitAdmin; readonly limit?: RateLimitName },
  respond: (admin: SignedInAdmin, request: Request, response: Response) => Promise<void>,
): ApiRoute {
  return {
    method,
    path,
    ...(limit && { limit }),
    handle: async (request, response) => respond(await admit(request, access), request, response),
  };
}
