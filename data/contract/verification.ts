import { z } from 'zod';
import { SOLANA_ADDRESS_PATTERN } from '../model/form-text.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import { type Call, errorBody } from './call.ts';
import * as PATHS from './paths.ts';
import { address, decimalText, provenance } from './provenance.ts';

/**
 * The steps of a verification, in order. The token accounts are read only if there is no open stake entry.
 *
 * The event stream of a verification takes the same query as `verifyBdTokens`. It sends each step as an event `step`, then
 * either `result` with the body of `verifyBdTokens`, or `failure`.
 */
export const VERIFICATION_STEPS = [
  'started',
  'stake-entries-read',
  'token-accounts-read',
  'decided',
] as const;
export type VerificationStep = (typeof VERIFICATION_STEPS)[number];

/** Event `failure`: the error that `verifyBdTokens` would have returned, with its status. */
export const verificationFailure = errorBody
  .omit({ success: true })
  .extend({ status: z.int().min(400).max(599) });
export type VerificationFailure = z.infer<typeof verificationFailure>;

const WALLET_ERROR = 'Set walletAddress exactly once, to the Solana address of the wallet in base58.';

export const verifyBdTokens = {
  method: 'GET',
  path: PATHS.verifyBdTokens,
  summary: 'Whether a wallet has staked BD, and the wallet’s tier',
  query: z.object({
    walletAddress: z
      .string({ error: WALLET_ERROR })
      .regex(SOLANA_ADDRESS_PATTERN, WALLET_ERROR)
      .meta({
        description: 'The wallet, as a Solana address in base58.',
        examples: ['So11111111111111111111111111111111111111112'],
      }),
  }),
  response: z.object({
    walletAddress: address,
    isStaking: z.boolean().describe('Whether the wallet has an open stake entry.'),
    stakedAmount: z
      .number()
      .nonnegative()
      .describe('Staked BD, or 0. From the 16th digit on, it may be rounded: stakedAmountText is exact.'),
    stakedAmountText: decimalText.describe('Staked BD as exact text.'),
    heldAmount: decimalText
      .nullable()
      .describe(
        'Unstaked BD in the wallet; null if a stake was found, because then the balance is not read.',
      ),
    tier: z
      .enum([...CARD_TIERS, 'None'])
      .describe('The higher of the tier that the stake earns and the whitelisted tier.'),
    detectionMethod: z
      .enum(['stake_entry', 'token_account_analysis'])
      .describe('The source: an open stake entry, or the token accounts.'),
    ...provenance,
  }),
  errors: ['not-indexed-yet', 'chain-unreadable'],
} as const satisfies Call;
