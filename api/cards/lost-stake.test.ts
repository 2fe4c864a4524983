// @module-tag slow
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { myCard } from '../../data/contract/cards.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { MAX_CARDS } from '../../data/model/tiers.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { whitelistWallet } from '../testing/test-wallet.ts';
import {
  bd,
  bodyOf,
  type CardClient,
  FREEZE_PATH,
  newWallet,
  outcomeOf,
  REVEAL_PATH,
  startCardClient,
  UNFREEZE_PATH,
} from './testing/card-client.ts';
import { type FakeStripe, isCardChange, isCardRead } from './testing/fake-stripe.ts';
import { type FakeStripeCardClient, startCardClientOnFakeStripe } from './testing/fake-stripe-card-client.ts';

const DAY_MS = 86_400_000;
const CLOSES_AT = TEST_START + PORTAL_LIMITS.lostStakeDays * DAY_MS;

let client: CardClient;
let wallet: string;
let secondWallet: string;
let cardId: string;
async function startWithCard<Client extends CardClient>(started: Client): Promise<Client> {
  client = started;
  wallet = newWallet();
  secondWallet = newWallet();
  await client.stake(secondWallet, 0n);
  cardId = bodyOf(await client.create(wallet)).card.cardId;
  return started;
}
const startOnSandbox = async () => void (await startWithCard(await startCardClient()));
afterEach(() => client.close());

const stateOf = async (holder: string) => (await client.portal.store.cards.cardOf(holder))?.state ?? null;
const checkStakes = () => client.portal.checkCardStakes();
const readMyCard = async () => myCard.response.parse(bodyOf(await client.get(myCard.path, wallet)));
const auditedActions = async () =>
  (await client.portal.store.auditTrail(99))
    .filter(({ details }) => details.cardId === cardId)
    .map(({ actor, action }) => `${actor} ${action}`)
    .toReversed();

describe('one stake, one card', () => {
  beforeEach(startOnSandbox);

  it('the same tokens staked from a second wallet leave only one usable card (ASVS 2.3.4)', async () => {
    await client.stake(wallet, 0n);
    await client.stake(secondWallet, bd(2_000_000));
    expect((await client.create(secondWallet)).status).toBe(200);
    expect([await stateOf(wallet), await stateOf(secondWallet)]).toEqual(['frozen', 'active']);
    expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([
      403,
      'insufficient-staking',
    ]);
    // The stake moves back: the second card is frozen before the first one is unfrozen.
    await client.stake(secondWallet, 0n);
    await client.stake(wallet, bd(2_000_000));
    expect(bodyOf(await client.post(UNFREEZE_PATH, wallet, { cardId })).card.state).toBe('active');
    expect([await stateOf(wallet), await stateOf(secondWallet)]).toEqual(['active', 'frozen']);
  });

  it('a stake that the index does not show yet makes no card usable, because an earlier unstaking may be missing too', async () => {
    client.stakes.set(wallet, 0n);
    client.stakes.set(secondWallet, bd(2_000_000));
    const { index } = client.portal;
    await client.stake(secondWallet, bd(2_000_000));
    const shown = index.storedStakes;
    index.storedStakes = {
      ...shown,
      entries: shown.entries.filter((entry) => entry.wallet !== secondWallet),
    };
    index.commitChain({ entryChanges: 9_999 });
    await client.portal.pollAt(TEST_START);
    // The stake entry is on the chain, but not yet in the index.
    index.storedStakes = shown;
    expect(outcomeOf(await client.create(secondWallet))).toEqual([503, 'not-indexed-yet']);
    index.commitChain({ readAt: TEST_START - 120_000, entryChanges: 10_000 });
    await client.portal.pollAt(TEST_START);
    expect(outcomeOf(await client.create(secondWallet))).toEqual([503, 'not-indexed-yet']);
    expect([await stateOf(wallet), await stateOf(secondWallet)]).toEqual(['active', null]);
  });

  it('a stake entry that counts for a live card counts for no other card', async () => {
    const entry = (await client.portal.store.cards.card(cardId))?.stakeEntries ?? [];
    expect(entry).toHaveLength(1);
    const { index } = client.portal;
    await client.stake(secondWallet, bd(2_000_000));
    const entries = index.storedStakes.entries.map((one) =>
      one.wallet === secondWallet ? { ...one, address: entry[0] ?? '' } : one,
    );
    index.storedStakes = { ...index.storedStakes, entries };
    index.commitChain({ entryChanges: 9_999 });
    await client.portal.pollAt(TEST_START);
    expect(outcomeOf(await client.create(secondWallet))).toEqual([409, 'stake-in-use']);
  });
});

