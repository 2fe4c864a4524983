import { createHmac, randomBytes } from 'node:crypto';

/** A new signing secret, as the team copies it. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

/** The signature header of a body. It has one `v1` for each secret. @param at Unix ms */
export function signatureHeader(body: string, secrets: readonly string[], at: number): string {
  const seconds = Math.floor(at / 1_000);
  const sign = (secret: string) => createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return [`t=${seconds}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',');
}
