import { z } from 'zod';
import { errorBody } from './call.ts';

/**
 * Path of the event stream of one verification. It takes the query of `verifyBdTokens`, refuses as it does, and ends
 * itself: after events `step`, each as it happens, comes one `result` with that call's body, or one `failure`.
 */
export const VERIFICATION_STEPS_PATH = '/api/verify-bd-tokens/steps';

/**
 * What happens to a verification, in this order. The token accounts are read only where there is no open stake entry.
 */
export const VERIFICATION_STEPS = ['asked', 'stake-entries-read', 'token-accounts-read', 'decided'] as const;
export type VerificationStep = (typeof VERIFICATION_STEPS)[number];

/** Event `step`: one of them has just happened. */
export const verificationStep = z.object({ step: z.enum(VERIFICATION_STEPS) });

/** Event `failure`: what `verifyBdTokens` would have answered, with its status, where that is no success. */
export const verificationFailure = errorBody
  .omit({ success: true })
  .extend({ status: z.int().min(400).max(599) });
export type VerificationFailure = z.infer<typeof verificationFailure>;
