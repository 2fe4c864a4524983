import { z } from 'zod';
import {
  CARDHOLDER_FIELDS,
  compactPhoneNumber,
  LEGAL_NAME_PATTERN,
  PHONE_NUMBER_PATTERN,
} from '../model/cardholder.ts';
import { isSoleMailAddress } from '../model/mail-address.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { address, count, decimalText, moment, referenceNumber, walletAddress } from './provenance.ts';

const CARD_ERROR = 'Set cardId to the id of the card.';

/** How many seconds an ownership proof counts as fresh. Revealing or closing a card requires a fresh proof. */
export const FRESH_PROOF_SECONDS = 120;

export const MAX_TOP_UPS_SHOWN = 50;

export const ISSUER_ERRORS = [
  'card-pending',
  'card-closed',
  'other-issuer',
  'issuer-refused',
  'issuer-unavailable',
] as const;

/** Errors of calls that require a sufficient stake at the time of the call. */
const STAKE_ERRORS = ['insufficient-staking', 'not-indexed-yet', 'chain-unreadable'] as const;

const expiry = z.string().regex(/^\d{2}\/\d{2}$/);

/** Why the portal or the team froze or closed a card. */
const portalReason = z.enum(['no-stake', 'team']);

const wholeDollars = z.int().min(1);

/** A card without its number and CVV. */
export const cardSummary = z.object({
  cardId: z.string(),
  walletAddress: address,
  state: z
    .enum(['pending', 'active', 'frozen', 'closed'])
    .describe(
      'pending: the issuer is creating it. The portal tries again every three minutes, and at once if the request is sent again.',
    ),
  tier: z.enum(CARD_TIERS),
  holderName: z.string(),
  lastFour: z
    .string()
    .regex(/^\d{4}$/)
    .nullable()
    .describe('Null while it is pending.'),
  expiryDate: expiry.nullable().describe('MM/YY.'),
  isTestCard: z.boolean().describe('True for a sandbox card, which cannot pay.'),
  frozenFor: portalReason
    .nullable()
    .describe(
      'Why it is frozen. no-stake: the wallet has neither a sufficient stake nor a whitelisting. team: the team froze it, and only the team can lift the freeze. Null if it is not frozen, or was frozen by its holder or the issuer.',
    ),
  closesAt: moment
    .nullable()
    .describe(
      'When the card will be closed for lack of a stake, so that another card can be issued; null if no closure is due.',
    ),
  limits: z
    .object({
      daily: wholeDollars,
      monthly: wholeDollars,
      arePending: z
        .boolean()
        .describe('True while the issuer does not have these limits yet. The portal keeps trying.'),
    })
    .describe('How much the card can spend in a day and in a month (UTC), in whole US dollars.'),
  hasSpendNotices: z.boolean().describe('Whether its holder gets a message about each payment.'),
  isClosing: z
    .boolean()
    .describe(
      'Whether its holder or the team decided to close it, and the issuer has not closed it yet. The portal keeps trying, and other changes are refused.',
    ),
  createdAt: moment,
});
export type CardSummary = z.infer<typeof cardSummary>;

/** Sent to the wallet's proven owner only, and never stored. */
const cardSecret = z.object({
  cardNumber: z.string().regex(/^\d{12,19}$/),
  expiryDate: expiry.describe('MM/YY.'),
  cvv: z.string().regex(/^\d{3,4}$/),
  holderName: z.string(),
});

const legalName = (label: string) =>
  z
    .string()
    .trim()
    .min(1, `Enter your ${label}.`)
    .max(60, `Enter at most 60 characters for your ${label}.`)
    .regex(LEGAL_NAME_PATTERN, `Use Latin letters only for your ${label}.`);

const enteredCardholder = z.strictObject({
  firstName: legalName('first name').optional(),
  lastName: legalName('last name').optional(),
  dateOfBirth: z.iso.date('Enter your date of birth.').optional(),
  email: z
    .string()
    .trim()
    .max(254, 'Enter an email address.')
    .refine(isSoleMailAddress, 'Enter an email address.')
    .optional(),
  phone: z
    .string()
    .transform(compactPhoneNumber)
    .pipe(z.string().regex(PHONE_NUMBER_PATTERN, 'Enter your phone number with + and the country code.'))
    .optional(),
  acceptsTerms: z.literal(true, 'Accept the cardholder terms.').optional(),
});

