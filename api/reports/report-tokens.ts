import { keyedDigest, type MasterKey } from '../documents/master-key.ts';
import { isEqualSecret } from '../security/equal-secret.ts';

/** The tokens in links that confirm or stop the weekly report. They are signed, not stored. */
export interface ReportTokens {
  /** Proves that the admin can read the mailbox. */
  readonly confirmationToken: (adminId: string, requestedAt: number) => string;
  /** @returns null if the token is not valid */
  readonly readConfirmation: (
    token: string,
  ) => { readonly adminId: string; readonly requestedAt: number } | null;
  /** Never expires, so that the link works in old emails too. */
  readonly stopToken: (adminId: string) => string;
  /** @returns the admin's id; null if the token is not valid */
  readonly readStop: (token: string) => string | null;
}

export function reportTokens(masterKey: MasterKey): ReportTokens {
  const digest = keyedDigest(masterKey, 'weekly report');
  const signedToken = (purpose: string, text: string) =>
    `${text}.${digest(`${purpose} ${text}`).toString('base64url')}`;
  const textOf = (purpose: string, token: string): string | null => {
    const text = token.slice(0, Math.max(0, token.lastIndexOf('.')));
    return isEqualSecret(token, signedToken(purpose, text)) ? text : null;
  };
  return {
    confirmationToken: (adminId, requestedAt) => signedToken('confirm', `${adminId}.${requestedAt}`),
    readConfirmation: (token) => {
      const [adminId, requestedAt] = textOf('confirm', token)?.split('.') ?? [];
      return adminId === undefined ? null : { adminId, requestedAt: Number(requestedAt) };
    },
    stopToken: (adminId) => signedToken('stop', adminId),
    readStop: (token) => textOf('stop', token),
  };
}
