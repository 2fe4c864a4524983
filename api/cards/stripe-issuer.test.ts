// @module-tag slow
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CardIssuer } from './issuer.ts';
import { IssuerMessageError, IssuerRefusedError, IssuerUnavailableError } from './issuer.ts';
import { issuerAt, orderedCard } from './testing/card-orders.ts';
import {
  FAKE_SECRET_KEY,
  type FakeStripe,
  type Fault,
  isCardCreation,
  startFakeStripe,
} from './testing/fake-stripe.ts';
import {
  sampleStripeAuthorization,
  sampleStripeTransaction,
  TEST_TIME_SECONDS,
} from './testing/stripe-samples.ts';

let fake: FakeStripe;
let issuer: CardIssuer;
beforeEach(async () => {
  fake = await startFakeStripe();
  issuer = await issuerAt(fake);
});
afterEach(() => fake.close());

function firstCard() {
  const [card] = fake.cards.values();
  if (!card?.number || !card.cvc) throw new Error('no card was created');
  return { ...card, number: card.number, cvc: card.cvc };
}

describe('a Stripe card', () => {
  it('is virtual and active, with the limits of its tier and the requested holder name', async () => {
    const issued = await issuer.create(orderedCard(1, { holderName: "Ann O'Neil-Smith" }), false);
    const card = firstCard();
    expect(issued).toEqual({
      issuerCardId: card.id,
      issuerCardholderId: card.cardholder.id,
      lastFour: card.number.slice(-4),
      expiryMonth: 9,
      expiryYear: 2029,
    });
    expect(card).toMatchObject({ status: 'active', metadata: { portal_card: 'card-1' } });
    expect(card.cardholder).toMatchObject({ name: "Ann O'Neil-Smith" });
    const limits = card.spending_controls.spending_limits;
    expect(limits?.map(({ amount, interval }) => [amount, interval])).toEqual([
      [500_000, 'daily'],
      [500_000, 'monthly'],
    ]);
    expect(issuer.isTest).toBe(true);
  });

  it('shows its number and CVV only when it is revealed', async () => {
    const issued = await issuer.create(orderedCard(1), false);
    const { number, cvc } = firstCard();
    expect(JSON.stringify(issued)).not.toContain(number);
    expect(await issuer.reveal(issued.issuerCardId)).toEqual({
      cardNumber: number,
      cvv: cvc,
      expiryMonth: 9,
      expiryYear: 2029,
    });
  });

  it('can be frozen, unfrozen and closed', async () => {
    const { issuerCardId } = await issuer.create(orderedCard(1), false);
    await issuer.freeze(issuerCardId);
    expect([firstCard().status, await issuer.get(issuerCardId)]).toEqual([
      'inactive',
      { state: 'frozen', isPortalFreeze: true },
    ]);
    await issuer.unfreeze(issuerCardId);
    expect(await issuer.get(issuerCardId)).toEqual({ state: 'active', isPortalFreeze: false });
    await issuer.close(issuerCardId);
    expect(await issuer.get(issuerCardId)).toEqual({ state: 'closed', isPortalFreeze: false });
    await expect(issuer.unfreeze(issuerCardId)).rejects.toThrow(IssuerRefusedError);
  });
});

describe('a retried order', () => {
  it('gets the same card for the same key', async () => {
    const first = await issuer.create(orderedCard(1), false);
    expect(await issuer.create(orderedCard(1), false)).toEqual(first);
    expect([fake.cards.size, fake.cardholders.size]).toEqual([1, 1]);
  });

  it.each<[string, Fault]>([
    ['the response was lost', { kind: 'cut', afterHandling: true, remainingCalls: 2 }],
    ['the response was an error', { kind: 'status', status: 500, afterHandling: true }],
    ['the response was not JSON', { kind: 'garbage' }],
  ])('finds the card even if %s and Stripe has since forgotten the key', async (_case, fault) => {
    fake.faults.push({ ...fault, matches: isCardCreation });
    await expect(issuer.create(orderedCard(1), false)).rejects.toThrow(IssuerUnavailableError);
    expect(fake.cards.size).toBe(1);
    fake.forgetKeys();
    expect((await issuer.create(orderedCard(1), true)).issuerCardId).toBe(firstCard().id);
    expect(fake.cards.size).toBe(1);
    await issuer.create(orderedCard(2), true);
    expect(fake.cards.size).toBe(2);
  });

  it('searches every page for the card', async () => {
    await issuer.create(orderedCard(1), false);
    const card = firstCard();
    for (let number = 2; number <= 120; number += 1) {
      const id = `ic_other_${number}`;
      fake.cards.set(id, { ...card, id, metadata: { portal_card: `card-${number}` } });
    }
    expect((await issuer.create(orderedCard(1), true)).issuerCardId).toBe(firstCard().id);
    expect(fake.cards.size).toBe(120);
  });
});

