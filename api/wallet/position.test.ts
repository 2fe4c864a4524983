import { describe, expect, it, onTestFinished } from 'vitest';
import { type WalletPosition, walletPosition } from '../../data/contract/position.ts';
import { MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake, signatureOf, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const wallet = walletOf(1);

const movements = (count: number) =>
  Array.from({ length: count }, (_, index) => vaultEvent(count - index, { wallet, slot: 1_000 - index }));

async function start(index: FakeIndex): Promise<TestPortal> {
  const portal = await startTestPortal({ index });
  onTestFinished(() => portal.close());
  return portal;
}

async function callPosition(portal: TestPortal, query = `walletAddress=${wallet}`) {
  const answer = await ask(portal.port, `${walletPosition.path}?${query}`);
  return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) };
}

async function readPosition(portal: TestPortal, query?: string): Promise<WalletPosition> {
  return walletPosition.response.strict().parse((await callPosition(portal, query)).body);
}

describe('the position of a wallet', () => {
  it('has its open stakes, its lock, its tier, the amount needed for the next tier, and its transactions', async () => {
    const index = new FakeIndex();
    const secondStake = openedStake(1, {
      address: walletOf(50),
      nonce: 1,
      amount: 1_000_000_000_001n,
      createdAt: TEST_START - DAY_MS,
      unlocksAt: TEST_START + 179 * DAY_MS,
      openedBy: null,
    });
    const closedStake = openedStake(1, { address: walletOf(51), nonce: 2, closedAt: TEST_START - DAY_MS });
    index.storedStakes = {
      ...manyStakes(0),
      entries: [openedStake(1), secondStake, closedStake, openedStake(2)],
    };
    const [newest] = movements(1);
    index.commit({ recentEvents: [...(newest ? [newest] : []), vaultEvent(1)] });
    expect(await readPosition(await start(index))).toEqual({
      walletAddress: wallet,
      isStaking: true,
      staked: '3000000.000001',
      lock: { startDate: '2025-12-31T00:00:00.000Z', unlockDate: '2026-06-29T00:00:00.000Z' },
      stakes: [
        {
          entry: walletOf(50),
          amount: '1000000.000001',
          startDate: '2025-12-31T00:00:00.000Z',
          unlockDate: '2026-06-29T00:00:00.000Z',
          openedBy: null,
        },
        {
          entry: openedStake(1).address,
          amount: '2000000',
          startDate: '2025-12-22T00:00:00.000Z',
          unlockDate: '2026-06-20T00:00:00.000Z',
          openedBy: signatureOf(1),
        },
      ],
      tier: 'Duckling',
      badge: 'Silver',
      nextTier: { tier: 'Banker', minimumStake: '5000000', missing: '1999999.999999' },
      statedReward: '1312273.972603',
      transactions: {
        rows: [
          {
            type: 'deposit',
            account: 'vault',
            amount: '1500000',
            signature: newest?.signature,
            part: 0,
            status: 'confirmed',
            blockTime: TEST_START / 1_000 + 1,
            wallet,
            slot: 1_000,
          },
        ],
        next: null,
        isComplete: true,
      },
      asOf: '2026-01-01T00:00:00.000Z',
      slot: 4_242,
      source: 'solana',
      state: 'live',
    });
  });

  it('is empty for a wallet without stakes and transactions', async () => {
    const { headers, body } = await callPosition(await start(new FakeIndex()));
    expect(headers['cache-control']).toBe('no-store');
    expect(walletPosition.response.strict().parse(body)).toMatchObject({
      isStaking: false,
      staked: '0',
      lock: null,
      stakes: [],
      tier: 'None',
      badge: null,
      nextTier: { tier: 'Duckling', missing: '1500000' },
      statedReward: '0',
      transactions: { rows: [], next: null, isComplete: true },
    });
  });

  it('has no next tier if it has the highest one', async () => {
    const index = new FakeIndex();
    index.storedStakes = { ...manyStakes(0), entries: [openedStake(1, { amount: 7_500_000_000_000n })] };
    expect(await readPosition(await start(index))).toMatchObject({ tier: 'Raven', nextTier: null });
  });

  it('pages through its transactions, each once, newest first', async () => {
    const index = new FakeIndex();
    index.commit({ recentEvents: movements(120) });
    const portal = await start(index);
    const slots: number[] = [];
    const sizes: number[] = [];
    let next: string | null = null;
    do {
      const before: string = next === null ? '' : `&before=${next}`;
      const { transactions } = await readPosition(portal, `walletAddress=${wallet}${before}`);
      slots.push(...(transactions?.rows ?? []).map(({ slot }) => slot));
      sizes.push(transactions?.rows.length ?? 0);
      next = transactions?.next ?? null;
    } while (next !== null);
    // The wallet has more transactions than the 50 recent events that the portal keeps in memory.
    expect(sizes).toEqual([50, 50, 20]);
    expect(slots).toEqual(Array.from({ length: 120 }, (_, row) => 1_000 - row));
    const page = await readPosition(portal, `walletAddress=${wallet}&limit=500`);
    expect(page.transactions?.rows).toHaveLength(120);
  });

  it('has no transactions during the first sync, and says whether the list may be incomplete', async () => {
    const index = new FakeIndex();
    index.commit({ recentEvents: movements(2), isHistoryCaughtUp: false });
    const portal = await start(index);
    expect((await readPosition(portal)).transactions).toBeNull();
    index.commit({ isHistoryCaughtUp: true, quarantinedCount: 1 });
    await portal.pollAt(TEST_START + 100);
    expect((await readPosition(portal)).transactions).toMatchObject({ isComplete: false });
    index.commit({ quarantinedCount: 0, historyReadAt: TEST_START - MAX_HISTORY_LAG_MS });
    await portal.pollAt(TEST_START + 200);
    expect((await readPosition(portal)).transactions).toMatchObject({ isComplete: true });
    index.commit({ historyReadAt: TEST_START - MAX_HISTORY_LAG_MS - 1 });
    await portal.pollAt(TEST_START + 300);
    expect((await readPosition(portal)).transactions).toMatchObject({ isComplete: false });
  });

  it.each([
    ['host’s clock is', HOUR_MS],
    ['clock of the indexer’s host, but not that of the API, is', 0],
  ])('can be complete even if the %s an hour ahead of the chain’s time', async (_which, chainBehindMs) => {
    const index = new FakeIndex();
    const readAgo = (ms: number) => {
      const readAt = TEST_START - ms - chainBehindMs;
      const { chain } = SAMPLE_INDEX;
      const historyReadAt = readAt + HOUR_MS;
      index.commit({ chain: chain && { ...chain, readAt, clockDifference: HOUR_MS }, historyReadAt });
    };
    readAgo(0);
    const portal = await start(index);
    expect((await readPosition(portal)).transactions).toMatchObject({ isComplete: true });
    readAgo(60_001);
    await portal.pollAt(TEST_START + 100);
    expect((await readPosition(portal)).transactions).toMatchObject({ isComplete: false });
  });

  it('is marked as ageing, then as stale, when the stakes are old', async () => {
    const portal = await start(new FakeIndex());
    await portal.pollAt(TEST_START + 10_001);
    expect((await readPosition(portal)).state).toBe('ageing');
    await portal.pollAt(TEST_START + 60_001);
    expect(await readPosition(portal)).toMatchObject({
      state: 'stale',
      asOf: '2026-01-01T00:00:00.000Z',
      transactions: { isComplete: false },
    });
  });

  it('is refused while the stakes are unknown or the index cannot be read', async () => {
    const emptyAnswer = await callPosition(await start(new FakeIndex(EMPTY_INDEX_SNAPSHOT)));
    const { status, body, headers } = emptyAnswer;
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'not-indexed-yet', '2']);
    const index = new FakeIndex();
    const portal = await start(index);
    index.readError = new StoreUnavailableError('index.db is damaged: /secret/place');
    const brokenAnswer = await callPosition(portal);
    expect([brokenAnswer.status, brokenAnswer.body.code]).toEqual([503, 'index-unreadable']);
    expect(brokenAnswer.body.error).not.toContain('secret');
  });

  it('is refused for an invalid query, with an error that names the parameter', async () => {
    const portal = await start(new FakeIndex());
    for (const [query, namedParameter] of [
      ['', 'walletAddress'],
      ['walletAddress=nonsense', 'walletAddress'],
      [`walletAddress=${wallet}&walletAddress=${wallet}`, 'walletAddress'],
      [`walletAddress=${'1'.repeat(44)}`, 'Solana address'],
      [`walletAddress=${wallet}&limit=0`, 'limit'],
      [`walletAddress=${wallet}&limit=501`, 'limit'],
      [`walletAddress=${wallet}&limit=1e2`, 'limit'],
      [`walletAddress=${wallet}&before=1`, 'before'],
      [`walletAddress=${wallet}&before=-1.0.0`, 'before'],
    ] as const) {
      const { status, body } = await callPosition(portal, query);
      expect([query, status, body.code]).toEqual([query, 400, 'invalid-query']);
      expect(body.error, query).toContain(namedParameter);
    }
  });
});
