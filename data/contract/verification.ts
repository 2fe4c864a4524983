import { z } from 'zod';
import { CARD_TIERS } from '../model/tiers.ts';
import type { Call } from './call.ts';
import { ADDRESS, address, decimalText, provenance } from './provenance.ts';

const NEEDED = 'Give the wallet once, as walletAddress= and its Solana address in base58.';

export const verifyBdTokens = {
  method: 'GET',
  path: '/api/verify-bd-tokens',
  summary: 'Whether a wallet stakes BD, and the tier that its stake earns',
  query: z.object({
    walletAddress: z
      .string({ error: NEEDED })
      .regex(ADDRESS, NEEDED)
      .describe('The wallet, as a Solana address in base58.'),
  }),
  response: z.object({
    walletAddress: address,
    isStaking: z.boolean().describe('Whether the wallet holds an open stake entry.'),
    stakedAmount: z
      .number()
      .nonnegative()
      .describe('BD staked, or 0. A number, so beyond 15 digits not exact: the text beside it is.'),
    stakedAmountText: decimalText.describe('BD staked, exact.'),
    heldAmount: decimalText
      .nullable()
      .describe('BD in the wallet itself, not staked; null where it was not read, since a stake was found.'),
    tier: z.enum([...CARD_TIERS, 'None']).describe('The card tier that the stake earns.'),
    detectionMethod: z
      .enum(['stake_entry', 'token_account_analysis'])
      .describe('What says so: an open stake entry, or the token accounts alone.'),
    ...provenance,
  }),
  errors: {
    400: 'No wallet address is given, or it is none.',
    429: 'Too many calls from this address.',
    503: 'The chain cannot be read at the moment: nothing is said of the wallet then, least of all 0.',
  },
  live: false,
} as const satisfies Call;
