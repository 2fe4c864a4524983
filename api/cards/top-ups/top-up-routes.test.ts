import { Registry } from '@prometheus-io/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminTopUps, bookTopUp, settleTopUp } from '../../../data/contract/admin-top-ups.ts';
import { cardFunding, cardTopUps } from '../../../data/contract/cards.ts';
import { splitTopUp, toDecimalUsdt } from '../../../data/model/top-ups.ts';
import { sampleTransfer, TEST_FEED } from '../../../data/store/testing/sample-top-ups.ts';
import { askAs, signedInAdmin } from '../../admin/testing/team.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { bodyOf, type CardClient, newWallet, outcomeOf, startCardClient } from '../testing/card-client.ts';
import { registerTopUpMetrics } from './start-top-ups.ts';

const TAG = 123_455;
const idOf = (name: string) => `1-0x${Buffer.from(name).toString('hex').padStart(64, '0')}-7`;

let client: CardClient;
let wallet: string;
let cardId: string;
let reviewerToken: string;
let viewerToken: string;
beforeEach(async () => {
  client = await startCardClient({
    topUpFeed: TEST_FEED.id,
    fundingAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  const { store } = client.portal;
  reviewerToken = (await signedInAdmin(store, { role: 'reviewer', at: TEST_START, username: 'grace' })).token;
  viewerToken = (await signedInAdmin(store, { role: 'viewer', at: TEST_START, username: 'alan' })).token;
  wallet = newWallet();
  cardId = bodyOf(await client.create(wallet)).card.cardId;
  await store.topUps.begin(TEST_FEED);
});
afterEach(() => client.close());

const commitTransfers = (
  final: readonly ReturnType<typeof sampleTransfer>[],
  confirming = final.slice(0, 0),
) =>
  client.portal.store.topUps.commit({
    ...{ feed: TEST_FEED.id, previousBlock: TEST_FEED.block, block: 110, blockHash: '0x', at: TEST_START },
    ...{ final, confirming },
  });
const readTopUps = async (ofWallet = wallet) => client.get(cardTopUps.path, ofWallet);
const listTopUps = async (token = viewerToken) =>
  adminTopUps.response.parse(bodyOf(await askAs(client.portal, token, adminTopUps.path)));
const send = (token: string, path: string, body: object) => askAs(client.portal, token, path, body);

describe('a card’s top-ups', () => {
  it('are shown to the proven owner, along with the assigned decimals that identify the card', async () => {
    expect(cardTopUps.response.parse(bodyOf(await readTopUps()))).toMatchObject({
      cardId,
      decimals: null,
      topUps: [],
    });
    await client.portal.store.topUps.assignTags(() => TAG);
    const amount = 100_000_000n + BigInt(TAG);
    await commitTransfers(
      [sampleTransfer(idOf('a'), { amount })],
      [sampleTransfer(idOf('b'), { amount, at: 9_000 })],
    );
    const answer = cardTopUps.response.parse(bodyOf(await readTopUps()));
    expect(answer.decimals).toBe(String(TAG));
    const { fee, credited } = splitTopUp(amount);
    expect(answer.topUps).toMatchObject([
      { state: 'confirming', amount: '100.123455', fee: null, credited: null },
      {
        ...{ state: 'credited', transaction: idOf('a').split('-')[1], amount: '100.123455' },
        ...{ fee: toDecimalUsdt(fee), credited: toDecimalUsdt(credited) },
      },
    ]);
    // The sender must stay private.
    expect(JSON.stringify(answer)).not.toContain('000000aa');
    expect(outcomeOf(await readTopUps(newWallet()))).toEqual([404, 'no-such-card']);
    expect(outcomeOf(await client.get(cardTopUps.path, null))).toEqual([401, 'wallet-not-proven']);
    expect(bodyOf(await client.get(cardFunding.path, null))).toMatchObject({
      isOpen: true,
      isCreditedAutomatically: true,
    });
  });
});

describe('transfers without a card', () => {
  it('can be credited to a wallet’s card once, by a reviewer, with an audit record', async () => {
    await commitTransfers([sampleTransfer(idOf('a')), sampleTransfer(idOf('b'))]);
    const before = await listTopUps();
    expect(before).toMatchObject({ waiting: 2, readProgress: { block: 110, difference: '0' } });
    expect(before.unmatched.map(({ transferId }) => transferId)).toEqual([idOf('a'), idOf('b')]);
    const booking = { transferId: idOf('a'), walletAddress: wallet };
    expect(outcomeOf(await send(viewerToken, bookTopUp.path, booking))).toEqual([403, 'not-allowed']);
    const unknown = { ...booking, walletAddress: newWallet() };
    expect(outcomeOf(await send(reviewerToken, bookTopUp.path, unknown))).toEqual([404, 'unknown-card']);
    const booked = await send(reviewerToken, bookTopUp.path, booking);
    expect(bodyOf(booked)).toEqual({ success: true, credited: '95.5' });
    expect(outcomeOf(await send(reviewerToken, bookTopUp.path, booking))).toEqual([409, 'top-up-closed']);
    const settled = await send(reviewerToken, settleTopUp.path, { transferId: idOf('b') });
    expect(bodyOf(settled)).toEqual({ success: true });
    expect(outcomeOf(await send(reviewerToken, settleTopUp.path, { transferId: idOf('b') }))).toEqual([
      409,
      'top-up-closed',
    ]);
    expect(await listTopUps()).toMatchObject({
      ...{ waiting: 0, unmatched: [] },
      credited: [
        {
          ...{ transferId: idOf('a'), amount: '100', cardId },
          ...{ credited: '95.5', creditedAt: new Date(TEST_START).toISOString() },
        },
      ],
    });
    expect(bodyOf(await readTopUps()).topUps).toMatchObject([
      { id: idOf('a'), state: 'credited', credited: '95.5' },
    ]);
    const [last, first] = await client.portal.store.auditTrail(2);
    expect(first).toMatchObject({ action: 'card.top-up-booked', details: { transfer: idOf('a'), cardId } });
    expect(last).toMatchObject({ action: 'card.top-up-settled', details: { transfer: idOf('b') } });
  });

  it('are listed even without a feed', async () => {
    const without = await startCardClient();
    const { token } = await signedInAdmin(without.portal.store, {
      role: 'viewer',
      at: TEST_START,
      username: 'eve',
    });
    const answer = bodyOf(await askAs(without.portal, token, adminTopUps.path));
    expect(answer).toEqual({ readProgress: null, waiting: 0, unmatched: [], credited: [] });
    await without.close();
  });
});

describe('the top-up metrics', () => {
  it('show an infinite age and no comparison before the first read, and no values while the store fails', async () => {
    const registry = new Registry();
    let feed: typeof TEST_FEED | null = TEST_FEED;
    let isUnreadable = false;
    const readOrFail = async <Value>(value: Value) => {
      if (isUnreadable) throw new Error('the store is closed');
      return value;
    };
    const topUps = { feed: () => readOrFail(feed), unmatchedCount: () => readOrFail(2) };
    registerTopUpMetrics(registry, { topUps, feed: TEST_FEED.id, now: () => 3_000 });
    const values = async () => (await registry.metrics()).match(/^portal_.*$/gm) ?? [];
    const unmatched = 'portal_top_ups_unmatched 2';
    expect(await values()).toEqual(['portal_top_ups_age_seconds 2', 'portal_top_ups_agree 1', unmatched]);
    feed = null;
    expect(await values()).toEqual(['portal_top_ups_age_seconds +Inf', unmatched]);
    isUnreadable = true;
    expect(await values()).toEqual([]);
  });
});
