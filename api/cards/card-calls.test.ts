// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cardFunding,
  cardUsage,
  createCard,
  FRESH_PROOF_SECONDS,
  freezeCard,
  myCard,
  revealCard,
} from '../../data/contract/cards.ts';
import { TEST_START } from '../testing/fake-index.ts';
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

let wallet: string;
let otherWallet: string;
const MINE_PATH = '/api/virtual-card/mine';
const USAGE_PATH = '/api/virtual-card/usage';

let client: CardClient;
beforeAll(async () => {
  client = await startCardClient();
});
beforeEach(() => {
  wallet = newWallet();
  otherWallet = newWallet();
});
afterAll(() => client.close());

async function createCardId(): Promise<string> {
  return bodyOf(await client.create(wallet)).card.cardId;
}
const auditedActions = async (cardId: string) =>
  (await client.portal.store.auditTrail(999))
    .filter(({ details }) => details.cardId === cardId)
    .map(({ actor, action }) => `${actor} ${action}`)
    .toReversed();
const cardsLeft = () => client.portal.store.cards.cardsLeft('sandbox');

describe('creating a card', () => {
  it('returns the card number and CVV once, to the owner of a wallet with a sufficient stake', async () => {
    const left = await cardsLeft();
    const answer = await client.create(wallet, "Ann O'Neil");
    const body = createCard.response.parse(bodyOf(answer));
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      cardNumber: '4242424242424242',
      holderName: "Ann O'Neil",
      card: { state: 'active', tier: 'Duckling', lastFour: '4242', isTestCard: true },
    });
    expect(body.card.expiryDate).toBe(body.expiryDate);
    const again = await client.create(wallet);
    expect(outcomeOf(again)).toEqual([409, 'has-card']);
    expect(again.body).not.toContain('4242');
    const mine = await client.get(MINE_PATH, wallet);
    expect(myCard.response.parse(bodyOf(mine))).toEqual({
      card: body.card,
      lastClosed: null,
      noticesTo: null,
      applied: null,
      cardholderFields: [],
      cardsLeft: left - 1,
    });
    expect(myCard.response.parse(bodyOf(await client.get(MINE_PATH, otherWallet))).card).toBeNull();
    expect(await auditedActions(body.card.cardId)).toEqual(['wallet-owner card.created']);
  });

  it.each([
    ['1,499,999 BD', bd(1_499_999), 'Need 1 more BD staked'],
    ['one base unit too few', bd(1_500_000) - 1n, 'Need 0.000001 more BD staked'],
    ['1 BD', bd(1), 'Need 1,499,999 more BD staked'],
    ['nothing', 0n, 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
  ])(
    'is refused for a wallet that stakes %s, with the text from the specification',
    async (_case, staked, hint) => {
      client.stakes.set(wallet, staked);
      const answer = await client.create(wallet);
      expect(outcomeOf(answer)).toEqual([403, 'insufficient-staking']);
      expect(bodyOf(answer).error).toBe(`MINIMUM 1,500,000 BD TOKENS REQUIRED FOR STAKING. ${hint}.`);
      expect(await client.portal.store.cards.cardOf(wallet)).toBeNull();
    },
  );

  it('uses the stake at the time of the call', async () => {
    client.stakes.set(wallet, 0n);
    expect(outcomeOf(await client.create(wallet))).toEqual([403, 'insufficient-staking']);
    client.stakes.set(wallet, bd(5_000_000));
    expect(bodyOf(await client.create(wallet)).card.tier).toBe('Banker');
  });

  it('is refused while the stake cannot be read', async () => {
    client.stakes.set(wallet, null);
    expect(outcomeOf(await client.create(wallet))).toEqual([503, 'chain-unreadable']);
    expect(await client.portal.store.cards.cardOf(wallet)).toBeNull();
  });

  it('uses the higher of the staked tier and the whitelisted tier', async () => {
    const whitelisted = await startCardClient();
    for (const one of [wallet, otherWallet]) await whitelistWallet(whitelisted.portal.store, one, 'Banker');
    whitelisted.stakes.set(wallet, 0n);
    whitelisted.stakes.set(otherWallet, bd(9_000_000));
    expect(bodyOf(await whitelisted.create(wallet)).card.tier).toBe('Banker');
    expect(bodyOf(await whitelisted.create(otherWallet)).card.tier).toBe('Raven');
    await whitelisted.close();
  });
});

