import type { RateLimits } from '../../data/config/rate-limits.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { DocumentQuota, ExceededQuota } from '../../data/store/submission-port.ts';
import { ApiError } from '../errors.ts';
import { keyedDigest, type MasterKey } from './master-key.ts';

const DAY_MS = 86_400_000;
const MEGABYTE = 1_000_000;

/**
 * The quotas that a document counts towards today (UTC). There is one for the whole portal, one for the client's network if
 * it is known, and one for the mailbox if it is known.
 */
export type DocumentQuotas = (network: string | null, email: string | null) => readonly DocumentQuota[];

export function documentQuotas({
  masterKey,
  rateLimits,
  now,
}: {
  readonly masterKey: MasterKey;
  readonly rateLimits: RateLimits;
  readonly now: () => number;
}): DocumentQuotas {
  const digest = keyedDigest(masterKey, 'document quotas');
  return (network, email) => {
    const endsAt = (Math.floor(now() / DAY_MS) + 1) * DAY_MS;
    const quota = (scope: DocumentQuota['scope'], countedBy: string, megabytes: number): DocumentQuota => ({
      scope,
      subject: digest(`${endsAt}\n${scope}\n${countedBy}`).toString('hex'),
      limit: megabytes * MEGABYTE,
      endsAt,
    });
    return [
      ...(network === null ? [] : [quota('network', network, rateLimits['document-megabytes-of-network'])]),
      ...(email === null
        ? []
        : [quota('email address', mailboxOf(email), rateLimits['document-megabytes-of-email'])]),
      quota('portal', '', rateLimits['document-megabytes']),
    ];
  };
}

export function quotaError({ scope, endsAt }: ExceededQuota, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1_000));
  return scope === 'portal'
    ? new ApiError('documents-full', { seconds })
    : new ApiError('document-quota', { scope, seconds });
}
