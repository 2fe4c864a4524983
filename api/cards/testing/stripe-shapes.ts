import type { Stripe } from 'stripe';

/**
 * Stripe Issuing objects. Their types come from the `stripe` package, which is generated from Stripe's published
 * OpenAPI description (https://github.com/stripe/openapi).
 */

export const TEST_TIME = 1_790_000_000;

export function cardholderShape(
  id: string,
  changes: Partial<Stripe.Issuing.Cardholder>,
): Stripe.Issuing.Cardholder {
  return {
    id,
    object: 'issuing.cardholder',
    billing: {
      address: {
        city: 'London',
        country: 'GB',
        line1: '1 Example Street',
        line2: null,
        postal_code: 'EC1A 1AA',
        state: null,
      },
    },
    company: null,
    created: TEST_TIME,
    email: null,
    individual: null,
    livemode: false,
    metadata: {},
    name: 'BlackDuck Member',
    phone_number: null,
    preferred_locales: [],
    requirements: { disabled_reason: null, past_due: [] },
    spending_controls: null,
    status: 'active',
    type: 'individual',
    ...changes,
  };
}

export function cardShape(
  id: string,
  cardholder: Stripe.Issuing.Cardholder,
  changes: Partial<Stripe.Issuing.Card>,
): Stripe.Issuing.Card {
  return {
    id,
    object: 'issuing.card',
    brand: 'Visa',
    cancellation_reason: null,
    cardholder,
    created: TEST_TIME,
    currency: 'usd',
    exp_month: 9,
    exp_year: 2029,
    last4: '0000',
    latest_fraud_warning: null,
    lifecycle_controls: null,
    livemode: false,
    metadata: {},
    personalization_design: null,
    replaced_by: null,
    replacement_for: null,
    replacement_reason: null,
    second_line: null,
    shipping: null,
    spending_controls: {
      allowed_card_presences: [],
      allowed_categories: null,
      allowed_merchant_countries: null,
      blocked_card_presences: [],
      blocked_categories: null,
      blocked_merchant_countries: null,
      spending_limits: [],
      spending_limits_currency: 'usd',
    },
    status: 'inactive',
    type: 'virtual',
    wallets: null,
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
  tax_id: null,
  terminal_id: null,
  url: null,
};

export function transactionShape(
  id: string,
  card: string,
  changes: Partial<Stripe.Issuing.Transaction>,
): Stripe.Issuing.Transaction {
  return {
    id,
    object: 'issuing.transaction',
    amount: -100,
    amount_details: { atm_fee: null, cashback_amount: null },
    authorization: null,
    balance_transaction: null,
    card,
    cardholder: null,
    created: TEST_TIME,
    currency: 'usd',
    dispute: null,
    livemode: false,
    merchant_amount: -100,
    merchant_currency: 'usd',
    merchant_data: MERCHANT,
    metadata: {},
    network_data: null,
    type: 'capture',
    wallet: null,
    ...changes,
  };
}

export function authorizationShape(
  id: string,
  card: Stripe.Issuing.Card,
  changes: Partial<Stripe.Issuing.Authorization>,
): Stripe.Issuing.Authorization {
  return {
    id,
    object: 'issuing.authorization',
    amount: 100,
    amount_details: null,
    approved: true,
    authorization_method: 'online',
    balance_transactions: [],
    card,
    card_presence: 'not_present',
    cardholder: null,
    created: TEST_TIME,
    currency: 'usd',
    fleet: null,
    fuel: null,
    livemode: false,
    merchant_amount: 100,
    merchant_currency: 'usd',
    merchant_data: MERCHANT,
    metadata: {},
    network_data: null,
    pending_request: null,
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
    verified_by_fraud_challenge: null,
    wallet: null,
    ...changes,
  };
}