it('a card of a higher tier needs the stake of that tier, not just the lowest minimum (ASVS 2.3.4)', async () => {
  await startOnSandbox();
  await client.stake(secondWallet, bd(7_500_000));
  const { card } = bodyOf(await client.create(secondWallet));
  expect(card.tier).toBe('Raven');
  await client.stake(secondWallet, bd(7_499_999));
  expect(outcomeOf(await client.post(REVEAL_PATH, secondWallet, { cardId: card.cardId }))).toEqual([
    403,
    'insufficient-staking',
  ]);
  await checkStakes();
  const refused = await client.post(UNFREEZE_PATH, secondWallet, { cardId: card.cardId });
  expect(outcomeOf(refused)).toEqual([403, 'insufficient-staking']);
  expect(refused.body).toContain('7,500,000');
  expect(await stateOf(secondWallet)).toBe('frozen');
  await client.stake(secondWallet, bd(7_500_000));
  expect((await client.post(UNFREEZE_PATH, secondWallet, { cardId: card.cardId })).status).toBe(200);
});

describe('the scheduled check of a card’s stake', () => {
  beforeEach(startOnSandbox);

  it('freezes the card once its stake is gone, with a closing date, until its holder stakes again and unfreezes it', async () => {
    await client.stake(wallet, 0n);
    await checkStakes();
    expect((await readMyCard()).card).toMatchObject({
      state: 'frozen',
      frozenFor: 'no-stake',
      closesAt: new Date(CLOSES_AT).toISOString(),
    });
    expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([
      403,
      'insufficient-staking',
    ]);
    await client.stake(wallet, bd(1_500_000));
    await client.setClock(CLOSES_AT - 1);
    await checkStakes();
    const { card } = bodyOf(await client.post(UNFREEZE_PATH, wallet, { cardId }));
    expect(card).toMatchObject({ state: 'active', frozenFor: null, closesAt: null });
    expect(await auditedActions()).toEqual([
      'wallet-owner card.created',
      'system card.frozen-without-stake',
      'wallet-owner card.unfrozen',
    ]);
  });

  it('closes a frozen card on the announced date, so that one more card can be created (ASVS 2.3.2)', async () => {
    await client.stake(wallet, 0n);
    await checkStakes();
    const { store } = client.portal;
    const left = await store.cards.cardsLeft('sandbox');
    await client.setClock(CLOSES_AT - 1);
    await checkStakes();
    expect(await stateOf(wallet)).toBe('frozen');
    await client.setClock(CLOSES_AT);
    await checkStakes();
    expect(await store.cards.cardsLeft('sandbox')).toBe(left + 1);
    expect(left + 1).toBe(MAX_CARDS);
    expect(await readMyCard()).toMatchObject({
      card: null,
      lastClosed: { closedFor: 'no-stake', lastFour: '4242' },
    });
    expect((await auditedActions()).at(-1)).toBe('system card.closed-without-stake');
    await client.stake(wallet, bd(5_000_000));
    expect(bodyOf(await client.create(wallet)).card.tier).toBe('Banker');
  });

  it('does not close a card while the index is stale', async () => {
    await client.stake(wallet, 0n);
    await checkStakes();
    await client.portal.pollAt(CLOSES_AT);
    await checkStakes();
    expect(await stateOf(wallet)).toBe('frozen');
  });

  it('does not close a card whose stake came back before the announced date', async () => {
    await client.stake(wallet, 0n);
    await checkStakes();
    await client.stake(wallet, bd(2_000_000));
    await client.setClock(CLOSES_AT);
    await checkStakes();
    expect((await readMyCard()).card).toMatchObject({ state: 'frozen', frozenFor: null, closesAt: null });
    expect((await auditedActions()).at(-1)).toBe('system card.stake-found');
  });

  it.each<[string, () => Promise<void>]>([
    ['while the index is stale', () => client.portal.pollAt(TEST_START + 60_001)],
    [
      'while the stakes cannot be read',
      async () => {
        client.portal.index.commitChain({ stakesProblem: 'no such program' });
        await client.portal.pollAt(TEST_START);
      },
    ],
    ['while the chain cannot be read', async () => void client.stakes.set(wallet, null)],
    ['if the chain still shows the stake', async () => void client.stakes.set(wallet, bd(1_500_000))],
    ['if the wallet is whitelisted', () => whitelistWallet(client.portal.store, wallet, 'Duckling')],
  ])('changes nothing %s', async (_case, prepare) => {
    await client.stake(wallet, 0n);
    await prepare();
    await checkStakes();
    expect(await stateOf(wallet)).toBe('active');
    expect(await auditedActions()).toEqual(['wallet-owner card.created']);
  });

  it('records the lost stake of a card that its holder froze, so that the card is closed later', async () => {
    await client.post(FREEZE_PATH, wallet, { cardId });
    await client.stake(wallet, 0n);
    await checkStakes();
    expect((await readMyCard()).card).toMatchObject({ state: 'frozen', frozenFor: 'no-stake' });
  });

  it('logs no personal data', async () => {
    const { store, logLines } = client.portal;
    const applicant = { walletAddress: wallet, isOwnershipProven: true, email: 'ada@example.com' };
    const referenceNumber = await submitApplication(store, applicant);
    await client.stake(wallet, 0n);
    await checkStakes();
    const events = (await store.deliveries.deliveriesOf(referenceNumber)).map(({ event }) => event);
    expect(events).toContain('card-application.card-frozen');
    expect(logLines.join()).not.toMatch(/ada@example|card-frozen/);
    expect(logLines.join()).not.toContain(wallet);
  });
});

