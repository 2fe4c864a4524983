import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { BillingAddress, StripeSettings } from '../../data/config/card-settings.ts';
import { CARDHOLDER_FIELDS, type Cardholder } from '../../data/model/cardholder.ts';
import { type CardLimits, cardLimits } from '../../data/model/tiers.ts';
import type { IssuedCard, StoredCard } from '../../data/store/card-port.ts';
import { type CardIssuer, type IssuerCardState, IssuerRefusedError } from './issuer.ts';
import {
  callStripe,
  errorDetails,
  openStripe,
  readStripeMessage,
  unexpectedResponseError,
} from './stripe-client.ts';
import { readStripeUsage } from './stripe-usage.ts';

const PORTAL_CARD_KEY = 'portal_card';
/** The metadata key that marks a card as frozen through the portal. Stripe's dashboard can freeze cards too. */
const FREEZE_MARK_KEY = 'portal_frozen_for';
/** The value of the mark. It says "holder" because at first only holders could freeze cards. */
const FREEZE_MARK_VALUE = 'holder';
/** The value that makes Stripe remove a metadata key. */
const REMOVE_KEY = '';
const CARDS_PER_PAGE = 100;
/** The search for a card fails after this many cards. The portal issues fewer. */
const MAX_CARDS_SEARCHED = 2_000;
/** How far this machine's clock may be ahead of Stripe's. */
const MAX_CLOCK_SKEW_MS = 3_600_000;
const CENTS_PER_DOLLAR = 100;

const cardResponseSchema = z.object({
  id: z.string().min(1),
  last4: z.string().regex(/^\d{4}$/),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(2_000).max(9_999),
  status: z.string(),
  metadata: z.record(z.string(), z.string()),
  cardholder: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]),
});
const secretResponseSchema = cardResponseSchema.extend({
  number: z.string().regex(/^\d{12,19}$/),
  cvc: z.string().regex(/^\d{3,4}$/),
});

/** @throws {IssuerUnavailableError} without text from the response, which may contain a card number */
function parse<Schema extends z.ZodType>(schema: Schema, response: unknown): z.output<Schema> {
  const parsed = schema.safeParse(response, { reportInput: false });
  if (!parsed.success) throw unexpectedResponseError();
  return parsed.data;
}

const STATE_BY_STATUS: Readonly<Record<string, IssuerCardState>> = {
  active: 'active',
  inactive: 'frozen',
  canceled: 'closed',
};

/** The details that Stripe requires for an individual, and the phone number and email address for 3D Secure. */
function personParams(cardholder: Cardholder) {
  const { firstName, lastName, dateOfBirth, email, phone, acceptedAt, acceptedFrom } = cardholder;
  const [year = 0, month = 0, day = 0] = dateOfBirth.split('-').map(Number);
  const acceptance = { date: Math.floor(acceptedAt / 1_000), ip: acceptedFrom };
  return {
    email,
    phone_number: phone,
    individual: {
      first_name: firstName,
      last_name: lastName,
      dob: { day, month, year },
      card_issuing: { user_terms_acceptance: acceptance },
    },
  } satisfies Partial<Stripe.Issuing.CardholderCreateParams>;
}

function cardholderParams(
  { id, holderName }: StoredCard,
  billing: BillingAddress,
  cardholder: Cardholder | null,
): Stripe.Issuing.CardholderCreateParams {
  const [first = '', ...rest] = holderName.split(' ');
  const { line1, city, postalCode, country, state } = billing;
  return {
    type: 'individual',
    name: holderName,
    ...(cardholder === null
      ? { individual: { first_name: first, last_name: rest.join(' ') || first } }
      : personParams(cardholder)),
    billing: {
      address: { line1, city, postal_code: postalCode, country, ...(state === null ? {} : { state }) },
    },
    metadata: { [PORTAL_CARD_KEY]: id },
  };
}

/** Stripe counts days and months in UTC. */
const toSpendingControls = ({ dailyLimitUsd, monthlyLimitUsd }: CardLimits) =>
  ({
    spending_limits: [
      { amount: dailyLimitUsd * CENTS_PER_DOLLAR, interval: 'daily' },
      { amount: monthlyLimitUsd * CENTS_PER_DOLLAR, interval: 'monthly' },
    ],
  }) satisfies Stripe.Issuing.CardUpdateParams.SpendingControls;

function cardParams(card: StoredCard, cardholder: string): Stripe.Issuing.CardCreateParams {
  return {
    cardholder,
    currency: 'usd',
    type: 'virtual',
    status: 'active',
    metadata: { [PORTAL_CARD_KEY]: card.id },
    spending_controls: toSpendingControls(cardLimits(card)),
  };
}

function toIssuedCard(response: unknown): IssuedCard {
  const card = parse(cardResponseSchema, response);
  if (STATE_BY_STATUS[card.status] === 'closed') {
    throw new IssuerRefusedError(errorDetails({ name: 'CardCanceled' }));
  }
  return {
    issuerCardId: card.id,
    issuerCardholderId: card.cardholder,
    lastFour: card.last4,
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
  };
}

