import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import {
  bodyOf,
  type CardClient,
  FREEZE,
  outcome,
  REVEAL,
  startCardClient,
  UNFREEZE,
} from './testing/card-client.ts';
import { issuerAt } from './testing/card-orders.ts';
import { type FakeFault, type FakeStripe, startFakeStripe } from './testing/fake-stripe.ts';

let fake: FakeStripe;
let client: CardClient;
let wallet: string;
let walletsUsed = 0;
beforeAll(async () => {
  fake = await startFakeStripe();
  client = await startCardClient({ issuer: await issuerAt(fake, { now: () => TEST_START }) });
});
beforeEach(() => {
  walletsUsed += 1;
  wallet = walletOf(walletsUsed);
});
afterAll(async () => {
  await client.close();
  await fake.close();
});

const creating: FakeFault['matches'] = (method, path) => method === 'POST' && path === '/v1/issuing/cards';
const reading: FakeFault['matches'] = (method, path) =>
  method === 'GET' && path.startsWith('/v1/issuing/cards/');
const changing: FakeFault['matches'] = (method, path) =>
  method === 'POST' && path.startsWith('/v1/issuing/cards/');

const cardOf = (owner: string) => client.portal.store.cards.cardOf(owner);
const atIssuer = async (owner: string) => fake.cards.get((await cardOf(owner))?.issued?.issuerCard ?? '');
const ofWallet = async (owner: string) => {
  const id = (await cardOf(owner))?.id;
  return [...fake.cards.values()].filter(({ metadata }) => metadata.portal_card === id);
};

describe('a card whose creation was interrupted', () => {
  it.each<[string, Omit<FakeFault, 'matches'>]>([
    ['before it was created', { kind: 'status', status: 503 }],
    ['after it was created', { kind: 'status', status: 500, afterHandling: true }],
    ['by a lost response', { kind: 'garbage' }],
  ])('%s stays pending, and the next call finishes it', async (_case, fault) => {
    fake.faults.push({ ...fault, matches: creating });
    const failed = await client.create(wallet, 'First Wish');
    expect(outcome(failed)).toEqual([502, 'issuer-unavailable']);
    // The specification gives this text.
    expect(bodyOf(failed).error).toContain('Unable to create virtual card. Please try again.');
    expect(bodyOf(await client.get('/api/virtual-card/mine', wallet)).card).toMatchObject({
      state: 'pending',
      lastFour: null,
      expiryDate: null,
      isTestCard: true,
    });
    const cardId = (await cardOf(wallet))?.id ?? '';
    for (const path of [REVEAL, FREEZE]) {
      expect(outcome(await client.post(path, wallet, { cardId }))).toEqual([409, 'card-pending']);
    }
    fake.forgetKeys();
    const made = bodyOf(await client.create(wallet, 'Second Wish'));
    expect(made).toMatchObject({ holderName: 'First Wish', card: { cardId, state: 'active' } });
    expect(await ofWallet(wallet)).toHaveLength(1);
  });

  it('is finished at the next start of the portal', async () => {
    fake.faults.push({ kind: 'garbage', matches: creating });
    await client.create(wallet);
    await client.portal.resumeCards();
    expect((await cardOf(wallet))?.state).toBe('active');
    expect(await ofWallet(wallet)).toHaveLength(1);
  });

  it('stays pending if the issuer does not respond at the start either', async () => {
    fake.faults.push({ kind: 'status', status: 503, matches: () => true, times: 3 });
    await client.create(wallet);
    await client.portal.resumeCards();
    expect((await cardOf(wallet))?.state).toBe('pending');
    await client.portal.resumeCards();
    fake.faults.length = 0;
    await client.portal.resumeCards();
    expect((await cardOf(wallet))?.state).toBe('active');
  });
});