describe('a call about a card', () => {
  it('never creates, reveals or changes another wallet’s card', async () => {
    const cardId = await createCardId();
    const order = { walletAddress: wallet, holderName: 'Some One' };
    const created = await client.post(createCard.path, otherWallet, order);
    expect(outcomeOf(created)).toEqual([401, 'wallet-not-proven']);
    for (const path of [REVEAL_PATH, FREEZE_PATH, UNFREEZE_PATH]) {
      const answers = [
        await client.post(path, otherWallet, { cardId }),
        await client.post(path, otherWallet, { cardId: 'no' }),
      ];
      // Equal bodies do not reveal whether the card exists.
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      for (const answer of answers) expect(outcomeOf(answer)).toEqual([404, 'no-such-card']);
    }
    expect(outcomeOf(await client.get(USAGE_PATH, otherWallet))).toEqual([404, 'no-such-card']);
  });

  it.each<[string, object]>([
    ['no name', {}],
    ['a name of one letter', { holderName: 'A' }],
    ['a name of 25 letters', { holderName: 'A'.repeat(25) }],
    ['HTML', { holderName: '<b>Ann</b>' }],
    ['SQL', { holderName: "'; DROP TABLE cards; --" }],
    ['digits', { holderName: '4242 4242' }],
    ['a line break', { holderName: 'Ann\nNeil' }],
    ['a name that is not text', { holderName: 5 }],
    ['an unknown field', { holderName: 'Ann Neil', tier: 'Raven' }],
  ])('is rejected with %s, and no card is created', async (_case, fields) => {
    const answer = await client.post(createCard.path, wallet, { walletAddress: wallet, ...fields });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain('DROP');
    expect(await client.portal.store.cards.cardOf(wallet)).toBeNull();
  });

  it('counts towards the rate limits for its IP address and its wallet', async () => {
    const strict = await startCardClient({ rateLimits: { 'card-reads': 2, 'card-reads-of-wallet': 2 } });
    const answers = [];
    for (let call = 0; call < 3; call += 1) answers.push(await strict.get(MINE_PATH, wallet));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const elsewhere = await strict.get(MINE_PATH, wallet, { 'X-Forwarded-For': '198.51.100.7' });
    expect(elsewhere.status).toBe(429);
    await strict.close();
  });
});