describe('a card at an issuer that can fail', () => {
  let fake: FakeStripe;
  let stripe: FakeStripeCardClient;
  beforeEach(async () => {
    stripe = await startWithCard(await startCardClientOnFakeStripe());
    fake = stripe.fake;
    await stripe.stake(wallet, 0n);
  });
  const checkStripeStakes = () => stripe.portal.checkCardStakes();
  const storedCard = () => stripe.portal.store.cards.card(cardId);
  function issuerCard() {
    const card = [...fake.cards.values()].at(-1);
    if (!card) throw new Error('the issuer has no card');
    return card;
  }
  const cardStates = async () => [issuerCard().status, (await storedCard())?.state];

  it('is frozen or closed by a later check if the issuer does not answer, and keeps its stored state until then', async () => {
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 3 });
    await checkStripeStakes();
    expect(await cardStates()).toEqual(['active', 'active']);
    expect(stripe.portal.logLines.join()).not.toContain(wallet);
    fake.faults.length = 0;
    await checkStripeStakes();
    expect(await cardStates()).toEqual(['inactive', 'frozen']);
    await stripe.setClock(CLOSES_AT);
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 3 });
    await checkStripeStakes();
    expect(await cardStates()).toEqual(['inactive', 'frozen']);
    fake.faults.length = 0;
    await checkStripeStakes();
    expect(await cardStates()).toEqual(['canceled', 'closed']);
  });

  it('is frozen and closed only once if the portal stops between the issuer’s answer and the store update', async () => {
    const { cards } = stripe.portal.store;
    const crash = () => vi.spyOn(cards, 'change').mockRejectedValueOnce(new Error('the process is killed'));
    crash();
    await expect(checkStripeStakes()).rejects.toThrow('killed');
    expect(await cardStates()).toEqual(['inactive', 'active']);
    await checkStripeStakes();
    expect(await storedCard()).toMatchObject({ state: 'frozen', stakeGoneAt: TEST_START });
    await stripe.setClock(CLOSES_AT);
    crash();
    await expect(checkStripeStakes()).rejects.toThrow('killed');
    expect(await cardStates()).toEqual(['canceled', 'frozen']);
    await checkStripeStakes();
    expect(await cardStates()).toEqual(['canceled', 'closed']);
    expect(await cards.cardsLeft('stripe')).toBe(MAX_CARDS);
  });

  it('keeps the issuer’s own freeze: a new stake does not lift it', async () => {
    issuerCard().status = 'inactive';
    await checkStripeStakes();
    expect(await cardStates()).toEqual(['inactive', 'frozen']);
    await stripe.stake(wallet, bd(2_000_000));
    expect(outcomeOf(await stripe.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual([
      409,
      'frozen-by-issuer',
    ]);
    expect(await cardStates()).toEqual(['inactive', 'frozen']);
  });

  const lostAnswer = { kind: 'status', status: 503, matches: isCardChange, afterHandling: true } as const;
  async function reportCard() {
    const event = fake.event({ id: 'evt_canceled', object: issuerCard(), at: TEST_START / 1_000 });
    await ask(stripe.portal.port, '/api/card-issuer/webhook', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': event.signature },
      body: event.body,
    });
  }
  it.each([
    ['closed', [], async () => {}],
    ['found closed by the next check', [lostAnswer], checkStripeStakes],
    ['reported as closed', [lostAnswer], reportCard],
  ] as const)(
    'bars its wallet from another card if the issuer had frozen it before it was %s',
    async (_case, faults, finish) => {
      issuerCard().status = 'inactive';
      await checkStripeStakes();
      await stripe.setClock(CLOSES_AT);
      fake.faults.push(...faults);
      await checkStripeStakes();
      await finish();
      expect(await cardStates()).toEqual(['canceled', 'closed']);
      expect(await stripe.portal.store.cards.cardsLeft('stripe')).toBe(MAX_CARDS);
      await stripe.stake(wallet, bd(2_000_000));
      expect(outcomeOf(await stripe.create(wallet))).toEqual([403, 'closed-by-team']);
    },
  );

  it.each([
    ['canceled', 'closed'],
    ['inactive', 'frozen'],
  ] as const)(
    'is found to be %s by the first daily comparison that the issuer answers, without a webhook message',
    async (status, state) => {
      const cardOfWallet = issuerCard();
      const others = [secondWallet, newWallet()];
      for (const holder of [wallet, ...others]) await stripe.stake(holder, bd(2_000_000));
      for (const holder of others) await stripe.create(holder);
      await checkStripeStakes();
      const applicant = { walletAddress: wallet, isOwnershipProven: true };
      const referenceNumber = await submitApplication(stripe.portal.store, applicant);
      cardOfWallet.status = status;
      await checkStripeStakes();
      expect((await storedCard())?.state).toBe('active');
      await stripe.setClock(TEST_START + DAY_MS);
      fake.faults.push({ kind: 'status', status: 503, matches: isCardRead, remainingCalls: 9 });
      const requestsBefore = fake.requests.length;
      await checkStripeStakes();
      expect(fake.requests.length - requestsBefore).toBe(2);
      fake.faults.length = 0;
      await checkStripeStakes();
      expect((await storedCard())?.state).toBe(state);
      const events = (await stripe.portal.store.deliveries.deliveriesOf(referenceNumber)).map(
        ({ event }) => event,
      );
      expect(events).toContain(`card-application.card-${state}-by-issuer`);
    },
  );

  it('is left for the next check once the portal stops', async () => {
    for (const holder of [wallet, secondWallet]) await stripe.stake(holder, bd(2_000_000));
    await stripe.create(secondWallet);
    const stop = new AbortController();
    fake.onHandled = () => stop.abort();
    const requestsBefore = fake.requests.length;
    await stripe.portal.checkCardStakes(stop.signal);
    expect(fake.requests.slice(requestsBefore)).toEqual([expect.stringContaining('GET /v1/issuing/cards/')]);
  });

  it.each([
    ['it (they are compared in the same check)', 1],
    ['it and the next one (they are compared in the next check)', 2],
  ])(
    'does not keep other cards from being compared if the issuer does not answer about %s',
    async (_case, silentCount) => {
      const { cards } = stripe.portal.store;
      for (const holder of [wallet, secondWallet, newWallet()]) {
        await stripe.stake(holder, bd(2_000_000));
        await stripe.create(holder);
      }
      await checkStripeStakes();
      const inOrder = await cards.usableCards('stripe');
      const silent = inOrder.slice(0, silentCount).map(({ issued }) => issued?.issuerCardId ?? '');
      const isSilent: typeof isCardRead = (method, path) =>
        isCardRead(method, path) && silent.some((id) => path.includes(id));
      fake.faults.push({ kind: 'status', status: 503, matches: isSilent, remainingCalls: 9 });
      for (const card of fake.cards.values()) card.status = 'inactive';
      await stripe.setClock(TEST_START + DAY_MS);
      for (let check = 0; check < silentCount; check += 1) await checkStripeStakes();
      const states = await Promise.all(inOrder.map(async ({ id }) => (await cards.card(id))?.state));
      expect(states).toEqual(['active', silentCount === 1 ? 'frozen' : 'active', 'frozen']);
    },
  );

  it('counts as closed by its issuer if the issuer closes it before the announced date', async () => {
    await checkStripeStakes();
    issuerCard().status = 'canceled';
    await stripe.setClock(TEST_START + DAY_MS);
    await checkStripeStakes();
    const answer = myCard.response.parse(bodyOf(await stripe.get(myCard.path, wallet)));
    expect(answer).toMatchObject({ card: null, lastClosed: { closedFor: 'issuer' } });
  });

  it('keeps other wallets from using its stake until it is frozen', async () => {
    await stripe.stake(secondWallet, bd(2_000_000));
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 9 });
    expect(outcomeOf(await stripe.create(secondWallet))).toEqual([502, 'issuer-unavailable']);
    expect(fake.cards.size).toBe(1);
    fake.faults.length = 0;
    expect((await stripe.create(secondWallet)).status).toBe(200);
    expect((await storedCard())?.state).toBe('frozen');
  });
});
