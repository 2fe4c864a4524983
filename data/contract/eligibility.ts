import { z } from 'zod';
import { FACTS } from '../model/facts/facts.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { decimalText, moment, provenance } from './provenance.ts';
import { verifyBdTokens } from './verification.ts';

const { walletAddress, tier, detectionMethod } = verifyBdTokens.response.shape;

export const cardEligibility = {
  method: 'GET',
  path: PATHS.cardEligibility,
  summary: 'Whether a wallet may have a virtual card, by its stake or because the team whitelisted it',
  query: verifyBdTokens.query,
  response: z.object({
    walletAddress,
    eligible: z
      .boolean()
      .describe(`Whether the wallet stakes ${FACTS.minimumStake} or more, or the team whitelisted it.`),
    bdBalance: z
      .number()
      .nonnegative()
      .describe(
        'Staked BD, or BD in the wallet if it has no stake: see detectionMethod. From the 16th digit on, it may be rounded.',
      ),
    bdBalanceText: decimalText.describe('The same balance as exact decimal text.'),
    usdValue: decimalText
      .nullable()
      .describe('Value of `bdBalance` in USD; null while the price is unknown or stale.'),
    tier,
    missing: decimalText.describe('BD to stake for the lowest tier; 0 when the wallet is eligible.'),
    detectionMethod,
    price: z
      .object({ usd: decimalText, asOf: moment, source: z.string() })
      .nullable()
      .describe(
        'The price used for usdValue. Its source is the market feed; prices from `demo` are made up.',
      ),
    ...provenance,
  }),
  errors: verifyBdTokens.errors,
} as const satisfies Call;
