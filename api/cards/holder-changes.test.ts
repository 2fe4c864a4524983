// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  changeCardLimits,
  closeCard,
  createCard,
  FRESH_PROOF_SECONDS,
  myCard,
  setSpendNotices,
} from '../../data/contract/cards.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { composeApplicantNotice } from '../delivery/telegram/notice.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import {
  bd,
  bodyOf,
  FREEZE_PATH,
  newWallet,
  outcomeOf,
  REVEAL_PATH,
  startCardClient,
  UNFREEZE_PATH,
} from './testing/card-client.ts';
import { type FakeStripe, isCardChange } from './testing/fake-stripe.ts';
import { type FakeStripeCardClient, startCardClientOnFakeStripe } from './testing/fake-stripe-card-client.ts';
import { sampleStripeAuthorization, sampleStripeTransaction } from './testing/stripe-samples.ts';

const CLOSE_PATH = closeCard.path;
const LIMITS_PATH = changeCardLimits.path;
const NOTICES_PATH = setSpendNotices.path;

let fake: FakeStripe;
let client: FakeStripeCardClient;
let wallet: string;
let cardId: string;
beforeAll(async () => {
  client = await startCardClientOnFakeStripe();
  fake = client.fake;
});
beforeEach(async () => {
  wallet = newWallet();
  cardId = bodyOf(await client.create(wallet)).card.cardId;
});
afterEach(() => {
  fake.faults.length = 0;
});
afterAll(() => client.close());

const store = () => client.portal.store;
const readMyCard = async () => myCard.response.parse(bodyOf(await client.get(myCard.path, wallet)));
const postAsHolder = async (path: string, body: object = {}) =>
  outcomeOf(await client.post(path, wallet, { cardId, ...body }));
const issuerCard = () => {
  const card = [...fake.cards.values()].find(({ metadata }) => metadata.portal_card === cardId);
  if (!card) throw new Error('the issuer has no such card');
  return card;
};
const auditedActions = async () =>
  (await store().auditTrail(99))
    .filter(({ details }) => details.cardId === cardId)
    .map(({ actor, action }) => `${actor} ${action}`)
    .toReversed();
const deliveriesOf = async (reference: string) =>
  (await store().deliveries.deliveriesOf(reference)).map(
    ({ event, channel, audience }) => `${event} ${channel} ${audience}`,
  );