describe('a card that the issuer refuses', () => {
  it('releases its reservation, and the wallet can try again', async () => {
    const left = await client.portal.store.cards.cardsLeft('stripe');
    fake.faults.push({ kind: 'status', status: 402, error: { type: 'card_error' }, matches: creating });
    expect(outcome(await client.create(wallet))).toEqual([502, 'issuer-refused']);
    expect(await client.portal.store.cards.cardsLeft('stripe')).toBe(left);
    expect((await client.create(wallet)).status).toBe(200);
  });

  it('because of its name gets an error about the name', async () => {
    const refused = await client.create(wallet, 'Łukasz Ćwik');
    expect(outcome(refused)).toEqual([502, 'issuer-refused']);
    expect(bodyOf(refused).error).toMatch(/name/);
    expect((await client.create(wallet, 'Lukasz Cwik')).status).toBe(200);
  });
});

describe('an issuer error', () => {
  it('after the creation reports that the card exists; a retry reveals it', async () => {
    fake.faults.push({ kind: 'status', status: 500, matches: reading });
    expect(outcome(await client.create(wallet))).toEqual([502, 'card-not-yet-readable']);
    const cardId = (await cardOf(wallet))?.id;
    const shown = bodyOf(await client.post(REVEAL, wallet, { cardId }));
    const { number, cvc } = (await atIssuer(wallet)) ?? {};
    expect(shown).toMatchObject({ cardNumber: number, cvv: cvc, expiryDate: '09/29' });
  });

  it('leaves a card unchanged, and no reveal is recorded', async () => {
    const { cardId } = bodyOf(await client.create(wallet)).card;
    fake.faults.push({ kind: 'status', status: 429, matches: changing, times: 2 });
    expect(outcome(await client.post(FREEZE, wallet, { cardId }))).toEqual([502, 'issuer-unavailable']);
    expect([(await cardOf(wallet))?.state, (await atIssuer(wallet))?.status]).toEqual(['active', 'active']);
    fake.faults.length = 0;
    fake.faults.push({ kind: 'status', status: 500, matches: reading });
    expect(outcome(await client.post(REVEAL, wallet, { cardId }))).toEqual([502, 'issuer-unavailable']);
    fake.faults.push({ kind: 'cut', matches: (_method, path) => path.endsWith('/transactions'), times: 3 });
    expect(outcome(await client.get('/api/virtual-card/usage', wallet))).toEqual([502, 'issuer-unavailable']);
    fake.faults.length = 0;
    expect((await client.post(FREEZE, wallet, { cardId })).status).toBe(200);
    expect((await atIssuer(wallet))?.status).toBe('inactive');
    const actions = (await client.portal.store.auditTrail(99))
      .filter(({ details }) => details.cardId === cardId)
      .map(({ action }) => action);
    expect(actions).toEqual(['card.frozen', 'card.created']);
  });

  it('about a card that the issuer has closed closes it in the store', async () => {
    const { cardId } = bodyOf(await client.create(wallet)).card;
    const card = await atIssuer(wallet);
    if (card) card.status = 'canceled';
    expect(outcome(await client.post(UNFREEZE, wallet, { cardId }))).toEqual([409, 'card-closed']);
    expect(await cardOf(wallet)).toBeNull();
  });
});

