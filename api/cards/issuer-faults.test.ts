// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CardDecision } from '../../data/model/submission-status.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { cardAuditRecord } from './card-context.ts';
import {
  bd,
  bodyOf,
  FREEZE_PATH,
  newWallet,
  outcomeOf,
  REVEAL_PATH,
  UNFREEZE_PATH,
} from './testing/card-client.ts';
import {
  type FakeStripe,
  type Fault,
  isCardChange,
  isCardCreation,
  isCardRead,
} from './testing/fake-stripe.ts';
import { type FakeStripeCardClient, startCardClientOnFakeStripe } from './testing/fake-stripe-card-client.ts';

let fake: FakeStripe;
let client: FakeStripeCardClient;
let wallet: string;
beforeAll(async () => {
  client = await startCardClientOnFakeStripe();
  fake = client.fake;
});
beforeEach(() => {
  wallet = newWallet();
});
afterAll(() => client.close());

const storedCard = () => client.portal.store.cards.cardOf(wallet);
const issuerCards = async () => {
  const id = (await storedCard())?.id;
  return [...fake.cards.values()].filter(({ metadata }) => metadata.portal_card === id);
};

async function createCard() {
  const { cardId }: { cardId: string } = bodyOf(await client.create(wallet)).card;
  const [card] = await issuerCards();
  if (!card) throw new Error('the issuer has no card');
  return { cardId, card };
}

const atSeconds = TEST_START / 1_000;
const deliver = (event: { body: string; signature: string }, headers: Record<string, string> = {}) =>
  ask(client.portal.port, '/api/card-issuer/webhook', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': event.signature, ...headers },
    body: event.body,
  });

describe('a card whose creation was interrupted', () => {
  it('stays pending until the next call finishes it', async () => {
    fake.faults.push({ kind: 'garbage', matches: isCardCreation });
    const failed = await client.create(wallet, 'First Wish');
    expect(outcomeOf(failed)).toEqual([502, 'issuer-unavailable']);
    // The specification gives this text.
    expect(bodyOf(failed).error).toContain('Unable to create virtual card. Please try again.');
    expect(bodyOf(await client.get('/api/virtual-card/mine', wallet)).card).toMatchObject({
      state: 'pending',
      lastFour: null,
      expiryDate: null,
      isTestCard: true,
    });
    const cardId = (await storedCard())?.id;
    for (const path of [REVEAL_PATH, FREEZE_PATH]) {
      expect(outcomeOf(await client.post(path, wallet, { cardId }))).toEqual([409, 'card-pending']);
    }
    fake.forgetKeys();
    const made = bodyOf(await client.create(wallet, 'Second Wish'));
    expect(made).toMatchObject({ holderName: 'First Wish', card: { cardId, state: 'active' } });
    expect(await issuerCards()).toHaveLength(1);
  });

  it('is finished but not revealed if its wallet has lost the tier of the order', async () => {
    await client.stake(wallet, bd(7_500_000));
    fake.faults.push({ kind: 'status', status: 503, matches: isCardCreation });
    expect(outcomeOf(await client.create(wallet))).toEqual([502, 'issuer-unavailable']);
    fake.faults.length = 0;
    await client.stake(wallet, bd(1_500_000));
    expect(outcomeOf(await client.create(wallet))).toEqual([403, 'insufficient-staking']);
    expect(await storedCard()).toMatchObject({ tier: 'Raven', state: 'active' });
    await client.portal.checkCardStakes();
    expect((await storedCard())?.state).toBe('frozen');
  });

  /** @returns the card's id */
  async function orderPendingCard(fault: Pick<Fault, 'afterHandling'> = {}): Promise<string> {
    fake.faults.push({ kind: 'status', status: 503, matches: isCardCreation, ...fault });
    expect(outcomeOf(await client.create(wallet))).toEqual([502, 'issuer-unavailable']);
    fake.faults.length = 0;
    return (await storedCard())?.id ?? '';
  }
  const stateOf = async (cardId: string) => (await client.portal.store.cards.card(cardId))?.state;

  it('is finished by the scheduled check, once the issuer responds', async () => {
    const cardId = await orderPendingCard();
    fake.faults.push({ kind: 'status', status: 503, matches: () => true, remainingCalls: 9 });
    await client.portal.checkCardStakes();
    expect(await stateOf(cardId)).toBe('pending');
    fake.faults.length = 0;
    fake.forgetKeys();
    await client.portal.checkCardStakes();
    expect(await stateOf(cardId)).toBe('active');
    expect(await issuerCards()).toHaveLength(1);
  });

  it('does not keep the other pending cards from being finished', async () => {
    const cardIds = [await orderPendingCard()];
    wallet = newWallet();
    cardIds.push(await orderPendingCard());
    const statesAfterCheck = async () => {
      await client.portal.checkCardStakes();
      return (await Promise.all(cardIds.map(stateOf))).toSorted();
    };
    fake.faults.push({ kind: 'status', status: 500, matches: isCardCreation });
    expect(await statesAfterCheck()).toEqual(['active', 'pending']);
    expect(await statesAfterCheck()).toEqual(['active', 'active']);
  });

  it('fails once both chain and index show that its stake is gone, and no longer counts towards the maximum', async () => {
    const cardsLeft = await client.portal.store.cards.cardsLeft('stripe');
    const cardId = await orderPendingCard();
    client.stakes.set(wallet, 0n);
    await client.portal.checkCardStakes();
    expect(await stateOf(cardId)).toBe('pending');
    await client.stake(wallet, 0n);
    await client.portal.checkCardStakes();
    expect(await stateOf(cardId)).toBe('failed');
    expect(await issuerCards()).toEqual([]);
    expect(await client.portal.store.cards.cardsLeft('stripe')).toBe(cardsLeft);
  });

  it('is frozen if its stake is gone and the issuer has created it', async () => {
    const cardId = await orderPendingCard({ afterHandling: true });
    await client.stake(wallet, 0n);
    await client.portal.checkCardStakes();
    await client.portal.checkCardStakes();
    expect(await stateOf(cardId)).toBe('frozen');
    expect((await issuerCards()).map(({ status }) => status)).toEqual(['inactive']);
  });
});