describe('closing a card', () => {
  it('is permanent at the issuer, and notifies the holder and the team once', async () => {
    const reference = await submitApplication(store(), { walletAddress: wallet, isOwnershipProven: true });
    const left = await store().cards.cardsLeft('stripe');
    const provedAt = TEST_START - FRESH_PROOF_SECONDS * 1_000;
    const late = await client.post(CLOSE_PATH, wallet, { cardId }, provedAt - 1);
    expect(outcomeOf(late)).toEqual([401, 'fresh-proof-needed']);
    expect(outcomeOf(await client.post(CLOSE_PATH, newWallet(), { cardId }))).toEqual([404, 'no-such-card']);
    expect(issuerCard().status).toBe('active');

    const closed = await client.post(CLOSE_PATH, wallet, { cardId }, provedAt);
    expect(closeCard.response.parse(bodyOf(closed)).card).toMatchObject({
      state: 'closed',
      isClosing: false,
    });
    expect(issuerCard().status).toBe('canceled');
    expect(await postAsHolder(CLOSE_PATH)).toEqual([200, undefined]);
    for (const path of [REVEAL_PATH, FREEZE_PATH, UNFREEZE_PATH])
      expect(await postAsHolder(path)).toEqual([409, 'card-closed']);
    expect(await readMyCard()).toMatchObject({
      card: null,
      lastClosed: { closedFor: 'holder', lastFour: issuerCard().last4 },
    });
    expect(await auditedActions()).toEqual([
      'wallet-owner card.created',
      'wallet-owner card.closing-by-holder',
      'wallet-owner card.closed',
    ]);
    const toHolder = (await deliveriesOf(reference)).filter((one) => one.includes('card-closed'));
    expect(toHolder).toEqual(['card-application.card-closed mail applicant']);
    expect(await deliveriesOf(cardId)).toEqual(['card.closed-by-holder mail team']);
    expect(await store().cards.cardsLeft('stripe')).toBe(left + 1);
  });

  it('is finished by a later check if the issuer does not answer, and blocks all other actions meanwhile', async () => {
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 9 });
    const answer = bodyOf(await client.post(CLOSE_PATH, wallet, { cardId }));
    expect(answer.card).toMatchObject({ state: 'active', isClosing: true });
    for (const path of [REVEAL_PATH, FREEZE_PATH, UNFREEZE_PATH])
      expect(await postAsHolder(path)).toEqual([409, 'card-closed']);
    expect(outcomeOf(await client.create(wallet))).toEqual([409, 'has-card']);
    expect(await deliveriesOf(cardId)).toEqual([]);
    await client.portal.checkCardStakes();
    expect((await readMyCard()).card).toMatchObject({ isClosing: true });
    fake.faults.length = 0;
    await client.portal.checkCardStakes();
    expect(issuerCard().status).toBe('canceled');
    expect((await readMyCard()).lastClosed).toMatchObject({ closedFor: 'holder' });
    expect(await deliveriesOf(cardId)).toEqual(['card.closed-by-holder mail team']);
  });

  it('is finished even if the process ended right after the issuer closed the card', async () => {
    const audit = { id: cardId, at: TEST_START, actor: 'wallet-owner', action: 'card.closing-by-holder' };
    await store().cards.change(cardId, 'closing', { ...audit, details: { cardId } });
    issuerCard().status = 'canceled';
    await client.portal.checkCardStakes();
    expect((await store().cards.card(cardId))?.state).toBe('closed');
    expect(await deliveriesOf(cardId)).toEqual(['card.closed-by-holder mail team']);
  });

  it('wins over a concurrent freeze, unfreeze or reveal', async () => {
    const paths = [FREEZE_PATH, CLOSE_PATH, UNFREEZE_PATH, REVEAL_PATH, CLOSE_PATH, FREEZE_PATH];
    const outcomes = await Promise.all(paths.map((path) => postAsHolder(path)));
    for (const [status, code] of outcomes)
      expect([200, 409], JSON.stringify(outcomes)).toContain(code === undefined ? status : 409);
    // The close call may have lost the race for the wallet’s mutex, so it is sent again.
    await postAsHolder(CLOSE_PATH);
    expect(issuerCard().status).toBe('canceled');
    expect((await store().cards.card(cardId))?.state).toBe('closed');
    expect(await postAsHolder(UNFREEZE_PATH)).toEqual([409, 'card-closed']);
    expect(await deliveriesOf(cardId)).toHaveLength(1);
  });

  it('counts as done by the team if the issuer froze the card, even after outages, but not if the holder froze it', async () => {
    issuerCard().status = 'inactive';
    fake.faults.push({
      kind: 'status',
      status: 503,
      matches: (method) => method === 'GET',
      remainingCalls: 9,
    });
    expect(bodyOf(await client.post(CLOSE_PATH, wallet, { cardId })).card).toMatchObject({ isClosing: true });
    fake.faults.splice(0, 1, { kind: 'status', status: 503, matches: isCardChange, remainingCalls: 9 });
    await client.portal.checkCardStakes();
    expect(issuerCard().status).toBe('inactive');
    fake.faults.length = 0;
    await client.portal.checkCardStakes();
    expect(issuerCard().status).toBe('canceled');
    expect(await readMyCard()).toMatchObject({ card: null, lastClosed: { closedFor: 'team' } });
    expect(outcomeOf(await client.create(wallet))).toEqual([403, 'closed-by-team']);
    expect((await auditedActions()).filter((one) => one === 'issuer card.frozen')).toHaveLength(1);

    wallet = newWallet();
    cardId = bodyOf(await client.create(wallet)).card.cardId;
    await postAsHolder(FREEZE_PATH);
    await postAsHolder(CLOSE_PATH);
    expect(outcomeOf(await client.create(wallet))).toEqual([409, 'closed-recently']);
  });

  it('does not allow another card until a day later', async () => {
    await postAsHolder(CLOSE_PATH);
    expect(outcomeOf(await client.create(wallet))).toEqual([409, 'closed-recently']);
    const order = { walletAddress: wallet, tier: 'Duckling', holderName: 'Ada', issuer: 'stripe' } as const;
    const at = TEST_START + PORTAL_LIMITS.newCardHours * 3_600_000;
    const later = { ...order, id: `${cardId}-2`, idempotencyKey: `${cardId}-2`, stakeEntries: [], at };
    expect(await store().cards.reserve(later)).toMatchObject({ outcome: 'reserved' });
    expect(createCard.errors).toContain('closed-recently');
  });
});

