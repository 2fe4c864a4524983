import type { IncomingMessage } from 'node:http';
import { mayActAs } from '../../data/model/admin-roles.ts';
import { adminRecord } from './admin-audit.ts';
import { type AdminDesk, SESSION_IDLE } from './admin-desk.ts';
import { NotAllowedError, NotSignedInError } from './admin-errors.ts';
import type { AdmitAdmin } from './signed-in-admin.ts';

/** `Bearer` and 256 bits in base64url. */
const BEARER = /^bearer +([\w-]{43})$/i;

/** The token that a request is authorised by; null where it carries none. Cookies and queries are not looked at. */
export function bearerToken(request: IncomingMessage): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** Admits by the session whose token is sent. Role and account are read anew for every call. */
export function adminAdmission({ store, audit, now }: Omit<AdminDesk, 'passwords'>): AdmitAdmin {
  return async (request, needed) => {
    const token = bearerToken(request);
    const at = now();
    const held = token === null ? null : await store.touchSession(token, at, at - SESSION_IDLE);
    if (!held) throw new NotSignedInError();
    const { sessionId, admin: who } = held;
    const { role } = who;
    const admin = { ...who, sessionId, address: request.ip ?? 'left' };
    if (!mayActAs(role, needed)) {
      const details = { path: request.path, role };
      await audit(adminRecord(admin, { action: 'admin.call-refused', at, details }));
      throw new NotAllowedError();
    }
    return admin;
  };
}