/**
 * Finds the card if an earlier attempt created it but the response was lost. The idempotency key is not enough: for a day,
 * Stripe repeats the first attempt's error, and then it forgets the key.
 */
async function findCard(stripe: Stripe, card: StoredCard): Promise<Stripe.Issuing.Card | null> {
  const since = Math.floor((card.createdAt - MAX_CLOCK_SKEW_MS) / 1_000);
  let searchedCount = 0;
  const query = { type: 'virtual', created: { gte: since }, limit: CARDS_PER_PAGE } as const;
  for await (const stripeCard of stripe.issuing.cards.list(query)) {
    if (stripeCard.metadata[PORTAL_CARD_KEY] === card.id) return stripeCard;
    searchedCount += 1;
    if (searchedCount >= MAX_CARDS_SEARCHED) throw unexpectedResponseError();
  }
  return null;
}

async function createStripeCard(
  stripe: Stripe,
  card: StoredCard,
  billing: BillingAddress,
  cardholder: Cardholder | null,
): Promise<Stripe.Issuing.Card> {
  const stripeCardholder = await stripe.issuing.cardholders.create(
    cardholderParams(card, billing, cardholder),
    {
      idempotencyKey: `${card.idempotencyKey}-cardholder`,
    },
  );
  return stripe.issuing.cards.create(cardParams(card, stripeCardholder.id), {
    idempotencyKey: `${card.idempotencyKey}-card`,
  });
}

/** An issuer that creates cards through Stripe Issuing (https://docs.stripe.com/api/issuing/cards). */
export async function createStripeIssuer(
  settings: Omit<StripeSettings, 'kind'>,
  { now, timeoutMs }: { readonly now: () => number; readonly timeoutMs?: number },
): Promise<CardIssuer> {
  const stripe = await openStripe(settings, timeoutMs);
  const { cards } = stripe.issuing;
  const setStatus = async (
    issuerCardId: string,
    status: 'active' | 'inactive' | 'canceled',
    metadata: Record<string, string> = {},
  ) => {
    const response = await callStripe(() => cards.update(issuerCardId, { status, metadata }));
    if (parse(cardResponseSchema, response).status !== status) throw unexpectedResponseError();
  };
  return {
    name: 'stripe',
    isTest: /^[sr]k_test_/.test(settings.secretKey),
    cardholderFields: CARDHOLDER_FIELDS,
    create: (card, isRetry, cardholder = null) =>
      callStripe(async () => {
        const existingCard = isRetry ? await findCard(stripe, card) : null;
        return toIssuedCard(
          existingCard ?? (await createStripeCard(stripe, card, settings.billingAddress, cardholder)),
        );
      }),
    hasCreated: (card) => callStripe(async () => (await findCard(stripe, card)) !== null),
    get: async (issuerCardId) => {
      const { status, metadata } = parse(
        cardResponseSchema,
        await callStripe(() => cards.retrieve(issuerCardId)),
      );
      const state = STATE_BY_STATUS[status];
      if (!state) throw unexpectedResponseError();
      return { state, isPortalFreeze: metadata[FREEZE_MARK_KEY] === FREEZE_MARK_VALUE };
    },
    reveal: async (issuerCardId) => {
      const response = await callStripe(() => cards.retrieve(issuerCardId, { expand: ['number', 'cvc'] }));
      const { number, cvc, exp_month, exp_year } = parse(secretResponseSchema, response);
      return { cardNumber: number, cvv: cvc, expiryMonth: exp_month, expiryYear: exp_year };
    },
    freeze: (issuerCardId) => setStatus(issuerCardId, 'inactive', { [FREEZE_MARK_KEY]: FREEZE_MARK_VALUE }),
    unfreeze: (issuerCardId) => setStatus(issuerCardId, 'active', { [FREEZE_MARK_KEY]: REMOVE_KEY }),
    removeFreezeMark: async (issuerCardId) => {
      await callStripe(() => cards.update(issuerCardId, { metadata: { [FREEZE_MARK_KEY]: REMOVE_KEY } }));
    },
    close: (issuerCardId) => setStatus(issuerCardId, 'canceled'),
    setLimits: async (issuerCardId, limits) => {
      const changes = { spending_controls: toSpendingControls(limits) };
      parse(cardResponseSchema, await callStripe(() => cards.update(issuerCardId, changes)));
    },
    transactions: ({ issued }, since) => {
      if (!issued) return Promise.resolve({ transactions: [], isComplete: true });
      return callStripe(() => readStripeUsage(stripe, issued.issuerCardId, since));
    },
    readMessage: (body, headers) =>
      readStripeMessage(stripe, body, headers['stripe-signature'], settings.webhookSecret, now()),
  };
}