describe('the limits of a card', () => {
  const limits = (dailyLimit: number, monthlyLimit: number) => ({ dailyLimit, monthlyLimit });
  const changeLimits = (daily: number, monthly: number) => postAsHolder(LIMITS_PATH, limits(daily, monthly));
  const limitsAtIssuer = () =>
    issuerCard().spending_controls.spending_limits?.map(({ amount, interval }) => [amount, interval]);
  const readLimits = async () => (await readMyCard()).card?.limits;

  it('can be changed up to those of the tier, but raising one needs a fresh proof and the stake', async () => {
    expect(await readLimits()).toEqual({ daily: 2_000, monthly: 2_000, arePending: false });
    expect(await changeLimits(2_000, 60_000)).toEqual([200, undefined]);
    expect(limitsAtIssuer()).toEqual([
      [200_000, 'daily'],
      [6_000_000, 'monthly'],
    ]);
    expect(await changeLimits(2_001, 60_000)).toEqual([403, 'limits-above-tier']);
    expect(await changeLimits(2_000, 60_001)).toEqual([403, 'limits-above-tier']);
    expect(await readLimits()).toEqual({ daily: 2_000, monthly: 60_000, arePending: false });
    const late = TEST_START - FRESH_PROOF_SECONDS * 1_000 - 1;
    const post = (daily: number, monthly: number) =>
      client.post(LIMITS_PATH, wallet, { cardId, ...limits(daily, monthly) }, late);
    client.stakes.set(wallet, 0n);
    expect(outcomeOf(await post(10, 20))).toEqual([200, undefined]);
    expect(outcomeOf(await post(11, 20))).toEqual([401, 'fresh-proof-needed']);
    expect(await changeLimits(11, 20)).toEqual([403, 'insufficient-staking']);
    expect(outcomeOf(await client.post(LIMITS_PATH, newWallet(), { cardId, ...limits(1, 1) }))[1]).toBe(
      'no-such-card',
    );
    expect(await readLimits()).toEqual({ daily: 10, monthly: 20, arePending: false });
    expect((await auditedActions()).filter((one) => one.endsWith('limits-changed'))).toHaveLength(2);
  });

  it('must be positive whole dollars, and the monthly limit must not be below the daily one', async () => {
    for (const [dailyLimit, monthlyLimit] of [
      [0, 10],
      [-1, 10],
      [1.5, 10],
      [11, 10],
      ['10', 10],
      [1, 1e9],
      [null, null],
    ]) {
      const [status] = await postAsHolder(LIMITS_PATH, { dailyLimit, monthlyLimit });
      expect([dailyLimit, monthlyLimit, status]).toEqual([dailyLimit, monthlyLimit, 400]);
    }
    expect(await readLimits()).toMatchObject({ daily: 2_000, monthly: 2_000 });
  });

  it('are sent by the next check if the issuer does not answer, and reverted if it refuses them', async () => {
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 2 });
    expect(await changeLimits(5, 50)).toEqual([200, undefined]);
    expect(await readLimits()).toEqual({ daily: 5, monthly: 50, arePending: true });
    fake.faults.length = 0;
    await client.portal.checkCardStakes();
    expect(await readLimits()).toEqual({ daily: 5, monthly: 50, arePending: false });
    expect(limitsAtIssuer()?.[0]).toEqual([500, 'daily']);
    const error = { type: 'invalid_request_error' };
    fake.faults.push({ kind: 'status', status: 400, error, matches: isCardChange });
    expect(await changeLimits(6, 60)).toEqual([502, 'issuer-refused']);
    expect(await readLimits()).toEqual({ daily: 5, monthly: 50, arePending: false });
  });

  it('stay pending if they never reached the issuer and it refuses later ones', async () => {
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 2 });
    await changeLimits(5, 50);
    fake.faults.length = 0;
    const error = { type: 'invalid_request_error' };
    fake.faults.push({ kind: 'status', status: 400, error, matches: isCardChange });
    expect(await changeLimits(4, 40)).toEqual([502, 'issuer-refused']);
    expect(await readLimits()).toEqual({ daily: 5, monthly: 50, arePending: true });
    await client.portal.checkCardStakes();
    expect(limitsAtIssuer()?.[0]).toEqual([500, 'daily']);
    expect(await readLimits()).toEqual({ daily: 5, monthly: 50, arePending: false });
  });

  it('are lowered to those of the new tier after the stake falls, by the check or before the card is unfrozen', async () => {
    const reference = await submitApplication(store(), { walletAddress: wallet, isOwnershipProven: true });
    await client.stake(wallet, bd(7_500_000));
    expect(await changeLimits(50_000, 2_000_000)).toEqual([200, undefined]);
    await client.portal.checkCardStakes();
    expect(await readLimits()).toMatchObject({ daily: 50_000 });
    client.stakes.set(wallet, bd(5_000_000));
    await client.portal.checkCardStakes();
    // The index still has the higher stake.
    expect(await readLimits()).toMatchObject({ daily: 50_000 });
    await client.stake(wallet, bd(5_000_000));
    await client.portal.checkCardStakes();
    expect(await readLimits()).toEqual({ daily: 5_000, monthly: 150_000, arePending: false });
    expect(limitsAtIssuer()?.[1]).toEqual([15_000_000, 'monthly']);
    await client.stake(wallet, 0n);
    await client.portal.checkCardStakes();
    expect((await readMyCard()).card).toMatchObject({ frozenFor: 'no-stake', limits: { daily: 5_000 } });
    await client.stake(wallet, bd(1_500_000));
    expect(await postAsHolder(UNFREEZE_PATH)).toEqual([200, undefined]);
    expect(await readLimits()).toEqual({ daily: 2_000, monthly: 60_000, arePending: false });
    expect(limitsAtIssuer()?.[0]).toEqual([200_000, 'daily']);
    const notices = (await deliveriesOf(reference)).filter((one) => one.includes('limits-lowered'));
    expect(notices).toHaveLength(2);
  });

  it('are lowered to those of the new tier before another wallet can use the unstaked BD', async () => {
    await client.stake(wallet, bd(7_500_000));
    expect(await changeLimits(50_000, 2_000_000)).toEqual([200, undefined]);
    const second = newWallet();
    await client.stake(wallet, bd(1_500_000));
    await client.stake(second, bd(6_000_000));
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 9 });
    expect(outcomeOf(await client.create(second))).toEqual([502, 'issuer-unavailable']);
    fake.faults.length = 0;
    expect((await client.create(second)).status).toBe(200);
    expect(await readLimits()).toEqual({ daily: 2_000, monthly: 60_000, arePending: false });
    expect(limitsAtIssuer()?.[0]).toEqual([200_000, 'daily']);

    await client.stake(wallet, bd(5_000_000));
    expect(await changeLimits(3_000, 3_000)).toEqual([200, undefined]);
    await client.stake(wallet, bd(1_500_000));
    await client.stake(second, bd(7_500_000));
    const { card } = bodyOf(await client.get(myCard.path, second));
    const raised = await client.post(LIMITS_PATH, second, { cardId: card.cardId, ...limits(90_000, 90_000) });
    expect(outcomeOf(raised)).toEqual([200, undefined]);
    expect(limitsAtIssuer()?.[0]).toEqual([200_000, 'daily']);
  });
});

