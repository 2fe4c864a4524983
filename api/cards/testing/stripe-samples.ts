import type { Stripe } from 'stripe';

/* Stripe Issuing objects, typed by the `stripe` package, which is generated from Stripe's OpenAPI description. */

export const TEST_TIME_SECONDS = 1_790_000_000;

const nulls = <Key extends string>(...keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, null])) as Record<Key, null>;

const STREET = { line1: '1 Example Street', postal_code: 'EC1A 1AA' };

export function sampleStripeCardholder(
  id: string,
  changes: Partial<Stripe.Issuing.Cardholder>,
): Stripe.Issuing.Cardholder {
  return {
    id,
    object: 'issuing.cardholder',
    billing: { address: { city: 'London', country: 'GB', ...STREET, ...nulls('line2', 'state') } },
    created: TEST_TIME_SECONDS,
    livemode: false,
    metadata: {},
    name: 'BlackDuck Member',
    preferred_locales: [],
    requirements: { disabled_reason: null, past_due: [] },
    status: 'active',
    type: 'individual',
    ...nulls('company', 'email', 'individual', 'phone_number', 'spending_controls'),
    ...changes,
  };
}

export function sampleStripeCard(
  id: string,
  cardholder: Stripe.Issuing.Cardholder,
  changes: Partial<Stripe.Issuing.Card>,
): Stripe.Issuing.Card {
  return {
    id,
    object: 'issuing.card',
    brand: 'Visa',
    cardholder,
    created: TEST_TIME_SECONDS,
    currency: 'usd',
    exp_month: 9,
    exp_year: 2029,
    last4: '0000',
    livemode: false,
    metadata: {},
    spending_controls: {
      allowed_card_presences: [],
      blocked_card_presences: [],
      spending_limits: [],
      spending_limits_currency: 'usd',
      ...nulls('allowed_categories', 'blocked_categories'),
      ...nulls('allowed_merchant_countries', 'blocked_merchant_countries'),
    },
    status: 'inactive',
    type: 'virtual',
    ...nulls('cancellation_reason', 'latest_fraud_warning', 'lifecycle_controls', 'personalization_design'),
    ...nulls('replaced_by', 'replacement_for', 'replacement_reason', 'second_line', 'shipping', 'wallets'),
    ...changes,
  };
}

const MERCHANT: Stripe.Issuing.Transaction.MerchantData = {
  category: 'computer_software_stores',
  category_code: '5734',
  city: 'San Francisco',
  country: 'US',
  name: 'Rocket Rides',
  network_id: '1234567890',
  postal_code: '94103',
  state: 'CA',
  ...nulls('tax_id', 'terminal_id', 'url'),
};

export function sampleStripeTransaction(
  id: string,
  card: string,
  changes: Partial<Stripe.Issuing.Transaction>,
): Stripe.Issuing.Transaction {
  return {
    id,
    object: 'issuing.transaction',
    amount: -100,
    amount_details: { atm_fee: null, cashback_amount: null },
    card,
    created: TEST_TIME_SECONDS,
    currency: 'usd',
    livemode: false,
    merchant_amount: -100,
    merchant_currency: 'usd',
    merchant_data: MERCHANT,
    metadata: {},
    network_data: null,
    type: 'capture',
    ...nulls('authorization', 'balance_transaction', 'cardholder', 'dispute', 'wallet'),
    ...changes,
  };
}

export function sampleStripeAuthorization(
  id: string,
  card: Stripe.Issuing.Card,
  changes: Partial<Stripe.Issuing.Authorization>,
): Stripe.Issuing.Authorization {
  return {
    id,
    object: 'issuing.authorization',
    amount: 100,
    approved: true,
    authorization_method: 'online',
    balance_transactions: [],
    card,
    card_presence: 'not_present',
    created: TEST_TIME_SECONDS,
    currency: 'usd',
    livemode: false,
    merchant_amount: 100,
    merchant_currency: 'usd',
    merchant_data: MERCHANT,
    metadata: {},
    network_data: null,
    request_history: [],
    status: 'pending',
    transactions: [],
    verification_data: {
      address_line1_check: 'not_provided',
      address_postal_code_check: 'not_provided',
      authentication_exemption: null,
      cvc_check: 'match',
      expiry_check: 'match',
      postal_code: null,
      three_d_secure: null,
    },
    ...nulls('amount_details', 'cardholder', 'fleet', 'fuel', 'pending_request'),
    ...nulls('verified_by_fraud_challenge', 'wallet'),
    ...changes,
  };
}
