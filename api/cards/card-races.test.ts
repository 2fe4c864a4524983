// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_CARDS } from '../../data/model/tiers.ts';
import { TEST_START } from '../testing/fake-index.ts';
import type { Answer } from '../testing/portal-client.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { bodyOf } from './testing/card-client.ts';
import type { FakeStripe } from './testing/fake-stripe.ts';
import { type FakeStripeCardClient, startCardClientOnFakeStripe } from './testing/fake-stripe-card-client.ts';

let fake: FakeStripe;
let client: FakeStripeCardClient;
beforeEach(async () => {
  client = await startCardClientOnFakeStripe();
  fake = client.fake;
});
afterEach(() => client.close());

const countCodes = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const code = bodyOf(answer).code ?? 'created';
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
};

it('50 concurrent calls for one wallet create one card and return it once', async () => {
  const wallet = walletOf(1);
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.create(wallet)));
  const { created, 'card-busy': busy = 0, 'has-card': rejected = 0, ...others } = countCodes(answers);
  expect([created, busy + rejected, others]).toEqual([1, 49, {}]);
  expect([fake.cards.size, fake.cardholders.size]).toEqual([1, 1]);
  const [card] = fake.cards.values();
  expect(answers.filter(({ body }) => body.includes(card?.number ?? 'none'))).toHaveLength(1);
});

it('concurrent calls get the cards that are left, and no more', async () => {
  const [left, calls] = [5, 12];
  for (let number = 1; number <= MAX_CARDS - left; number += 1) {
    const ids = { id: `card-${number}`, idempotencyKey: `key-${number}`, walletAddress: `wallet-${number}` };
    const order = { ...ids, tier: 'Duckling', holderName: 'Ada', issuer: 'stripe' } as const;
    await client.portal.store.cards.reserve({ ...order, stakeEntries: [], at: TEST_START });
  }
  const wallets = Array.from({ length: calls }, (_, number) => walletOf(number));
  const answers = await Promise.all(wallets.map((wallet) => client.create(wallet)));
  expect(countCodes(answers)).toEqual({ created: left, 'no-cards-left': calls - left });
  expect(fake.cards.size).toBe(left);
});