describe('messages about payments', () => {
  const atSeconds = TEST_START / 1_000;
  let eventCount = 0;
  async function deliver(type: string, object: object): Promise<number> {
    eventCount += 1;
    const id = `evt_${eventCount}`;
    const { body, signature } = fake.event({ id, type, object, at: atSeconds });
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
    const path = '/api/card-issuer/webhook';
    return (await ask(client.portal.port, path, { method: 'POST', headers, body })).status;
  }
  const deliverAuthorization = (id: string, changes: object = {}) =>
    deliver(
      'issuing_authorization.created',
      sampleStripeAuthorization(id, issuerCard(), { created: atSeconds, amount: 1_250, ...changes }),
    );
  const deliverTransaction = (id: string, changes: object = {}) =>
    deliver(
      'issuing_transaction.created',
      sampleStripeTransaction(id, issuerCard().id, { created: atSeconds, amount: -1_250, ...changes }),
    );
  const apply = () => submitApplication(store(), { walletAddress: wallet, isOwnershipProven: true });
  const readSpendNotices = async (reference: string) =>
    (await deliveriesOf(reference)).flatMap((one) => one.match(/card-spent:stripe:(\S+ \w+)/)?.[1] ?? []);

  it('need an address, and are off until the holder turns them on', async () => {
    expect(await readMyCard()).toMatchObject({
      noticesTo: null,
      applied: null,
      card: { hasSpendNotices: false },
    });
    expect(await postAsHolder(NOTICES_PATH, { isOn: true })).toEqual([409, 'no-notice-address']);
    const reference = await apply();
    expect(await deliverAuthorization(`iauth_${cardId.slice(0, 8)}`)).toBe(200);
    expect(await readSpendNotices(reference)).toEqual([]);
    expect(await postAsHolder(NOTICES_PATH, { isOn: true })).toEqual([200, undefined]);
    expect(await readMyCard()).toMatchObject({ noticesTo: 'email', card: { hasSpendNotices: true } });
    expect(outcomeOf(await client.post(NOTICES_PATH, newWallet(), { cardId, isOn: false }))[1]).toBe(
      'no-such-card',
    );
    expect(await postAsHolder(NOTICES_PATH, { isOn: 'yes' })).toEqual([400, 'invalid-body']);
  });

  it('report each payment, refund and declined payment once, by email and in the linked chat', async () => {
    const reference = await apply();
    const link = { id: cardId, referenceNumber: reference, issuedAt: TEST_START };
    await store().subscriptions.linkRecord(link, '77', TEST_START);
    await postAsHolder(NOTICES_PATH, { isOn: true });
    expect(await readMyCard()).toMatchObject({ noticesTo: 'email-and-telegram', applied: reference });
    const [first, second] = [`iauth_1${cardId.slice(0, 8)}`, `iauth_2${cardId.slice(0, 8)}`];
    await deliverAuthorization(first);
    await deliverTransaction('ipi_1', { authorization: first });
    const merchant_data = { name: '<b>Reed & Rush</b>\u0000' };
    await deliverAuthorization(second, { approved: false, merchant_data });
    await deliverAuthorization(`iauth_3${cardId.slice(0, 8)}`, { amount: 0 });
    await deliverTransaction(`ipi_2${cardId.slice(0, 8)}`, {
      amount: 500,
      type: 'refund',
      authorization: first,
    });
    await deliverTransaction(`ipi_3${cardId.slice(0, 8)}`);
    const ids = [first, second, ...[2, 3].map((one) => `ipi_${one}${cardId.slice(0, 8)}`)];
    expect((await readSpendNotices(reference)).toSorted()).toEqual(
      ids.flatMap((id) => [`${id} mail`, `${id} telegram`]).toSorted(),
    );
    expect(await store().cards.spend(`stripe:${first}`)).toMatchObject({ amount: 1_250n, isDeclined: false });
    expect(await store().cards.spend(`stripe:${second}`)).toMatchObject({
      merchant: '<b>Reed & Rush</b>',
      isDeclined: true,
    });
    expect(await store().cards.spend(`stripe:${ids[2]}`)).toMatchObject({ amount: -500n });
    const delivery = { event: `card-application.card-spent:stripe:${first}`, referenceNumber: reference };
    const text = composeApplicantNotice(delivery, 'https://portal.example.com');
    expect(text).not.toMatch(/12\.50|Rocket/);
    expect(text).toContain('/virtual-card');
    expect(text).toContain('a refund or a declined payment');
    const closed = { event: 'card-application.card-closed', referenceNumber: reference };
    const ofClosing = composeApplicantNotice(closed, 'https://portal.example.com');
    expect(ofClosing).toContain('There is news about your virtual card.');
    expect(ofClosing).not.toContain('team has answered');
    // A message about a payment does not make the portal read the card’s state from the issuer.
    const reads = fake.requests.filter((one) => one.startsWith('GET /v1/issuing/cards/')).length;
    await deliverAuthorization(`iauth_4${cardId.slice(0, 8)}`);
    expect(fake.requests.filter((one) => one.startsWith('GET /v1/issuing/cards/'))).toHaveLength(reads);
  });

  it('are not sent for webhook messages that lack the published shape', async () => {
    const reference = await apply();
    await postAsHolder(NOTICES_PATH, { isOn: true });
    expect(await deliverAuthorization('iauth_x', { currency: 'eur' })).toBe(200);
    expect(await deliverAuthorization('iauth_y', { amount: '1' })).toBe(200);
    expect(await deliverAuthorization('not an id')).toBe(200);
    expect(await readSpendNotices(reference)).toEqual([]);
  });

  it('are also sent for the made-up payments of a test card', async () => {
    const sandbox = await startCardClient();
    const owner = newWallet();
    const made = bodyOf(await sandbox.create(owner)).card.cardId;
    const reference = await submitApplication(sandbox.portal.store, {
      walletAddress: owner,
      isOwnershipProven: true,
    });
    expect((await sandbox.post(NOTICES_PATH, owner, { cardId: made, isOn: true })).status).toBe(200);
    await sandbox.setClock(TEST_START + 9 * 86_400_000);
    for (let check = 0; check < 2; check += 1) await sandbox.portal.checkCardStakes();
    const { deliveries } = sandbox.portal.store;
    const events = (await deliveries.deliveriesOf(reference)).map(({ event }) => event);
    const spent = events.filter((event) => event.includes('card-spent'));
    expect(spent.length).toBeGreaterThan(1);
    expect(new Set(spent).size).toBe(spent.length);
    await sandbox.close();
  });
});