export const createCard = {
  method: 'POST',
  path: PATHS.createCard,
  summary:
    'Creates the virtual card of a wallet with a sufficient stake, and returns its number and CVV once',
  access: 'wallet-owner',
  body: z.strictObject({
    walletAddress,
    holderName: z
      .string({ error: 'Set holderName to the name on the card.' })
      .trim()
      .min(2, 'Enter at least 2 characters for the name on the card.')
      .max(24, 'Enter at most 24 characters for the name on the card.')
      .regex(
        /^[\p{L}\p{M} .'’-]+$/u,
        'Use letters, spaces, periods, apostrophes and hyphens only for the name on the card.',
      ),
    cardholder: enteredCardholder
      .optional()
      .describe(
        `Exactly the fields that cardholderFields of GET ${PATHS.myCard} lists; absent if it lists none.`,
      ),
  }),
  response: cardSecret.extend({ card: cardSummary }),
  errors: [
    'has-card',
    'stake-in-use',
    'closed-by-team',
    'closed-recently',
    'cardholder-incomplete',
    'no-cards-left',
    'card-busy',
    'card-not-yet-readable',
    ...STAKE_ERRORS,
    ...ISSUER_ERRORS,
  ],
} as const satisfies Call;

export const myCard = {
  method: 'GET',
  path: PATHS.myCard,
  summary: 'The card of the signed-in wallet',
  access: 'wallet-owner',
  response: z.object({
    card: cardSummary.nullable().describe('The wallet’s card that is not closed; null if there is none.'),
    lastClosed: z
      .object({
        closedAt: moment,
        closedFor: z.enum([...portalReason.options, 'holder', 'issuer']),
        lastFour: cardSummary.shape.lastFour,
      })
      .nullable()
      .describe(
        'The wallet’s last card, if the wallet has no card now and that card was closed for a reason that closedFor lists. closedFor is also team if the team had frozen the card, or if the issuer had frozen it before it was closed by its holder or for lack of a stake.',
      ),
    noticesTo: z
      .enum(['email', 'email-and-telegram'])
      .nullable()
      .describe(
        'Where messages about the card go. email: to the address of the newest application that was sent with the proven wallet. email-and-telegram: also to the chat that is linked to this application. Null if there is no such application.',
      ),
    applied: referenceNumber
      .nullable()
      .describe(
        'The reference number of the newest application that was sent with the proven wallet, or null.',
      ),
    cardholderFields: z
      .array(z.enum(CARDHOLDER_FIELDS))
      .describe('What the card issuer requires for a new card, besides the name on it.'),
    cardsLeft: count.describe('Cards that can still be issued, across all wallets.'),
  }),
} as const satisfies Call;

export const cardIdBody = z.strictObject({
  cardId: z.string({ error: CARD_ERROR }).min(1, CARD_ERROR).max(64, CARD_ERROR),
});

export const revealCard = {
  method: 'POST',
  path: PATHS.revealCard,
  summary: `Returns the number and CVV to an owner who proved ownership of the wallet in the last ${FRESH_PROOF_SECONDS} seconds`,
  access: 'wallet-owner',
  body: cardIdBody,
  response: cardSecret,
  errors: ['fresh-proof-needed', 'no-such-card', ...STAKE_ERRORS, ...ISSUER_ERRORS],
} as const satisfies Call;

const cardChangeCall = {
  method: 'POST',
  access: 'wallet-owner',
  body: cardIdBody,
  response: z.object({ card: cardSummary }),
  errors: ['no-such-card', 'card-busy', 'frozen-by-issuer', ...ISSUER_ERRORS],
} as const;

export const freezeCard = {
  ...cardChangeCall,
  path: PATHS.freezeCard,
  summary: 'Freezes the card: payments are declined until it is unfrozen',
} as const satisfies Call;

export const unfreezeCard = {
  ...cardChangeCall,
  path: PATHS.unfreezeCard,
  summary: 'Unfreezes a frozen card of a wallet that still has a sufficient stake',
  errors: [...cardChangeCall.errors, 'stake-in-use', ...STAKE_ERRORS],
} as const satisfies Call;

const LIMIT_ERROR = 'Enter a limit in whole US dollars.';
const newLimit = z.int({ error: LIMIT_ERROR }).min(1, LIMIT_ERROR).max(10_000_000, LIMIT_ERROR);

export const changeCardLimits = {
  ...cardChangeCall,
  path: PATHS.changeCardLimits,
  summary: `Changes the card’s limits, up to those of the wallet’s tier. Raising a limit requires an ownership proof from the last ${FRESH_PROOF_SECONDS} seconds. If the issuer does not answer, the portal keeps trying`,
  body: z
    .strictObject({ ...cardIdBody.shape, dailyLimit: newLimit, monthlyLimit: newLimit })
    .refine(({ dailyLimit, monthlyLimit }) => dailyLimit <= monthlyLimit, {
      path: ['dailyLimit'],
      error: 'The daily limit cannot exceed the monthly limit.',
    }),
  errors: [
    'fresh-proof-needed',
    'limits-above-tier',
    'no-such-card',
    'card-busy',
    ...ISSUER_ERRORS,
    ...STAKE_ERRORS,
  ],
} as const satisfies Call;

export const setSpendNotices = {
  ...cardChangeCall,
  path: PATHS.setSpendNotices,
  summary:
    'Turns the messages about payments on or off: an email with the amount and the merchant, and a Telegram message without these details',
  body: z.strictObject({
    ...cardIdBody.shape,
    isOn: z.boolean({ error: 'Set isOn to true or false.' }),
  }),
  errors: ['no-notice-address', 'no-such-card', 'card-pending', 'card-closed', 'other-issuer'],
} as const satisfies Call;

export const closeCard = {
  ...cardChangeCall,
  path: PATHS.closeCard,
  summary: `Closes the card permanently, for an owner who proved ownership of the wallet in the last ${FRESH_PROOF_SECONDS} seconds. If the issuer does not answer, the portal keeps trying. A repeated request changes nothing`,
  errors: ['fresh-proof-needed', 'no-such-card', 'card-busy', 'card-pending', 'card-closed', 'other-issuer'],
} as const satisfies Call;

const dollars = decimalText.describe('US dollars.');

export const cardUsage = {
  method: 'GET',
  path: PATHS.cardUsage,
  summary: 'Payments and limits of the signed-in wallet’s card, according to its issuer',
  access: 'wallet-owner',
  response: z.object({
    cardId: z.string(),
    asOf: moment,
    spentToday: dollars,
    spentThisMonth: dollars,
    dailyLimit: dollars,
    monthlyLimit: dollars.describe(
      'US dollars. The limit of this card, which may be lower than that of its tier.',
    ),
    transactions: z.array(
      z.object({
        id: z.string(),
        at: moment,
        merchant: z.string(),
        category: z.string().nullable(),
        amount: dollars.describe('US dollars; negative for a refund.'),
        state: z.enum(['pending', 'settled', 'declined']),
      }),
    ),
    isComplete: z.boolean().describe('False when there are more transactions.'),
  }),
  errors: ['no-such-card', ...ISSUER_ERRORS],
} as const satisfies Call;

export const cardFunding = {
  method: 'GET',
  path: PATHS.cardFunding,
  summary: 'The address to send USDT for cards to',
  response: z.object({
    isOpen: z.boolean().describe('False when no funding address is configured. Send nothing then.'),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .meta({ examples: ['0x52908400098527886E0F7030069857D2E4169EE7'] })
      .nullable()
      .describe('The funding address with its EIP-55 checksum.'),
    token: z.literal('USDT'),
    network: z.literal('ERC-20'),
    isTestCard: z.boolean().describe('True when the cards are from the sandbox.'),
    isCreditedAutomatically: z
      .boolean()
      .describe('True if transfers are credited automatically. Otherwise the team credits them by hand.'),
  }),
} as const satisfies Call;

const usdt = decimalText.describe('USDT.');

export const cardTopUps = {
  method: 'GET',
  path: PATHS.cardTopUps,
  summary:
    'The transfers of USDT for the signed-in wallet’s card, and the six decimal digits that identify the card',
  access: 'wallet-owner',
  response: z.object({
    cardId: z.string(),
    decimals: z
      .string()
      .regex(/^\d{6}$/)
      .nullable()
      .describe(
        'The six decimal digits that every amount sent for this card must have. Null if the portal does not read transfers, or if no digits have been assigned to the card yet.',
      ),
    smallest: usdt.describe('The smallest amount that is credited, in USDT.'),
    topUps: z
      .array(
        z.object({
          id: z.string(),
          at: moment.describe('When the transfer was made.'),
          transaction: z.string().describe('The hash of the transaction on Ethereum.'),
          state: z
            .enum(['confirming', 'credited', 'unmatched', 'settled'])
            .describe(
              'confirming: not final yet. unmatched: the team checks it. settled: the team returned it, or it was not for a card.',
            ),
          amount: usdt,
          fee: usdt.nullable().describe('Null until the transfer is credited.'),
          credited: usdt.nullable().describe('The amount less the fee; null until the transfer is credited.'),
        }),
      )
      .describe(`The newest ${MAX_TOP_UPS_SHOWN}, newest first.`),
  }),
  errors: ['no-such-card'],
} as const satisfies Call;

export const issuerWebhook = {
  method: 'POST',
  path: PATHS.issuerWebhook,
  summary: 'Receives signed messages from the card issuer',
  access: 'issuer',
  response: z.object({ received: z.literal(true) }),
  errors: ['message-refused', 'no-issuer-messages', 'card-busy', ...ISSUER_ERRORS],
} as const satisfies Call;