describe('a Stripe error', () => {
  const statusFault = (code: number, error: Record<string, string> = {}): Fault => {
    return { kind: 'status', status: code, error, remainingCalls: 2 };
  };

  it.each<[string, Fault]>([
    ['402, a card error', statusFault(402, { type: 'card_error' })],
    ['400, a wrong parameter', statusFault(400, { type: 'invalid_request_error' })],
  ])('(%s) is a refusal', async (_case, fault) => {
    fake.faults.push({ ...fault, matches: isCardCreation });
    await expect(issuer.create(orderedCard(1), false)).rejects.toThrow(IssuerRefusedError);
  });

  it.each<[string, Fault]>([
    ['400, a key used for a different request', statusFault(400, { type: 'idempotency_error' })],
    ['401, a wrong key', statusFault(401)],
    ['403, a missing permission', statusFault(403)],
    ['409, a request with the same key in progress', statusFault(409)],
    ['429, too many requests', statusFault(429, { code: 'rate_limit' })],
    ['500', statusFault(500)],
    ['503', statusFault(503)],
    ['a dropped connection', { kind: 'cut', remainingCalls: 3 }],
    ['a response that is not JSON', { kind: 'garbage' }],
  ])('(%s) can be retried', async (_case, fault) => {
    fake.faults.push({ ...fault, matches: isCardCreation });
    await expect(issuer.create(orderedCard(1), false)).rejects.toThrow(IssuerUnavailableError);
  });

  it('(a timeout) can be retried', async () => {
    const impatient = await issuerAt(fake, { timeoutMs: 100 });
    fake.faults.push({ kind: 'hang', matches: isCardCreation, remainingCalls: 2 });
    await expect(impatient.create(orderedCard(1), false)).rejects.toThrow(IssuerUnavailableError);
  });

  it('names the rejected field', async () => {
    const error = await issuer.create(orderedCard(1, { holderName: 'Łukasz' }), false).catch((e) => e);
    const details = { kind: 'StripeInvalidRequestError', field: 'name', status: 400 };
    expect(error).toMatchObject({ details });
  });

  it('contains no text from the request or the response', async () => {
    const { issuerCardId } = await issuer.create(orderedCard(1), false);
    const { number, cvc } = firstCard();
    const faults: Fault[] = [
      { kind: 'garbage' },
      statusFault(400, { message: `${number} ${cvc}`, param: number, code: `x ${cvc}`, type: number }),
      statusFault(500, { message: number }),
    ];
    for (const fault of faults) {
      fake.faults.push({ ...fault, remainingCalls: 1, matches: (method) => method === 'GET' });
      const text = inspect(await issuer.reveal(issuerCardId).catch((error) => error), { depth: 9 });
      expect(text).toMatch(/Issuer(Refused|Unavailable)Error/);
      for (const secret of [number, cvc, FAKE_SECRET_KEY]) expect(text).not.toContain(secret);
    }
  });

  it('is thrown for a response with an unexpected shape', async () => {
    const { issuerCardId } = await issuer.create(orderedCard(1), false);
    const card = fake.cards.get(issuerCardId);
    if (card) card.cvc = '12';
    await expect(issuer.reveal(issuerCardId)).rejects.toThrow(IssuerUnavailableError);
  });
});

