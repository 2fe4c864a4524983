import { z } from 'zod';
import { CARD_TIERS } from '../model/tiers.ts';
import type { Call } from './call.ts';
import { decimalText } from './provenance.ts';
import { verifyBdTokens } from './verification.ts';

const { walletAddress, detectionMethod, asOf, slot, source, state } = verifyBdTokens.response.shape;

export const cardEligibility = {
  method: 'GET',
  path: '/api/virtual-card/eligibility',
  summary: 'Whether a wallet may have a virtual card, by its stake or as the team admitted it',
  query: verifyBdTokens.query,
  response: z.object({
    walletAddress,
    eligible: z.boolean().describe('Whether it stakes 1,500,000 BD or more, or the team admitted it.'),
    bdBalance: z
      .number()
      .nonnegative()
      .describe(
        'BD that it stakes, or else holds: detectionMethod says which. A number, so beyond 15 digits not exact.',
      ),
    bdBalanceText: decimalText.describe('The same, exact.'),
    usdValue: decimalText
      .nullable()
      .describe('Value of that balance in USD; null while the price is not known or stale.'),
    tier: z
      .enum([...CARD_TIERS, 'None'])
      .describe(
        'The card tier that the stake earns, or that the team admitted the wallet to: the higher one.',
      ),
    missing: decimalText.describe('BD still to be staked for the lowest tier; 0 where it is eligible.'),
    detectionMethod,
    price: z
      .object({ usd: decimalText, asOf: z.iso.datetime(), source: z.string() })
      .nullable()
      .describe('What usdValue was reckoned with; its source is the market feed (`demo` is not a market).'),
    asOf,
    slot,
    source,
    state,
  }),
  errors: verifyBdTokens.errors,
  live: false,
} as const satisfies Call;