describe('a message from the issuer', () => {
  const at = TEST_START / 1_000;
  const deliver = (sent: { body: string; signature: string }, headers: Record<string, string> = {}) =>
    ask(client.portal.port, '/api/card-issuer/webhook', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': sent.signature, ...headers },
      body: sent.body,
    });

  it('applies the issuer’s current state, once per message, whatever a late message says', async () => {
    await client.create(wallet);
    const card = await atIssuer(wallet);
    if (!card) throw new Error('the issuer has no card');
    card.status = 'inactive';
    const frozen = fake.event({ id: 'evt_1', object: { ...card, number: undefined, cvc: undefined }, at });
    expect(await deliver(frozen)).toMatchObject({ status: 200, body: '{"received":true}' });
    expect((await cardOf(wallet))?.state).toBe('frozen');
    card.status = 'active';
    expect((await deliver(frozen)).status).toBe(200);
    expect((await cardOf(wallet))?.state).toBe('frozen');
    // An older message still says inactive; the portal reads the current state.
    const late = fake.event({
      id: 'evt_2',
      object: { object: 'issuing.card', id: card.id, status: 'inactive' },
      at,
    });
    expect((await deliver(late)).status).toBe(200);
    expect((await cardOf(wallet))?.state).toBe('active');
    card.status = 'canceled';
    await deliver(fake.event({ id: 'evt_3', object: card, at }));
    expect(await cardOf(wallet)).toBeNull();
  });

  it('about a card that the issuer froze: its holder cannot unfreeze it', async () => {
    await client.create(wallet);
    const card = await atIssuer(wallet);
    if (!card) throw new Error('the issuer has no card');
    const cardId = (await cardOf(wallet))?.id;
    let sent = 0;
    const notify = async (status: typeof card.status) => {
      card.status = status;
      sent += 1;
      return deliver(fake.event({ id: `evt_team_${sent}`, object: card, at }));
    };
    // Before and after the issuer's message.
    card.status = 'inactive';
    expect(outcome(await client.post(UNFREEZE, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
    expect(bodyOf(await client.post(FREEZE, wallet, { cardId })).card.state).toBe('frozen');
    expect(outcome(await client.post(UNFREEZE, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
    expect((await notify('inactive')).status).toBe(200);
    expect(outcome(await client.post(UNFREEZE, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
    expect((await atIssuer(wallet))?.status).toBe('inactive');
    // Once the issuer unfreezes it, the holder can freeze and unfreeze it again.
    await notify('active');
    for (const [path, state] of [
      [FREEZE, 'frozen'],
      [UNFREEZE, 'active'],
      [FREEZE, 'frozen'],
    ] as const) {
      expect(bodyOf(await client.post(path, wallet, { cardId })).card.state).toBe(state);
    }
    // The issuer lifts the holder's freeze, then freezes the card itself. The holder cannot lift that one.
    await notify('active');
    await notify('inactive');
    expect(outcome(await client.post(UNFREEZE, wallet, { cardId }))).toEqual([409, 'frozen-by-issuer']);
  });

  it('that could not be processed is retried by the issuer', async () => {
    await client.create(wallet);
    const card = await atIssuer(wallet);
    if (!card) throw new Error('the issuer has no card');
    card.status = 'inactive';
    const sent = fake.event({ id: 'evt_4', object: card, at });
    fake.faults.push({ kind: 'status', status: 500, matches: reading });
    expect((await deliver(sent)).status).toBe(502);
    expect((await cardOf(wallet))?.state).toBe('active');
    expect((await deliver(sent)).status).toBe(200);
    expect((await cardOf(wallet))?.state).toBe('frozen');
  });

  it('about an unknown card or something else is accepted and ignored', async () => {
    const requests = fake.requests.length;
    const object = { object: 'issuing.card', id: 'ic_of_someone' };
    expect((await deliver(fake.event({ id: 'evt_5', object, at }))).status).toBe(200);
    const dispute = { object: 'issuing.dispute', id: 'idp_1' };
    const other = fake.event({ id: 'evt_6', type: 'issuing_dispute.created', object: dispute, at });
    expect((await deliver(other)).status).toBe(200);
    expect(fake.requests.length).toBe(requests);
  });

  it('is rejected if it is unsigned, too long, or sent by a page of another site', async () => {
    const object = { object: 'issuing.card', id: 'ic_1' };
    const sent = fake.event({ id: 'evt_7', object, at });
    expect(outcome(await deliver({ ...sent, signature: '' }))).toEqual([400, 'message-refused']);
    expect((await deliver({ ...sent, body: 'x'.repeat(100_000) })).status).toBe(413);
    expect((await deliver(sent, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await deliver(sent)).status).toBe(200);
  });
});

it('a test card is closed once real cards are issued', async () => {
  const { cards } = client.portal.store;
  const order = { walletAddress: wallet, tier: 'Banker', holderName: 'Some One', issuer: 'sandbox' } as const;
  await cards.reserve({ ...order, id: `of ${wallet}`, idempotencyKey: wallet, at: TEST_START });
  expect(outcome(await client.create(wallet))).toEqual([409, 'has-card']);
  await client.portal.resumeCards();
  expect((await client.create(wallet)).status).toBe(200);
});
