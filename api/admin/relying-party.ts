export interface RelyingParty {
  /** A host name. */
  readonly id: string;
  readonly isOwnOrigin: (origin: string) => boolean;
}

/** Allows any port, because a local portal chooses a free one. */
const LOCAL_ORIGIN = /^https?:\/\/localhost(?::\d+)?$/;

/** @param origin the public origin of the team's pages; null for a local portal without a configured origin */
export function relyingParty(origin: string | null): RelyingParty {
  return origin === null
    ? { id: 'localhost', isOwnOrigin: (one) => LOCAL_ORIGIN.test(one) }
    : { id: new URL(origin).hostname, isOwnOrigin: (one) => one === origin };
}

/** An account's WebAuthn user handle. */
export const passkeyUserId = (adminId: string): string => Buffer.from(adminId).toString('base64url');
