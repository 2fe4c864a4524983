import { describe, expect, it } from 'vitest';
import { splitTopUp } from '../../model/top-ups.ts';
import type { AuditRecord } from '../audit-port.ts';
import { submitApplication } from '../testing/sample-submissions.ts';
import { addCard, sampleTransfer, TEST_FEED } from '../testing/sample-top-ups.ts';
import { openPrograms, reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';
import type { ChainTransfer, TransferBatch } from '../top-up-port.ts';

const FEED = TEST_FEED.id;
const TAGS = { one: 100_008, two: 123_455 } as const;

const sampleBatch = (changes: Partial<TransferBatch> = {}): TransferBatch => ({
  feed: FEED,
  previousBlock: 100,
  block: 110,
  blockHash: '0xhash110',
  at: 5_000,
  final: [],
  confirming: [],
  ...changes,
});

const auditRecord = (action: string): AuditRecord => ({
  id: action,
  at: 9_000,
  actor: 'ada',
  action,
  details: {},
});

describe('the top-ups', () => {
  useAppStore();

  async function addCardsAndFeed(): Promise<void> {
    const tags: number[] = [TAGS.one, TAGS.two];
    for (const name of ['one', 'two']) {
      await addCard(store, name);
      await store.topUps.assignTags(() => tags.shift() ?? 0);
    }
    await store.topUps.begin(TEST_FEED);
  }
  const claimAnnounced = async () =>
    (await store.deliveries.claimDue({ channel: 'telegram', now: 99_000, leasedUntil: 99_999, limit: 99 }))
      .filter(({ event }) => event === 'top-up.credited')
      .map(({ referenceNumber }) => referenceNumber);
  const topUpActions = async () =>
    (await store.auditTrail(99)).map(({ action }) => action).filter((action) => action.includes('top'));

  it('give each usable card a unique tag', async () => {
    await addCardsAndFeed();
    await addCard(store, 'three');
    const draws: number[] = [TAGS.one, TAGS.two, 999_991];
    await store.topUps.assignTags(() => draws.shift() ?? 0);
    await store.topUps.assignTags(() => 555_555);
    const tags = await Promise.all(['one', 'two', 'three', 'four'].map((id) => store.topUps.tagOf(id)));
    expect(tags).toEqual([TAGS.one, TAGS.two, 999_991, null]);
  });

  it('credit a final transfer once, less the fee, to the card that its decimals identify, and announce it', async () => {
    await submitApplication(store, { walletAddress: 'wallet-one', isOwnershipProven: true });
    await addCardsAndFeed();
    const amount = 250_000_000n + BigInt(TAGS.one);
    const transfer = sampleTransfer('a', { amount });
    expect(await store.topUps.commit(sampleBatch({ final: [transfer] }))).toBe(true);
    const nextBatch = { previousBlock: 110, block: 120, final: [transfer], confirming: [transfer] };
    expect(await store.topUps.commit(sampleBatch(nextBatch))).toBe(true);
    expect(await store.topUps.addMissing(FEED, [transfer], 7_000)).toBe(0);
    await reopenAppStore();
    const { isOutgoing, ...stored } = transfer;
    expect(await store.topUps.ofCard('one', 9)).toEqual([
      {
        ...stored,
        state: 'credited',
        cardId: 'one',
        ...splitTopUp(amount),
        closedAt: 5_000,
        isByHand: false,
      },
    ]);
    const feed = { ...TEST_FEED, block: 120, blockHash: '0xhash110', readAt: 5_000 };
    expect(await store.topUps.feed(FEED)).toEqual({ ...feed, expected: TEST_FEED.expected + amount });
    expect(await claimAnnounced()).toEqual(['a']);
    expect(await topUpActions()).toEqual(['card.topped-up']);
    const mails = await store.deliveries.claimDue({
      channel: 'mail',
      now: 99_000,
      leasedUntil: 99_999,
      limit: 99,
    });
    expect(mails.filter(({ event }) => event === 'card-application.card-topped-up')).toHaveLength(1);
  });

  it('refuse a batch that does not continue the feed, and store a batch once if several programs send it', async () => {
    await addCardsAndFeed();
    const transfer = sampleTransfer('a', { amount: 1_000_000n + BigInt(TAGS.one) });
    expect(await store.topUps.commit(sampleBatch({ previousBlock: 99, final: [transfer] }))).toBe(false);
    expect(await store.topUps.commit(sampleBatch({ feed: 'other', final: [transfer] }))).toBe(false);
    expect(await store.topUps.ofCard('one', 9)).toEqual([]);
    const programs = await openPrograms(3);
    const commits = programs.map(({ topUps }) => topUps.commit(sampleBatch({ final: [transfer] })));
    expect((await Promise.all(commits)).filter(Boolean)).toHaveLength(1);
    expect(await claimAnnounced()).toEqual(['a']);
  });

  it('replace the transfers that are not final, and credit none of them', async () => {
    await addCardsAndFeed();
    const amount = 5_000_000n + BigInt(TAGS.two);
    const untagged = sampleTransfer('c', { amount: 5_000_000n });
    const [first, second] = [sampleTransfer('a', { amount }), sampleTransfer('b', { amount })];
    await store.topUps.commit(sampleBatch({ confirming: [first, untagged] }));
    expect(await store.topUps.ofCard('two', 9)).toMatchObject([
      { id: 'a', state: 'confirming', credited: null },
    ]);
    // The block of the first transfer was replaced.
    await store.topUps.commit(sampleBatch({ previousBlock: 110, block: 111, confirming: [second] }));
    expect(await store.topUps.ofCard('two', 9)).toMatchObject([{ id: 'b', state: 'confirming' }]);
    await store.topUps.commit(sampleBatch({ previousBlock: 111, block: 112 }));
    expect(await store.topUps.ofCard('two', 9)).toEqual([]);
    expect(await store.topUps.unmatchedCount()).toBe(0);
    expect((await store.topUps.feed(FEED))?.expected).toBe(TEST_FEED.expected);
  });

  it('forget the unconfirmed transfers of an earlier feed, which is no longer followed', async () => {
    await addCardsAndFeed();
    const transfer = sampleTransfer('a', { amount: 5_000_000n + BigInt(TAGS.one) });
    await store.topUps.commit(sampleBatch({ confirming: [transfer] }));
    await store.topUps.begin({ ...TEST_FEED, id: 'new' });
    await store.topUps.commit(sampleBatch({ feed: 'new' }));
    expect(await store.topUps.ofCard('one', 9)).toEqual([]);
  });

  it.each([
    ['names no card', { amount: 7_123_456n }, 'unmatched'],
    ['has no decimals', { amount: 7_000_000n }, 'unmatched'],
    ['is too small', { amount: BigInt(TAGS.one) }, 'dust'],
    ['leaves the address', { amount: 1_000_000n + BigInt(TAGS.one), isOutgoing: true }, 'outgoing'],
  ] as const)('credit no transfer that %s', async (_, changes, state) => {
    await addCardsAndFeed();
    const transfer: ChainTransfer = sampleTransfer('a', changes);
    await store.topUps.commit(sampleBatch({ final: [transfer] }));
    const isUnmatched = state === 'unmatched';
    expect((await store.topUps.unmatchedTransfers(9)).map(({ id }) => id)).toEqual(isUnmatched ? ['a'] : []);
    expect(await store.topUps.unmatchedCount()).toBe(isUnmatched ? 1 : 0);
    expect(await topUpActions()).toEqual(isUnmatched ? ['card.top-up-unmatched'] : []);
    expect(await claimAnnounced()).toEqual([]);
    const change = state === 'outgoing' ? -transfer.amount : transfer.amount;
    expect((await store.topUps.feed(FEED))?.expected).toBe(TEST_FEED.expected + change);
  });

  it('leave a transfer for a closed card to the team, which credits it once or settles it', async () => {
    await addCardsAndFeed();
    await store.cards.change('one', 'closed', auditRecord('card.closed'));
    const amount = 3_000_000n + BigInt(TAGS.one);
    await store.topUps.commit(sampleBatch({ final: ['a', 'b'].map((id) => sampleTransfer(id, { amount })) }));
    expect(await store.topUps.unmatchedTransfers(9)).toMatchObject([{ id: 'a', cardId: 'one' }, { id: 'b' }]);
    expect(await store.topUps.book('a', 'one', auditRecord('booked'))).toBeNull();
    expect(await store.topUps.book('none', 'two', auditRecord('booked'))).toBeNull();
    const booked = { id: 'a', cardId: 'two', state: 'credited', ...splitTopUp(amount), isByHand: true };
    expect(await store.topUps.book('a', 'two', auditRecord('top-up booked'))).toMatchObject(booked);
    expect(await store.topUps.book('a', 'two', auditRecord('top-up again'))).toBeNull();
    expect(await store.topUps.settle('a', auditRecord('top-up again'))).toBe(false);
    expect(await store.topUps.settle('b', auditRecord('top-up settled'))).toBe(true);
    expect(await store.topUps.settle('b', auditRecord('top-up again'))).toBe(false);
    expect(await store.topUps.book('b', 'two', auditRecord('top-up again'))).toBeNull();
    expect(await store.topUps.ofCard('two', 9)).toMatchObject([booked]);
    expect(await store.topUps.creditedTransfers(9)).toMatchObject([booked]);
    expect(await store.topUps.unmatchedCount()).toBe(0);
    expect(await topUpActions()).toEqual([
      ...['top-up settled', 'top-up booked', 'card.top-up-unmatched', 'card.top-up-unmatched'],
    ]);
    expect(await claimAnnounced()).toEqual(['a']);
  });

  it('list a transfer that the team has just credited before newer transfers', async () => {
    await addCardsAndFeed();
    const old = sampleTransfer('old', { amount: 7_123_456n });
    const newer = sampleTransfer('newer', { at: 4_900, amount: 3_000_000n + BigInt(TAGS.two) });
    await store.topUps.commit(sampleBatch({ final: [old, newer] }));
    await store.topUps.book('old', 'one', auditRecord('booked'));
    expect((await store.topUps.creditedTransfers(9)).map(({ id }) => id)).toEqual(['old', 'newer']);
  });

  it.each([
    ['its holder', () => store.cards.change('one', 'closing', auditRecord('closing'))],
    [
      'the team',
      () => store.cards.decide('one', { decision: 'closed', reason: null }, auditRecord('closing')),
    ],
  ])('leave a transfer to the team once the card is being closed by %s', async (_who, decideToClose) => {
    await addCardsAndFeed();
    await decideToClose();
    const transfer = sampleTransfer('a', { amount: 3_000_000n + BigInt(TAGS.one) });
    await store.topUps.commit(sampleBatch({ final: [transfer] }));
    expect(await store.topUps.unmatchedTransfers(9)).toMatchObject([{ id: 'a', cardId: 'one' }]);
    expect(await store.topUps.book('a', 'one', auditRecord('booked'))).toBeNull();
    expect(await claimAnnounced()).toEqual([]);
  });

  it('compare the balance with the transfers, and add a transfer that was left out', async () => {
    await addCardsAndFeed();
    const amount = 9_000_000n + BigInt(TAGS.one);
    await store.topUps.commit(sampleBatch());
    const balance = TEST_FEED.expected + amount;
    expect(await store.topUps.saveComparison(FEED, { block: 109, at: 6_000, balance })).toBe(false);
    expect(await store.topUps.saveComparison(FEED, { block: 110, at: 6_000, balance })).toBe(true);
    const differing = { comparedAt: 6_000, difference: amount, matchedBlock: 100 };
    expect(await store.topUps.feed(FEED)).toMatchObject(differing);
    expect(await store.topUps.addMissing(FEED, [sampleTransfer('a', { amount })], 7_000)).toBe(1);
    await store.topUps.saveComparison(FEED, { block: 110, at: 7_000, balance });
    expect(await store.topUps.feed(FEED)).toMatchObject({
      difference: 0n,
      matchedBlock: 110,
      expected: balance,
    });
    expect(await claimAnnounced()).toEqual(['a']);
  });

  it('begin a feed once', async () => {
    await addCardsAndFeed();
    await store.topUps.commit(sampleBatch());
    await store.topUps.begin(TEST_FEED);
    expect((await store.topUps.feed(FEED))?.block).toBe(110);
    expect(await store.topUps.feed('other')).toBeNull();
  });
});