describe('a card’s transactions', () => {
  const createCard = async () => {
    const card = orderedCard(1);
    const issued = await issuer.create(card, false);
    return { card: { ...card, issued }, issuerCardId: issued.issuerCardId, fakeCard: firstCard() };
  };

  it('include payments, refunds, pending and declined amounts, each once', async () => {
    const { card, issuerCardId, fakeCard } = await createCard();
    const createdAfter = (seconds: number) => ({ created: TEST_TIME_SECONDS + seconds });
    const part = sampleStripeTransaction('ipi_part', issuerCardId, { ...createdAfter(5), amount: -300 });
    fake.transactions = [
      part,
      sampleStripeTransaction('ipi_back', issuerCardId, { ...createdAfter(4), amount: 250, type: 'refund' }),
      sampleStripeTransaction('ipi_out', issuerCardId, { ...createdAfter(1), amount: -1_999 }),
      sampleStripeTransaction('ipi_other', 'ic_other', {}),
    ];
    fake.authorizations = [
      sampleStripeAuthorization('iauth_open', fakeCard, {
        ...createdAfter(3),
        amount: 1_000,
        transactions: [part],
      }),
      sampleStripeAuthorization('iauth_no', fakeCard, {
        ...createdAfter(2),
        amount: 77,
        approved: false,
        status: 'closed',
      }),
      sampleStripeAuthorization('iauth_done', fakeCard, { amount: 1_999, status: 'closed' }),
      sampleStripeAuthorization('iauth_reversed', fakeCard, { amount: 5, status: 'reversed' }),
    ];
    const { transactions, isComplete } = await issuer.transactions(card, 0);
    expect(transactions.map(({ id, amount, state }) => [id, amount, state])).toEqual([
      ['ipi_part', 300n, 'settled'],
      ['ipi_back', -250n, 'settled'],
      ['iauth_open', 700n, 'pending'],
      ['iauth_no', 77n, 'declined'],
      ['ipi_out', 1_999n, 'settled'],
    ]);
    expect(transactions[0]).toMatchObject({
      at: (TEST_TIME_SECONDS + 5) * 1_000,
      merchant: 'Rocket Rides',
      category: 'computer_software_stores',
    });
    expect(isComplete).toBe(true);
  });

  it('are read page by page back to the requested time; the result says whether they are complete', async () => {
    const { card, issuerCardId } = await createCard();
    fake.transactions = Array.from({ length: 350 }, (_, number) =>
      sampleStripeTransaction(`ipi_${number}`, issuerCardId, { created: TEST_TIME_SECONDS - number }),
    );
    const countSince = async (since: number) => {
      const { transactions, isComplete } = await issuer.transactions(card, since * 1_000);
      return [transactions.length, isComplete];
    };
    expect(await countSince(TEST_TIME_SECONDS - 150)).toEqual([200, false]);
    expect(await countSince(0)).toEqual([350, true]);
  });
});

describe('a Stripe webhook message', () => {
  const at = TEST_TIME_SECONDS;
  const readEvent = async (event: { body: string; signature: string }, now = at * 1_000) => {
    const { readMessage } = await issuerAt(fake, { now: () => now });
    return readMessage?.(Buffer.from(event.body), { 'stripe-signature': event.signature });
  };
  const card = { object: 'issuing.card', id: 'ic_7', status: 'inactive' };

  it('is accepted with a valid signature over its raw bytes', async () => {
    expect(await readEvent(fake.event({ id: 'evt_1', object: card, at }))).toEqual({
      id: 'evt_1',
      kind: 'issuing_card.updated',
      issuerCardId: 'ic_7',
      spend: null,
    });
    const other = { id: 'evt_2', type: 'issuing_dispute.created', object: { object: 'issuing.dispute' }, at };
    expect(await readEvent(fake.event(other))).toMatchObject({ issuerCardId: null });
  });

  it('is rejected with a wrong, missing or old signature, or with different bytes', async () => {
    const sent = fake.event({ id: 'evt_1', object: card, at });
    const refused = [
      readEvent(fake.event({ id: 'evt_1', object: card, at, secret: 'whsec_another' })),
      readEvent({ ...sent, signature: '' }),
      readEvent({ ...sent, signature: 't=,v1=' }),
      readEvent({ ...sent, body: sent.body.replace('inactive', 'active') }),
      readEvent({ ...sent, body: '' }),
      readEvent(sent, (at + 301) * 1_000),
      readEvent(fake.event({ id: 'not an event', object: card, at })),
    ];
    for (const outcome of refused) await expect(outcome).rejects.toThrow(IssuerMessageError);
    expect(await readEvent(sent, (at + 300) * 1_000)).toBeDefined();
  });
});
