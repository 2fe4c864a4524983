import type { RateLimitName, RateLimits } from '../config/rate-limits.ts';
import { type Call, isPublicRead } from '../contract/call.ts';
import * as PATHS from '../contract/paths.ts';

/** The public reads that count against a limit other than `calls`. The API's routes use the same limits. */
const LIMITED: ReadonlyMap<string, RateLimitName> = new Map([
  [PATHS.verifyBdTokens, 'verifications'],
  [PATHS.cardEligibility, 'verifications'],
  [PATHS.availableForStake, 'stake-balances'],
  [PATHS.stakeProgress, 'stake-progress'],
  [PATHS.walletName, 'names'],
  [PATHS.cardFunding, 'card-reads'],
]);

/**
 * How often one address may make a public read, as a field of its operation in the OpenAPI document. Figures, which are
 * answered from memory, have no limit.
 */
export function rateLimitField(call: Call, limits: RateLimits) {
  if (!isPublicRead(call) || call.live) return {};
  return { 'x-rate-limit': { limit: limits[LIMITED.get(call.path) ?? 'calls'], per: 'minute' } } as const;
}