describe('a card that the issuer refuses', () => {
  it('releases its reservation, and the wallet can try again', async () => {
    const left = await client.portal.store.cards.cardsLeft('stripe');
    fake.faults.push({ kind: 'status', status: 402, error: { type: 'card_error' }, matches: isCardCreation });
    expect(outcomeOf(await client.create(wallet))).toEqual([502, 'issuer-refused']);
    expect(await client.portal.store.cards.cardsLeft('stripe')).toBe(left);
    expect((await client.create(wallet)).status).toBe(200);
  });

  it('because of the holder’s name causes an error about the name', async () => {
    const refused = await client.create(wallet, 'Łukasz Ćwik');
    expect(outcomeOf(refused)).toEqual([502, 'issuer-refused']);
    expect(bodyOf(refused).error).toMatch(/name/);
    expect((await client.create(wallet, 'Lukasz Cwik')).status).toBe(200);
  });
});

describe('an issuer error', () => {
  it('right after a card was created does not hide that the card exists, and a later reveal succeeds', async () => {
    fake.faults.push({ kind: 'status', status: 500, matches: isCardRead });
    expect(outcomeOf(await client.create(wallet))).toEqual([502, 'card-not-yet-readable']);
    const cardId = (await storedCard())?.id;
    const shown = bodyOf(await client.post(REVEAL_PATH, wallet, { cardId }));
    const [card] = await issuerCards();
    expect(shown).toMatchObject({ cardNumber: card?.number, cvv: card?.cvc, expiryDate: '09/29' });
  });

  it('leaves a card unchanged, and no reveal is recorded', async () => {
    const { cardId, card } = await createCard();
    fake.faults.push({ kind: 'status', status: 429, matches: isCardChange, remainingCalls: 2 });
    expect(outcomeOf(await client.post(FREEZE_PATH, wallet, { cardId }))).toEqual([
      502,
      'issuer-unavailable',
    ]);
    expect([(await storedCard())?.state, card.status]).toEqual(['active', 'active']);
    fake.faults.length = 0;
    fake.faults.push({ kind: 'status', status: 500, matches: isCardRead });
    expect(outcomeOf(await client.post(REVEAL_PATH, wallet, { cardId }))).toEqual([
      502,
      'issuer-unavailable',
    ]);
    fake.faults.push({
      kind: 'cut',
      matches: (_method, path) => path.endsWith('/transactions'),
      remainingCalls: 3,
    });
    expect(outcomeOf(await client.get('/api/virtual-card/usage', wallet))).toEqual([
      502,
      'issuer-unavailable',
    ]);
    fake.faults.length = 0;
    expect((await client.post(FREEZE_PATH, wallet, { cardId })).status).toBe(200);
    expect(card.status).toBe('inactive');
    const actions = (await client.portal.store.auditTrail(99))
      .filter(({ details }) => details.cardId === cardId)
      .map(({ action }) => action);
    expect(actions).toEqual(['card.frozen', 'card.created']);
  });

  it('about a card that the issuer has closed marks it as closed in the store', async () => {
    const { cardId, card } = await createCard();
    card.status = 'canceled';
    expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([409, 'card-closed']);
    expect(await storedCard()).toBeNull();
  });
});

