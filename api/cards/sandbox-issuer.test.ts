import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CARD_VARIABLES } from '../../data/config/card-settings.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { createSandboxIssuer, makeUpTransactions } from './sandbox-issuer.ts';
import { orderedCard } from './testing/card-orders.ts';

const DAY_MS = 86_400_000;
const sandboxAt = (now: number) => createSandboxIssuer({ now: () => now });

async function createSandboxCard(changes: Partial<StoredCard> = {}): Promise<StoredCard> {
  const timestamps = { createdAt: TEST_START, changedAt: TEST_START };
  const order = orderedCard(1, { issuer: 'sandbox', ...timestamps, ...changes });
  return { ...order, state: 'active', issued: await sandboxAt(TEST_START).create(order, false), ...changes };
}
const issuerCardOf = ({ issued }: StoredCard) => issued?.issuerCardId ?? '';

describe('the sandbox', () => {
  it('gives every card the published test number, its own CVV and three years of validity', async () => {
    const [one, two] = [await createSandboxCard(), await createSandboxCard({ id: 'card-2' })];
    const secrets = await Promise.all(
      [one, two].map((card) => sandboxAt(TEST_START).reveal(issuerCardOf(card))),
    );
    for (const { cardNumber, cvv, expiryYear } of secrets) {
      expect(cardNumber).toBe('4242424242424242');
      expect(expiryYear).toBe(new Date(TEST_START).getUTCFullYear() + 3);
      expect(cvv).toMatch(/^\d{3}$/);
    }
    expect(new Set(secrets.map(({ cvv }) => cvv)).size).toBe(2);
    expect(issuerCardOf(one)).not.toBe(issuerCardOf(two));
  });

  it('has the same cards and transactions after a restart', async () => {
    const card = await createSandboxCard();
    const before = sandboxAt(TEST_START + 20 * DAY_MS);
    const after = sandboxAt(TEST_START + 20 * DAY_MS);
    expect(await after.create(card, true)).toEqual(card.issued);
    expect(await after.reveal(issuerCardOf(card))).toEqual(await before.reveal(issuerCardOf(card)));
    expect(await after.transactions(card, 0)).toEqual(await before.transactions(card, 0));
  });

  it('rejects another issuer’s card', async () => {
    await expect(sandboxAt(TEST_START).reveal('ic_1')).rejects.toThrow(RangeError);
  });

  it('adds no transactions to a frozen card', async () => {
    const frozen = await createSandboxCard({ state: 'frozen', changedAt: TEST_START + 5 * DAY_MS });
    const { transactions } = await sandboxAt(TEST_START + 60 * DAY_MS).transactions(frozen, TEST_START);
    for (const transaction of transactions) expect(transaction.at).toBeLessThanOrEqual(frozen.changedAt);
  });

  it('is the default issuer', () => {
    expect(CARD_VARIABLES.CARD_ISSUER.parse(undefined)).toBe('sandbox');
  });
});

describe('made-up usage', () => {
  const durationUpTo = (max: number) =>
    fc.double({ min: 0, max, noNaN: true }).map((count) => count * DAY_MS);

  it('is marked as a test, never dated before the card’s creation, and the same in later calls', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        durationUpTo(200),
        durationUpTo(40),
        durationUpTo(5),
        (id, ageMs, backMs, laterMs) => {
          const createdAt = TEST_START - ageMs;
          const card = { id, createdAt };
          const since = TEST_START - backMs;
          const { transactions, isComplete } = makeUpTransactions(card, since, TEST_START);
          const transactionTimes = transactions.map((one) => one.at);
          expect(transactionTimes).toEqual(transactionTimes.toSorted((a, b) => b - a));
          for (const one of transactions) {
            expect(one.merchant).toMatch(/^TEST: /);
            expect(one.at).toBeGreaterThanOrEqual(createdAt);
            expect(one.at).toBeLessThanOrEqual(TEST_START);
            expect(one.amount > 0n).toBe(true);
          }
          if (isComplete) {
            expect(transactions).toEqual(makeUpTransactions(card, 0, TEST_START).transactions);
          }
          const ids = transactions.filter((one) => one.at >= since).map(({ id }) => id);
          const next = makeUpTransactions(card, since, TEST_START + laterMs).transactions;
          expect(next.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
        },
      ),
    );
  });
});
