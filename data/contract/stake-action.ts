import type { ActionGetResponse, TransactionResponse } from '@solana/actions-spec';
import { z } from 'zod';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { buildStake } from './stake-order.ts';

/*
 * Staking as a Solana Action (https://solana.com/docs/advanced/actions), which is also a Solana Pay transaction request
 * (https://docs.solanapay.com/spec). A wallet reads the description of the action, sends its account, and gets the
 * transaction to sign.
 */

const { amount, walletAddress } = buildStake.body.shape;
const query = z.object({ amount: amount.describe('BD to stake, as decimal text.') });

const parameter = z.object({
  type: z.literal('text'),
  name: z.string(),
  label: z.string(),
  required: z.literal(true),
  pattern: z.string(),
  patternDescription: z.string(),
});

const actionCard = z.object({
  type: z.literal('action'),
  icon: z.url(),
  title: z.string(),
  description: z.string(),
  label: z.string(),
  disabled: z.boolean().exactOptional(),
  error: z.object({ message: z.string() }).exactOptional(),
  links: z
    .object({
      actions: z.array(
        z.object({
          type: z.literal('transaction'),
          href: z.string(),
          label: z.string(),
          parameters: z.array(parameter).exactOptional(),
        }),
      ),
    })
    .exactOptional(),
}) satisfies z.ZodType<ActionGetResponse>;

const actionOrder = z.object({
  type: z.literal('transaction'),
  transaction: z.string().describe('The unsigned transaction, in base64.'),
  message: z.string(),
}) satisfies z.ZodType<TransactionResponse>;

export const stakeActionCard = {
  method: 'GET',
  path: PATHS.stakeAction,
  summary: 'What the Solana Action offers: amounts to stake, or the amount in the query',
  allowsAnyOrigin: true,
  query: query.partial(),
  response: actionCard,
} as const satisfies Call;

export const stakeActionOrder = {
  method: 'POST',
  path: PATHS.stakeAction,
  summary: 'Builds the unsigned stake of the Solana Action, and simulates it on the chain',
  allowsAnyOrigin: true,
  query,
  // Not strict, because wallets may send additional fields.
  body: z.object({ account: walletAddress }),
  response: actionOrder,
  errors: buildStake.errors,
} as const satisfies Call;
