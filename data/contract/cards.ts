import { z } from 'zod';
import { CARD_TIERS } from '../model/tiers.ts';
import type { Call } from './call.ts';
import { ADDRESS, address, decimalText } from './provenance.ts';

const WALLET = 'Give the wallet as walletAddress, its Solana address in base58.';
const CARD = 'Give the card as cardId, as the card’s own call names it.';

const needed = {
  400: 'The body is not what the call takes.',
  401: 'No wallet is proved, another one is, or the proof is too old for this.',
  413: 'The body is too large.',
  429: 'Too many calls from this address or for this wallet.',
};

/** Seconds that a proof counts as fresh: revealing a card asks for one. */
export const FRESH_PROOF_SECONDS = 120;

/** What is known of a card without asking its issuer for anything secret. */
export const cardSummary = z.object({
  cardId: z.string(),
  walletAddress: address,
  state: z
    .enum(['pending', 'active', 'frozen', 'closed'])
    .describe('pending: the issuer is being asked; asking again settles it.'),
  tier: z.enum(CARD_TIERS),
  holderName: z.string(),
  lastFour: z
    .string()
    .regex(/^\d{4}$/)
    .nullable()
    .describe('Null while it is pending.'),
  expiryDate: z
    .string()
    .regex(/^\d{2}\/\d{2}$/)
    .nullable()
    .describe('MM/YY.'),
  isTestCard: z.boolean().describe('True for a card of the sandbox: it pays for nothing.'),
  createdAt: z.iso.datetime(),
});
export type CardSummary = z.infer<typeof cardSummary>;

/** The secret part: told once to the proven owner, never stored. */
const cardSecret = z.object({
  cardNumber: z.string().regex(/^\d{12,19}$/),
  expiryDate: z
    .string()
    .regex(/^\d{2}\/\d{2}$/)
    .describe('MM/YY.'),
  cvv: z.string().regex(/^\d{3,4}$/),
  holderName: z.string(),
});

export const createCard = {
  method: 'POST',
  path: '/api/virtual-card/create',
  summary: 'Makes the virtual card of a wallet whose stake qualifies, and tells it once',
  access: 'wallet-owner',
  body: z.strictObject({
    walletAddress: z.string({ error: WALLET }).regex(ADDRESS, WALLET),
    holderName: z
      .string({ error: 'Give the name on the card as holderName.' })
      .trim()
      .min(2, 'The name on the card needs 2 characters at least.')
      .max(24, 'The name on the card has room for 24 characters.')
      .regex(
        /^[\p{L}\p{M} .'’-]+$/u,
        'The name on the card takes letters, spaces, points, apostrophes and hyphens.',
      ),
  }),
  response: cardSecret.extend({ card: cardSummary }),
  errors: {
    ...needed,
    403: 'The wallet’s stake does not qualify at this moment, or a page of another site sent it.',
    409: 'The wallet has a card already, or one that is being made, or all cards are given out.',
    502: 'The issuer refused or did not answer; nothing was made twice, and trying again is safe.',
    503: 'The stake cannot be read at the moment, so no card is made.',
  },
  live: false,
} as const satisfies Call;

export const myCard = {
  method: 'GET',
  path: '/api/virtual-card/mine',
  summary: 'The card of the wallet that is proved',
  access: 'wallet-owner',
  response: z.object({
    card: cardSummary.nullable().describe('The card that is not closed; null where there is none.'),
    cardsLeft: z.int().nonnegative().describe('Cards that can still be made, of all wallets.'),
  }),
  errors: { 401: needed[401], 429: needed[429] },
  live: false,
} as const satisfies Call;

const named = z.strictObject({ cardId: z.string({ error: CARD }).min(1, CARD).max(64, CARD) });

export const revealCard = {
  method: 'POST',
  path: '/api/virtual-card/reveal',
  summary: `Tells number and CVV again, to an owner who proved the wallet in the last ${FRESH_PROOF_SECONDS} seconds`,
  access: 'wallet-owner',
  body: named,
  response: cardSecret,
  errors: {
    ...needed,
    404: 'The wallet has no such card.',
    409: 'The card is closed, or not made yet.',
    502: 'The issuer refused or did not answer.',
  },
  live: false,
} as const satisfies Call;

const changed = {
  access: 'wallet-owner',
  body: named,
  response: z.object({ card: cardSummary }),
  errors: {
    ...needed,
    404: 'The wallet has no such card.',
    409: 'The card is closed, not made yet, being changed by another call, or frozen by others than its holder.',
    502: 'The issuer refused or did not answer; the card is as it was.',
  },
  live: false,
} as const;

export const freezeCard = {
  ...changed,
  method: 'POST',
  path: '/api/virtual-card/freeze',
  summary: 'Stops the card from paying until it is unfrozen',
} as const satisfies Call;

export const unfreezeCard = {
  ...changed,
  method: 'POST',
  path: '/api/virtual-card/unfreeze',
  summary: 'Lets a frozen card pay again',
} as const satisfies Call;

const cents = decimalText.describe('US dollars.');

export const cardUsage = {
  method: 'GET',
  path: '/api/virtual-card/usage',
  summary: 'What the card of the proved wallet has paid for, as its issuer tells',
  access: 'wallet-owner',
  response: z.object({
    cardId: z.string(),
    asOf: z.iso.datetime(),
    spentToday: cents,
    spentThisMonth: cents,
    dailyLimit: cents,
    monthlyLimit: cents.describe('US dollars: what this card may spend, which may be less than its tier’s.'),
    transactions: z.array(
      z.object({
        id: z.string(),
        at: z.iso.datetime(),
        merchant: z.string(),
        category: z.string().nullable(),
        amount: cents.describe('US dollars; negative where money came back.'),
        state: z.enum(['pending', 'settled', 'declined']),
      }),
    ),
    isComplete: z.boolean().describe('False where there are more transactions than are told.'),
  }),
  errors: {
    401: needed[401],
    404: 'The wallet has no card.',
    409: 'The card is not made yet.',
    429: needed[429],
    502: 'The issuer refused or did not answer.',
  },
  live: false,
} as const satisfies Call;

export const cardFunding = {
  method: 'GET',
  path: '/api/virtual-card/funding',
  summary: 'Where a card is loaded',
  response: z.object({
    isOpen: z.boolean().describe('False where no funding address is configured: nothing may be sent then.'),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .nullable()
      .describe('The funding address with its EIP-55 checksum.'),
    token: z.literal('USDT'),
    network: z.literal('ERC-20'),
    isTestCard: z.boolean().describe('True where the cards are those of the sandbox.'),
  }),
  errors: { 429: needed[429] },
  live: false,
} as const satisfies Call;

export const issuerWebhook = {
  method: 'POST',
  path: '/api/card-issuer/webhook',
  summary: 'Where the card issuer tells of changes, signed',
  access: 'issuer',
  response: z.object({ received: z.literal(true) }),
  errors: {
    400: 'The signature does not hold, is too old, or the message cannot be read.',
    404: 'The issuer of this installation sends no messages.',
    409: 'The card is being changed by another call; send it again later.',
    413: 'The body is too large.',
    429: 'Too many calls from this address.',
    502: 'The issuer could not be asked about the card; send it again later.',
  },
  live: false,
} as const satisfies Call;
