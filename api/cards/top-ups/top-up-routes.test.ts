import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminTopUps, bookTopUp, settleTopUp } from '../../../data/contract/admin-top-ups.ts';
import { cardFunding, cardTopUps } from '../../../data/contract/cards.ts';
import { toDecimalUsdt, topUpFee } from '../../../data/model/top-ups.ts';
import { sampleTransfer, TEST_FEED } from '../../../data/store/testing/sample-top-ups.ts';
import { askAs, signedInAdmin } from '../../admin/testing/team.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { bodyOf, type CardClient, newWallet, outcome, startCardClient } from '../testing/card-client.ts';

const TAG = 123_455;
const idOf = (name: string) => `1-0x${Buffer.from(name).toString('hex').padStart(64, '0')}-7`;

let client: CardClient;
let wallet: string;
let cardId: string;
let reviewer: string;
let viewer: string;
beforeEach(async () => {
  client = await startCardClient({
    topUpFeed: TEST_FEED.id,
    fundingAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  const { store } = client.portal;
  reviewer = (await signedInAdmin(store, { role: 'reviewer', at: TEST_START, username: 'grace' })).token;
  viewer = (await signedInAdmin(store, { role: 'viewer', at: TEST_START, username: 'alan' })).token;
  wallet = newWallet();
  cardId = bodyOf(await client.create(wallet)).card.cardId;
  await store.topUps.begin(TEST_FEED);
});
afterEach(() => client.close());

const follow = (final: readonly ReturnType<typeof sampleTransfer>[], confirming = final.slice(0, 0)) =>
  client.portal.store.topUps.commit({
    ...{ feed: TEST_FEED.id, from: TEST_FEED.block, block: 110, blockHash: '0x', at: TEST_START },
    ...{ final, confirming },
  });
const mine = async (of = wallet) => client.get(cardTopUps.path, of);
const listTopUps = async (token = viewer) =>
  adminTopUps.response.parse(bodyOf(await askAs(client.portal, token, adminTopUps.path)));
const send = (token: string, path: string, body: object) => askAs(client.portal, token, path, body);

describe('the top-ups of a card', () => {
  it('are shown to the proven owner, with the decimals that identify the card once they are assigned', async () => {
    expect(cardTopUps.response.parse(bodyOf(await mine()))).toMatchObject({
      cardId,
      decimals: null,
      topUps: [],
    });
    await client.portal.store.topUps.assignTags(() => TAG);
    const amount = 100_000_000n + BigInt(TAG);
    await follow([sampleTransfer(idOf('a'), { amount })], [sampleTransfer(idOf('b'), { amount, at: 9_000 })]);
    const answer = cardTopUps.response.parse(bodyOf(await mine()));
    expect(answer.decimals).toBe(String(TAG));
    const { fee, credited } = topUpFee(amount);
    expect(answer.topUps).toMatchObject([
      { state: 'confirming', amount: '100.123455', fee: null, credited: null },
      {
        ...{ state: 'credited', transaction: idOf('a').split('-')[1], amount: '100.123455' },
        ...{ fee: toDecimalUsdt(fee), credited: toDecimalUsdt(credited) },
      },
    ]);
    // The sender must stay private.
    expect(JSON.stringify(answer)).not.toContain('000000aa');
    expect(outcome(await mine(newWallet()))).toEqual([404, 'no-such-card']);
    expect(outcome(await client.get(cardTopUps.path, null))).toEqual([401, 'wallet-not-proven']);
    expect(bodyOf(await client.get(cardFunding.path, null))).toMatchObject({
      isOpen: true,
      isCreditedAutomatically: true,
    });
  });
});

describe('the transfers without a card', () => {
  it('are credited by a reviewer to the card of a wallet, once, with an audit record', async () => {
    await follow([sampleTransfer(idOf('a')), sampleTransfer(idOf('b'))]);
    const before = await listTopUps();
    expect(before).toMatchObject({ waiting: 2, following: { block: 110, difference: '0' } });
    expect(before.unmatched.map(({ transferId }) => transferId)).toEqual([idOf('a'), idOf('b')]);
    const booking = { transferId: idOf('a'), walletAddress: wallet };
    expect(outcome(await send(viewer, bookTopUp.path, booking))).toEqual([403, 'not-allowed']);
    const unknown = { ...booking, walletAddress: newWallet() };
    expect(outcome(await send(reviewer, bookTopUp.path, unknown))).toEqual([404, 'unknown-card']);
    const booked = await send(reviewer, bookTopUp.path, booking);
    expect(bodyOf(booked)).toEqual({ success: true, credited: '95.5' });
    expect(outcome(await send(reviewer, bookTopUp.path, booking))).toEqual([409, 'top-up-closed']);
    const settled = await send(reviewer, settleTopUp.path, { transferId: idOf('b') });
    expect(bodyOf(settled)).toEqual({ success: true });
    expect(outcome(await send(reviewer, settleTopUp.path, { transferId: idOf('b') }))).toEqual([
      409,
      'top-up-closed',
    ]);
    expect(await listTopUps()).toMatchObject({ waiting: 0, unmatched: [] });
    expect(bodyOf(await mine()).topUps).toMatchObject([
      { id: idOf('a'), state: 'credited', credited: '95.5' },
    ]);
    const [last, first] = await client.portal.store.auditTrail(2);
    expect(first).toMatchObject({ action: 'card.top-up-booked', details: { transfer: idOf('a'), cardId } });
    expect(last).toMatchObject({ action: 'card.top-up-settled', details: { transfer: idOf('b') } });
  });

  it('are listed without a feed, too', async () => {
    const without = await startCardClient();
    const { token } = await signedInAdmin(without.portal.store, {
      role: 'viewer',
      at: TEST_START,
      username: 'eve',
    });
    const answer = bodyOf(await askAs(without.portal, token, adminTopUps.path));
    expect(answer).toEqual({ following: null, waiting: 0, unmatched: [] });
    await without.close();
  });
});
