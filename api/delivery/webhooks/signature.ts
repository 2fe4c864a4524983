import { createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_LIMITS } from '../../../data/model/webhooks.ts';
import { isEqualSecret } from '../../security/equal-secret.ts';

export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

const sign = (secret: string, seconds: number, body: string | Buffer): string =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');

/** The signature header for a body, with one `v1` for each secret. @param at Unix ms */
export function signatureHeader(body: string | Buffer, secrets: readonly string[], at: number): string {
  const seconds = Math.floor(at / 1_000);
  return [`t=${seconds}`, ...secrets.map((secret) => `v1=${sign(secret, seconds, body)}`)].join(',');
}

const SIGNATURE = /^t=(\d{1,12}),v1=([\da-f]{64})$/;

/**
 * The time (Unix seconds) when a signature header was made. Null if the header is malformed, or if that time is too far from
 * `now` (Unix ms).
 */
export function signatureUnixSeconds(header: string | undefined, now: number): number | null {
  const [, seconds] = SIGNATURE.exec(header ?? '') ?? [];
  if (seconds === undefined) return null;
  const distance = Math.abs(now / 1_000 - Number(seconds));
  return distance > WEBHOOK_LIMITS.toleranceSeconds ? null : Number(seconds);
}

/** Whether the header is a valid signature for this body, and was made at a time that is close enough to `now` (Unix ms). */
export function isValidSignature(
  header: string | undefined,
  body: Buffer,
  secret: string,
  now: number,
): boolean {
  const seconds = signatureUnixSeconds(header, now);
  const [, , sentSignature = ''] = SIGNATURE.exec(header ?? '') ?? [];
  return seconds !== null && isEqualSecret(sentSignature, sign(secret, seconds, body));
}