describe('a card', () => {
  it('is revealed after a fresh ownership proof, and the audit trail records it', async () => {
    const cardId = await createCardId();
    const provedAt = TEST_START - FRESH_PROOF_SECONDS * 1_000;
    const shown = await client.post(REVEAL_PATH, wallet, { cardId }, provedAt);
    expect(shown.headers['cache-control']).toBe('no-store');
    expect(revealCard.response.parse(bodyOf(shown)).cardNumber).toBe('4242424242424242');
    const late = await client.post(REVEAL_PATH, wallet, { cardId }, provedAt - 1);
    expect(outcomeOf(late)).toEqual([401, 'fresh-proof-needed']);
    expect(await auditedActions(cardId)).toEqual(['wallet-owner card.created', 'wallet-owner card.revealed']);
  });

  it('is frozen and unfrozen; freezing twice changes nothing', async () => {
    const cardId = await createCardId();
    const frozen = await client.post(FREEZE_PATH, wallet, { cardId });
    expect(freezeCard.response.parse(bodyOf(frozen)).card.state).toBe('frozen');
    expect(bodyOf(await client.post(FREEZE_PATH, wallet, { cardId })).card.state).toBe('frozen');
    expect(bodyOf(await client.get(MINE_PATH, wallet)).card.state).toBe('frozen');
    expect(outcomeOf(await client.create(wallet))).toEqual([409, 'has-card']);
    expect(bodyOf(await client.post(UNFREEZE_PATH, wallet, { cardId })).card.state).toBe('active');
    expect(await auditedActions(cardId)).toEqual([
      'wallet-owner card.created',
      'wallet-owner card.frozen',
      'wallet-owner card.unfrozen',
    ]);
  });

  it('is neither revealed nor unfrozen without the stake, but can still be frozen', async () => {
    const cardId = await createCardId();
    for (const [staked, refusal] of [
      [0n, [403, 'insufficient-staking']],
      [bd(1_500_000) - 1n, [403, 'insufficient-staking']],
      [null, [503, 'chain-unreadable']],
    ] as const) {
      client.stakes.set(wallet, staked);
      const shown = await client.post(REVEAL_PATH, wallet, { cardId });
      expect(outcomeOf(shown)).toEqual(refusal);
      expect(shown.body).not.toContain('4242');
      expect(bodyOf(await client.post(FREEZE_PATH, wallet, { cardId })).card.state).toBe('frozen');
      expect(outcomeOf(await client.post(UNFREEZE_PATH, wallet, { cardId }))).toEqual(refusal);
      expect(bodyOf(await client.get(MINE_PATH, wallet)).card.state).toBe('frozen');
    }
    client.stakes.set(wallet, bd(1_500_000));
    expect((await client.post(REVEAL_PATH, wallet, { cardId })).status).toBe(200);
    expect(bodyOf(await client.post(UNFREEZE_PATH, wallet, { cardId })).card.state).toBe('active');
  });

  it('of a whitelisted wallet is revealed and unfrozen without a stake', async () => {
    const whitelisted = await startCardClient();
    await whitelistWallet(whitelisted.portal.store, wallet, 'Duckling');
    whitelisted.stakes.set(wallet, 0n);
    const { cardId } = bodyOf(await whitelisted.create(wallet)).card;
    expect((await whitelisted.post(REVEAL_PATH, wallet, { cardId })).status).toBe(200);
    await whitelisted.post(FREEZE_PATH, wallet, { cardId });
    expect(bodyOf(await whitelisted.post(UNFREEZE_PATH, wallet, { cardId })).card.state).toBe('active');
    await whitelisted.close();
  });

  it('has a monthly total that matches its transactions, which are marked as tests', async () => {
    const later = await startCardClient();
    await later.create(wallet);
    await later.portal.pollAt(TEST_START + 40 * 86_400_000);
    const usage = cardUsage.response.parse(bodyOf(await later.get(USAGE_PATH, wallet)));
    expect(usage).toMatchObject({ dailyLimit: '2000', monthlyLimit: '2000' });
    expect(usage.transactions.length).toBeGreaterThan(3);
    for (const { merchant } of usage.transactions) expect(merchant).toMatch(/^TEST: /);
    const month = usage.asOf.slice(0, 7);
    const cents = usage.transactions
      .filter(({ at, state }) => at.startsWith(month) && state !== 'declined')
      .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    expect(Number(usage.spentThisMonth)).toBe(cents / 100);
    expect(bodyOf(await later.get(USAGE_PATH, wallet))).toEqual(usage);
    await later.close();
  });
});

describe('the funding address', () => {
  it('is the configured one; without one, funding is closed', async () => {
    expect(bodyOf(await client.get(cardFunding.path, null))).toEqual({
      isOpen: false,
      address: null,
      token: 'USDT',
      network: 'ERC-20',
      isTestCard: true,
      isCreditedAutomatically: false,
    });
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const open = await startCardClient({ fundingAddress: address });
    const funding = bodyOf(await open.get(cardFunding.path, null));
    expect(cardFunding.response.parse(funding)).toMatchObject({ isOpen: true, address });
    await open.close();
  });
});

it('the sandbox accepts no webhook messages', async () => {
  const answer = await client.post('/api/card-issuer/webhook', null, {});
  expect(outcomeOf(answer)).toEqual([404, 'no-issuer-messages']);
});
