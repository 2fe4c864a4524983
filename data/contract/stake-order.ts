import { z } from 'zod';
import { SOLANA_ADDRESS_PATTERN } from '../model/form-text.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import {
  address,
  count,
  decimalText,
  moment,
  provenance,
  signature,
  slot,
  walletAddress,
} from './provenance.ts';
import { verifyBdTokens } from './verification.ts';

const AMOUNT_ERROR = 'Set amount to BD as decimal text, such as 1500000 or 0.5.';
const TRANSACTION_ERROR = 'Set transaction to the signed transaction in base64.';

const ENTRY_ERROR = 'Set entry to the address of the stake entry.';

const lamports = z.string().regex(/^\d+$/).describe('Lamports.');

const builtOrder = {
  transaction: z.string().describe('The unsigned transaction, in base64.'),
  walletAddress: address,
  fee: lamports.describe('The network’s fee, in lamports.'),
  priorityFee: lamports.describe('The part of the fee that is paid for priority, in lamports.'),
  rent: lamports.describe('Deposit (rent) in lamports for accounts that the transaction opens.'),
  lastValidBlockHeight: z
    .int()
    .positive()
    .describe('After this block the transaction can no longer be sent.'),
  simulation: z
    .object({ unitsConsumed: count.nullable() })
    .describe('The successful simulation. A transaction whose simulation fails is refused.'),
};

export const availableForStake = {
  method: 'GET',
  path: PATHS.availableForStake,
  summary: 'How much BD a wallet can stake',
  query: verifyBdTokens.query,
  response: z.object({
    walletAddress: address,
    available: decimalText.describe('Exact BD balance of the token account that pays for a stake.'),
    ...provenance,
  }),
  errors: ['not-indexed-yet', 'chain-unreadable'],
} as const satisfies Call;

export const buildStake = {
  method: 'POST',
  path: PATHS.buildStake,
  summary: 'Builds the unsigned transaction that stakes BD from a wallet, and simulates it on the chain',
  body: z.strictObject({
    walletAddress,
    amount: z
      .string({ error: AMOUNT_ERROR })
      .max(40, AMOUNT_ERROR)
      .regex(/^\d+(\.\d+)?$/, AMOUNT_ERROR),
  }),
  response: z.object({
    ...builtOrder,
    amount: decimalText.describe('BD to stake, exact.'),
    lockDays: z.int().positive(),
    unlockDate: moment.describe('When the stake unlocks if the transaction is signed now.'),
  }),
  errors: ['not-indexed-yet', 'chain-unreadable', 'too-little-bd', 'too-little-sol', 'stake-refused'],
} as const satisfies Call;

export const buildUnstake = {
  method: 'POST',
  path: PATHS.buildUnstake,
  summary:
    'Builds the unsigned transaction that withdraws a stake after its lock, and simulates it on the chain',
  body: z.strictObject({
    walletAddress,
    entry: z.string({ error: ENTRY_ERROR }).regex(SOLANA_ADDRESS_PATTERN, ENTRY_ERROR),
  }),
  response: z.object({
    ...builtOrder,
    entry: address.describe('The stake entry.'),
    amount: decimalText.describe('BD that the wallet receives, exact.'),
  }),
  errors: [
    'not-indexed-yet',
    'chain-unreadable',
    'too-little-sol',
    'stake-locked',
    'no-such-stake',
    'unstake-refused',
  ],
} as const satisfies Call;

export const submitStake = {
  method: 'POST',
  path: PATHS.submitStake,
  summary: 'Sends a signed stake, or the signed withdrawal of a stake, to the chain',
  body: z.strictObject({
    transaction: z
      .string({ error: TRANSACTION_ERROR })
      .max(1_644, TRANSACTION_ERROR)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, TRANSACTION_ERROR),
  }),
  response: z.object({ signature }),
  errors: [
    'not-indexed-yet',
    'chain-unreadable',
    'not-a-stake-of-this-portal',
    'too-little-bd',
    'too-little-sol',
    'stake-refused',
    'stake-locked',
    'no-such-stake',
    'unstake-refused',
    'stake-too-old',
    'stake-not-surely-sent',
  ],
} as const satisfies Call;

export const stakeProgress = {
  method: 'GET',
  path: PATHS.stakeProgress,
  summary: 'The state of a stake or withdrawal that was sent',
  query: z.object({
    signature: signature.describe('From the response to the call that sent the transaction.'),
    lastValidBlockHeight: z
      .string()
      .regex(/^\d{1,15}$/)
      .meta({ examples: ['300000150'] })
      .describe(
        'From the response to the call that built the transaction. After this block, the transaction can no longer land.',
      ),
  }),
  response: z.object({
    state: z.enum(['pending', 'confirmed', 'finalized', 'failed', 'expired']),
    slot: slot.nullable(),
    error: z.string().nullable().describe('Why the transaction failed.'),
  }),
  errors: ['chain-unreadable'],
} as const satisfies Call;
