import type { StoredCard } from '../../../data/store/card-port.ts';
import { createStripeIssuer } from '../stripe-issuer.ts';
import { FAKE_SECRET_KEY, FAKE_WEBHOOK_SECRET, type FakeStripe } from './fake-stripe.ts';

export function orderedCard(number: number, changes: Partial<StoredCard> = {}): StoredCard {
  return {
    id: `card-${number}`,
    walletAddress: `wallet-${number}`,
    state: 'pending',
    tier: 'Banker',
    holderName: 'BlackDuck Member',
    issuer: 'stripe',
    idempotencyKey: `key-${number}`,
    issued: null,
    createdAt: 1_790_000_000_000,
    changedAt: 1_790_000_000_000,
    stakeEntries: [],
    cardholder: null,
    stakeGoneAt: null,
    frozenByTeamAt: null,
    closedByTeamAt: null,
    closedByHolderAt: null,
    dailyLimitUsd: null,
    monthlyLimitUsd: null,
    areLimitsSent: true,
    spendNoticesFrom: null,
    ...changes,
  };
}

const CITY = { city: 'London', country: 'GB', state: null };

export const stripeSettingsOf = ({ origin }: Pick<FakeStripe, 'origin'>) => ({
  secretKey: FAKE_SECRET_KEY,
  webhookSecret: FAKE_WEBHOOK_SECRET,
  billingAddress: { ...CITY, line1: '1 Example Street', postalCode: 'EC1A 1AA' },
  apiBase: origin,
});

export function issuerAt(
  fake: FakeStripe,
  { now = Date.now, timeoutMs = 5_000 }: { readonly now?: () => number; readonly timeoutMs?: number } = {},
) {
  return createStripeIssuer(stripeSettingsOf(fake), { now, timeoutMs });
}