describe('a webhook message', () => {
  it('applies the issuer’s current state once, even if the message is out of date', async () => {
    const { card } = await createCard();
    card.status = 'inactive';
    const frozen = fake.event({
      id: 'evt_1',
      object: { ...card, number: undefined, cvc: undefined },
      at: atSeconds,
    });
    expect(await deliver(frozen)).toMatchObject({ status: 200, body: '{"received":true}' });
    expect((await storedCard())?.state).toBe('frozen');
    card.status = 'active';
    expect((await deliver(frozen)).status).toBe(200);
    expect((await storedCard())?.state).toBe('frozen');
    const outdated = { object: 'issuing.card', id: card.id, status: 'inactive' };
    expect((await deliver(fake.event({ id: 'evt_2', object: outdated, at: atSeconds }))).status).toBe(200);
    expect((await storedCard())?.state).toBe('active');
    card.status = 'canceled';
    await deliver(fake.event({ id: 'evt_3', object: card, at: atSeconds }));
    expect(await storedCard()).toBeNull();
    expect(bodyOf(await client.get('/api/virtual-card/mine', wallet)).lastClosed).toMatchObject({
      closedFor: 'issuer',
      lastFour: card.last4,
    });
  });

  it('that could not be processed can be delivered again', async () => {
    const { card } = await createCard();
    card.status = 'inactive';
    const sent = fake.event({ id: 'evt_4', object: card, at: atSeconds });
    fake.faults.push({ kind: 'status', status: 500, matches: isCardRead });
    expect((await deliver(sent)).status).toBe(502);
    expect((await storedCard())?.state).toBe('active');
    expect((await deliver(sent)).status).toBe(200);
    expect((await storedCard())?.state).toBe('frozen');
  });

  it('about an unknown card or a different kind of object is accepted and ignored', async () => {
    const requests = fake.requests.length;
    const object = { object: 'issuing.card', id: 'ic_of_someone' };
    expect((await deliver(fake.event({ id: 'evt_5', object, at: atSeconds }))).status).toBe(200);
    const dispute = { object: 'issuing.dispute', id: 'idp_1' };
    const other = fake.event({
      id: 'evt_6',
      type: 'issuing_dispute.created',
      object: dispute,
      at: atSeconds,
    });
    expect((await deliver(other)).status).toBe(200);
    expect(fake.requests.length).toBe(requests);
  });

  it('is rejected if it is unsigned, too long, or sent by a page on another site', async () => {
    const object = { object: 'issuing.card', id: 'ic_1' };
    const sent = fake.event({ id: 'evt_7', object, at: atSeconds });
    expect(outcomeOf(await deliver({ ...sent, signature: '' }))).toEqual([400, 'message-refused']);
    expect((await deliver({ ...sent, body: 'x'.repeat(100_000) })).status).toBe(413);
    expect((await deliver(sent, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await deliver(sent)).status).toBe(200);
  });
});

type FakeCard = Awaited<ReturnType<typeof createCard>>['card'];
let sentCount = 0;
async function notifyOf(card: FakeCard, status: FakeCard['status']) {
  card.status = status;
  sentCount += 1;
  return deliver(fake.event({ id: `evt_changed_${sentCount}`, object: card, at: atSeconds }));
}

it('a holder cannot unfreeze a card that the issuer froze, before or after the webhook message arrives', async () => {
  const { cardId, card } = await createCard();
  const notify = (status: FakeCard['status']) => notifyOf(card, status);
  card.status = 'inactive';
  expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
  expect(bodyOf(await client.post(FREEZE_PATH, wallet, { cardId })).card.state).toBe('frozen');
  expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
  expect((await notify('inactive')).status).toBe(200);
  expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
  expect(card.status).toBe('inactive');
  // Once the issuer unfreezes the card, the holder can freeze and unfreeze it again.
  await notify('active');
  for (const [path, state] of [
    [FREEZE_PATH, 'frozen'],
    [UNFREEZE_PATH, 'active'],
    [FREEZE_PATH, 'frozen'],
  ] as const) {
    expect(bodyOf(await client.post(path, wallet, { cardId })).card.state).toBe(state);
  }
  // The issuer lifts the holder's freeze, then freezes the card itself.
  await notify('active');
  await notify('inactive');
  expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
});

describe('a card that the team froze', () => {
  const decide = (cardId: string, decision: CardDecision) =>
    client.portal.store.cards.decide(
      cardId,
      { decision, reason: 'Reported as stolen.' },
      cardAuditRecord('card.frozen', cardId, { actor: 'system', at: TEST_START }),
    );

  it('stays frozen if the issuer ends its own earlier freeze', async () => {
    const { cardId, card } = await createCard();
    await notifyOf(card, 'inactive');
    await decide(cardId, 'frozen');
    fake.faults.push({ kind: 'status', status: 500, matches: isCardChange, remainingCalls: 3 });
    expect((await notifyOf(card, 'active')).status).toBe(502);
    fake.faults.length = 0;
    expect((await notifyOf(card, 'active')).status).toBe(200);
    expect(card.status).toBe('inactive');
    expect(await storedCard()).toMatchObject({ state: 'frozen', frozenByTeamAt: TEST_START });
    expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([
      409,
      'frozen-by-issuer',
    ]);
  });

  it('stays frozen if somebody unfreezes it at the issuer, until the team lifts the freeze', async () => {
    const { cardId, card } = await createCard();
    await client.post(FREEZE_PATH, wallet, { cardId });
    await decide(cardId, 'frozen');
    await notifyOf(card, 'active');
    expect(card.status).toBe('inactive');
    await decide(cardId, 'freeze-lifted');
    expect(bodyOf(await client.post(UNFREEZE_PATH, wallet, { cardId })).card.state).toBe('active');
    expect(card.status).toBe('active');
  });
});

it('a test card is closed at startup after the switch to real cards', async () => {
  const { cards } = client.portal.store;
  const order = { walletAddress: wallet, tier: 'Banker', holderName: 'Some One' } as const;
  const ids = { id: `of ${wallet}`, idempotencyKey: wallet };
  await cards.reserve({ ...order, ...ids, issuer: 'sandbox', stakeEntries: [], at: TEST_START });
  expect(outcomeOf(await client.create(wallet))).toEqual([409, 'has-card']);
  await client.portal.closeTestCards();
  expect((await client.create(wallet)).status).toBe(200);
});
