import type { Request } from 'express';
import type { AdminRole } from '../../data/model/admin-roles.ts';

/** Who of the team sent a request. */
export interface SignedInAdmin {
  readonly id: string;
  readonly username: string;
  readonly role: AdminRole;
  /** Names the session in lists and in the audit trail; it is not the token. */
  readonly sessionId: string;
  /** The network address that the request came from. */
  readonly address: string;
}

/**
 * Who of the team sent a request.
 * @throws {NotSignedInError} (401) where no session holds; {NotAllowedError} (403) where its role may not do that.
 */
export type AdmitAdmin = (request: Request, needed: AdminRole) => Promise<SignedInAdmin>;
