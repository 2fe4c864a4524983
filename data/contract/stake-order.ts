import { z } from 'zod';
import type { Call } from './call.ts';
import { ADDRESS, address, decimalText, signature } from './provenance.ts';

const WALLET = 'Give the wallet as walletAddress, its Solana address in base58.';
const AMOUNT = 'Give the amount as decimal text of BD, such as 1500000 or 0.5.';
const BYTES = 'Give the signed transaction in base64.';

const failures = {
  400: 'The body is not what the call takes.',
  413: 'The body is too large.',
  429: 'Too many calls from this address.',
  503: 'The chain cannot be read at the moment.',
};

/** What a stake costs beside BD, in lamports: told before anything is signed. */
const lamports = z.string().regex(/^\d+$/).describe('Lamports.');

export const buildStake = {
  method: 'POST',
  path: '/api/staking/build',
  summary: 'The unsigned transaction that stakes BD of a wallet, tried out on the chain',
  body: z.strictObject({
    walletAddress: z.string({ error: WALLET }).regex(ADDRESS, WALLET),
    amount: z
      .string({ error: AMOUNT })
      .max(40, AMOUNT)
      .regex(/^\d+(\.\d+)?$/, AMOUNT),
  }),
  response: z.object({
    transaction: z.string().describe('The unsigned transaction, in base64.'),
    walletAddress: address,
    amount: decimalText.describe('BD to be staked, exact.'),
    lockDays: z.int().positive(),
    unlockDate: z.iso.datetime().describe('When the stake unlocks if it is signed now.'),
    fee: lamports.describe('The network’s fee, in lamports.'),
    rent: lamports.describe('Lamports laid down for accounts that the stake opens.'),
    lastValidBlockHeight: z
      .int()
      .positive()
      .describe('After this block the transaction can no longer be sent.'),
    simulation: z
      .object({ unitsConsumed: z.int().nonnegative().nullable() })
      .describe('It was tried out and went through; one that fails is refused instead.'),
  }),
  errors: {
    ...failures,
    409: 'The stake would fail: too little BD or SOL, or the program refuses it. The text says which.',
  },
  live: false,
} as const satisfies Call;

export const submitStake = {
  method: 'POST',
  path: '/api/staking/submit',
  summary: 'Sends a signed stake to the chain',
  body: z.strictObject({
    transaction: z
      .string({ error: BYTES })
      .max(1_644, BYTES)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, BYTES),
  }),
  response: z.object({ signature }),
  errors: {
    ...failures,
    409: 'The chain refused it, or it is no stake that this portal builds. The text says which.',
    503: 'The chain cannot be reached at the moment. Sending the same transaction again is safe: it is carried out once at most.',
  },
  live: false,
} as const satisfies Call;

export const stakeProgress = {
  method: 'GET',
  path: '/api/staking/progress',
  summary: 'How far a stake that was sent has come',
  query: z.object({
    signature: signature.describe('As the submission told it.'),
    lastValidBlockHeight: z
      .string()
      .regex(/^\d{1,15}$/)
      .describe('As the building told it: after it, what has not landed never will.'),
  }),
  response: z.object({
    state: z.enum(['pending', 'confirmed', 'finalized', 'failed', 'expired']),
    slot: z.int().nonnegative().nullable(),
    error: z.string().nullable().describe('Why it failed, in plain words.'),
  }),
  errors: { 400: failures[400], 429: failures[429], 503: failures[503] },
  live: false,
} as const satisfies Call;
