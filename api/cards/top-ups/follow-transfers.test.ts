import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { topUpFee } from '../../../data/model/top-ups.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { openNewApp } from '../../../data/store/testing/new-stores.ts';
import { addCard } from '../../../data/store/testing/sample-top-ups.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { openEthEndpoint } from './eth-endpoint.ts';
import { TransferFollower } from './follow-transfers.ts';
import {
  type Deviations,
  FakeChain,
  type FakeEndpoint,
  type FakeTransfer,
  FUNDING_ADDRESS,
  SENDER_ADDRESS,
  startFakeEndpoint,
} from './testing/fake-ethereum.ts';
import { CONFIRMATIONS, FEED_ID, openFollower } from './testing/followed-chain.ts';

const NEVER = new AbortController().signal;
const OTHER_TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

let store: AppStore;
let chain: FakeChain;
let endpoints: FakeEndpoint[];
let close: () => Promise<void>;
let tag: bigint;
let now: number;
beforeEach(async () => {
  store = await openNewApp(join(temporaryFolder(), 'app.db'));
  chain = new FakeChain();
  endpoints = [];
  now = 1_000_000;
  close = async () => {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    await store.close();
  };
  await addCard(store, 'card');
});
afterEach(() => close());

/** Starts to follow a chain, and completes the first round. */
async function begin(...views: readonly Deviations[]) {
  chain.mine({ transaction: hashOf('before'), amount: 5_000_000n });
  chain.mineEmpty(3);
  chain.finalize();
  chain.mineEmpty(CONFIRMATIONS);
  endpoints = await Promise.all(views.map((view) => startFakeEndpoint(chain, view)));
  const follower = await openFollower(
    store,
    endpoints.map(({ url }) => url),
    { now: () => now },
  );
  const follow = () => follower.follow(NEVER);
  await follow();
  tag = BigInt((await store.topUps.tagOf('card')) ?? 0);
  return follow;
}
const view = (endpoint: number): Deviations => endpoints[endpoint]?.view ?? {};
const hashOf = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`;
const topUp = (name: string, changes: Partial<FakeTransfer> = {}): FakeTransfer => ({
  transaction: hashOf(name),
  amount: 100_000_000n + tag,
  ...changes,
});
/** Makes all blocks final. */
function settle(): void {
  chain.finalize();
  chain.mineEmpty(CONFIRMATIONS);
}
const states = async () => (await store.topUps.ofCard('card', 99)).map(({ state }) => state);
const feed = async () => {
  const found = await store.topUps.feed(FEED_ID);
  if (!found) throw new Error('There is no feed.');
  return found;
};

describe('following transfers', () => {
  it('credits a transfer once it is final, shows it before, and ignores those before the first block', async () => {
    const follow = await begin({});
    expect(await feed()).toMatchObject({ block: 4, expected: 5_000_000n });
    chain.mine(topUp('a'));
    await follow();
    expect(await states()).toEqual(['confirming']);
    settle();
    await follow();
    await follow();
    const [credited, ...more] = await store.topUps.ofCard('card', 9);
    expect(more).toEqual([]);
    const at = (1_700_000_000 + 7 * 12) * 1_000;
    const { fee, credited: rest } = topUpFee(100_000_000n + tag);
    const id = `1-${hashOf('a')}-0`;
    expect(credited).toMatchObject({
      id,
      at,
      counterparty: SENDER_ADDRESS,
      state: 'credited',
      fee,
      credited: rest,
    });
  });

  it('does not credit a transfer whose block was replaced, and credits one that was mined again only once', async () => {
    const follow = await begin({});
    chain.mine(topUp('gone'), topUp('again'));
    await follow();
    expect(await states()).toEqual(['confirming', 'confirming']);
    // The transfer has another log index now.
    chain.reorganize(1, [[], [topUp('again')]]);
    await follow();
    expect(await states()).toEqual(['confirming']);
    settle();
    await follow();
    expect(await states()).toEqual(['credited']);
    expect((await feed()).expected).toBe(105_000_000n + tag);
  });

  it('handles equal transfers, dust, another token, an outgoing transfer and an amount of zero', async () => {
    const follow = await begin({});
    const twice = topUp('twice');
    chain.mine(twice, { ...twice, transaction: hashOf('twice again') }, topUp('dust', { amount: tag }));
    chain.mine(topUp('fake', { token: OTHER_TOKEN }), topUp('nothing', { amount: 0n }));
    chain.mine(
      topUp('out', { from: FUNDING_ADDRESS, to: SENDER_ADDRESS, amount: 3_000_000n }),
      topUp('self', { from: FUNDING_ADDRESS }),
    );
    chain.mine(topUp('untagged', { amount: 70_000_000n }));
    settle();
    await follow();
    expect(await states()).toEqual(['credited', 'credited']);
    expect((await store.topUps.unmatched(9)).map(({ amount }) => amount)).toEqual([70_000_000n]);
    now += 86_400_000;
    await follow();
    const expected = 5_000_000n + 2n * (100_000_000n + tag) + tag - 3_000_000n + 70_000_000n;
    expect(await feed()).toMatchObject({ expected, difference: 0n, comparedAt: now });
  });

  it('resumes after a long time, in parts, with an endpoint that limits ranges', async () => {
    const follow = await begin({});
    view(0).longestRange = 3;
    for (let day = 0; day < 40; day += 1) {
      chain.mine(topUp(`day ${day}`));
      chain.mineEmpty(10);
    }
    settle();
    await follow();
    expect(await states()).toHaveLength(40);
  });

  it.each<[string, Deviations]>([
    ['is down', { isDown: true }],
    ['does not speak JSON-RPC', { isGarbled: true }],
    ['is on another chain', { chainId: 137 }],
    ['has other blocks', { isForked: true }],
    ['redirects', { isMoved: true }],
    ['sends too much', { padding: 11_000_000 }],
    ['leaves transfers out', { changesLogs: () => [] }],
    [
      'returns the transfers of other blocks',
      { changesLogs: (logs) => logs.map((log) => ({ ...log, blockNumber: '0x1' })) },
    ],
    [
      'invents transfers',
      { changesLogs: (logs) => [...logs, ...logs.map((log) => ({ ...log, logIndex: '0x99' }))] },
    ],
    ['returns removed transfers', { changesLogs: (logs) => logs.map((log) => ({ ...log, removed: true })) }],
    [
      'changes amounts',
      { changesLogs: (logs) => logs.map((log) => ({ ...log, data: `0x${'1'.padStart(64, '0')}` })) },
    ],
  ])(
    'stores nothing while one of two endpoints %s, and everything once it agrees',
    async (_how, deviations) => {
      const follow = await begin({}, {});
      chain.mine(topUp('a'));
      settle();
      Object.assign(view(1), deviations);
      const { block } = await feed();
      await expect(follow()).rejects.toThrow();
      expect(await states()).toEqual([]);
      expect(await feed()).toMatchObject({ block, expected: 5_000_000n });
      for (const key of Object.keys(deviations)) delete view(1)[key as keyof Deviations];
      await follow();
      expect(await states()).toEqual(['credited']);
    },
  );

  it('needs only two of three endpoints, whichever they are', async () => {
    const follow = await begin({}, {}, {});
    for (const broken of [0, 1, 2]) {
      Object.assign(view(broken), { changesLogs: () => [] });
      chain.mine(topUp(`with ${broken} broken`));
      settle();
      await follow();
      expect(await states()).toHaveLength(broken + 1);
      delete view(broken).changesLogs;
    }
    Object.assign(view(0), { isDown: true });
    Object.assign(view(1), { lag: 7 });
    chain.mine(topUp('while one is behind'));
    settle();
    // Two endpoints do not have the last blocks, so the transfers in those blocks wait.
    await follow();
    expect((await states()).toSorted()).toEqual(['confirming', 'credited', 'credited', 'credited']);
    view(1).lag = 0;
    await follow();
    expect(await states()).toEqual(['credited', 'credited', 'credited', 'credited']);
  });

  it('does not trust a single endpoint that reports its newest block as final', async () => {
    const follow = await begin({ callsNewestFinal: true });
    chain.mine(topUp('a'));
    await follow();
    expect(await states()).toEqual(['confirming']);
  });

  it('does not begin with a balance of fewer than 32 bytes', async () => {
    await expect(begin({ hasShortBalance: true })).rejects.toThrow();
    expect(await store.topUps.feed(FEED_ID)).toBeNull();
  });

  it.each(['logIndex', 'transactionHash', 'blockNumber', 'topics'])(
    'stores nothing while the only endpoint leaves out %s',
    async (field) => {
      const follow = await begin({});
      view(0).changesLogs = (logs) => logs.map((log) => ({ ...log, [field]: undefined }));
      chain.mine(topUp('a'));
      settle();
      await expect(follow()).rejects.toThrow();
      expect(await states()).toEqual([]);
    },
  );

  it('reports a balance that differs, and finds a transfer that an endpoint left out', async () => {
    const follow = await begin({});
    view(0).changesLogs = () => [];
    chain.mine(topUp('a'));
    settle();
    await follow();
    expect(await states()).toEqual([]);
    now += 86_400_000;
    await follow();
    expect(await feed()).toMatchObject({ difference: 100_000_000n + tag, matchedBlock: 4 });
    delete view(0).changesLogs;
    now += 900_000;
    await follow();
    expect(await states()).toEqual(['credited']);
    expect(await feed()).toMatchObject({ difference: 0n, matchedBlock: 7 });
    view(0).balance = 1n;
    now += 86_400_000;
    await follow();
    expect((await feed()).difference).toBe(1n - 105_000_000n - tag);
  });

  it('logs no URL of an endpoint', async () => {
    await begin({});
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const settings = { chainId: 1, token: OTHER_TOKEN, fundingAddress: FUNDING_ADDRESS };
    const url = endpoints[0]?.url ?? '';
    await endpoints[0]?.close();
    const follower = new TransferFollower({
      feed: 'other',
      endpoints: [await openEthEndpoint(url, 'host', settings)],
      topUps: store.topUps,
      log,
      now: () => now,
    });
    await expect(follower.follow(NEVER)).rejects.toThrow(/^Too few/);
    await expect(follower.follow(NEVER)).rejects.toThrow(/^Too few/);
    expect(lines).toHaveLength(1);
    expect(lines.join()).toContain('"endpoint":"host"');
    expect(lines.join()).not.toContain('key-that-nobody-may-see');
  });
});
