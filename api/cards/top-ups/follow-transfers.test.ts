// @module-tag slow
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { splitTopUp } from '../../../data/model/top-ups.ts';
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
import { CONFIRMATIONS, FEED_ID, openFollower } from './testing/open-follower.ts';

const NEVER_ABORTED = new AbortController().signal;
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

async function startFollowing(...deviations: readonly Deviations[]) {
  chain.mine({ transaction: hashOf('before'), amount: 5_000_000n });
  chain.mineEmpty(3);
  chain.finalize();
  chain.mineEmpty(CONFIRMATIONS);
  endpoints = await Promise.all(deviations.map((view) => startFakeEndpoint(chain, view)));
  const follower = await openFollower(
    store,
    endpoints.map(({ url }) => url),
    { now: () => now },
  );
  const follow = () => follower.follow(NEVER_ABORTED);
  await follow();
  tag = BigInt((await store.topUps.tagOf('card')) ?? 0);
  return follow;
}
const deviationsOf = (endpoint: number): Deviations => endpoints[endpoint]?.deviations ?? {};
const hashOf = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`;
const topUp = (name: string, changes: Partial<FakeTransfer> = {}): FakeTransfer => ({
  transaction: hashOf(name),
  amount: 100_000_000n + tag,
  ...changes,
});
function finalizeAll(): void {
  chain.finalize();
  chain.mineEmpty(CONFIRMATIONS);
}
const topUpStates = async () => (await store.topUps.ofCard('card', 99)).map(({ state }) => state);
const readFeed = async () => {
  const found = await store.topUps.feed(FEED_ID);
  if (!found) throw new Error('There is no feed.');
  return found;
};

describe('following transfers', () => {
  it('shows a transfer before it is final, credits it afterwards, and ignores transfers older than the feed', async () => {
    const follow = await startFollowing({});
    expect(await readFeed()).toMatchObject({ block: 4, expected: 5_000_000n });
    chain.mine(topUp('a'));
    await follow();
    expect(await topUpStates()).toEqual(['confirming']);
    finalizeAll();
    await follow();
    await follow();
    const [credited, ...more] = await store.topUps.ofCard('card', 9);
    expect(more).toEqual([]);
    const at = (1_700_000_000 + 7 * 12) * 1_000;
    const { fee, credited: creditedAmount } = splitTopUp(100_000_000n + tag);
    const id = `1-${hashOf('a')}-0`;
    expect(credited).toMatchObject({
      id,
      at,
      counterparty: SENDER_ADDRESS,
      state: 'credited',
      fee,
      credited: creditedAmount,
    });
  });

  it('does not credit a transfer whose block was replaced unless it is mined again, and then only once', async () => {
    const follow = await startFollowing({});
    chain.mine(topUp('gone'), topUp('again'));
    await follow();
    expect(await topUpStates()).toEqual(['confirming', 'confirming']);
    // The transfer now has a different log index.
    chain.reorganize(1, [[], [topUp('again')]]);
    await follow();
    expect(await topUpStates()).toEqual(['confirming']);
    finalizeAll();
    await follow();
    expect(await topUpStates()).toEqual(['credited']);
    expect((await readFeed()).expected).toBe(105_000_000n + tag);
  });

  it('credits equal transfers separately, but no dust, other token, outgoing transfer or amount of zero', async () => {
    const follow = await startFollowing({});
    const twice = topUp('twice');
    chain.mine(twice, { ...twice, transaction: hashOf('twice again') }, topUp('dust', { amount: tag }));
    chain.mine(topUp('fake', { token: OTHER_TOKEN }), topUp('nothing', { amount: 0n }));
    chain.mine(
      topUp('out', { from: FUNDING_ADDRESS, to: SENDER_ADDRESS, amount: 3_000_000n }),
      topUp('self', { from: FUNDING_ADDRESS }),
    );
    chain.mine(topUp('untagged', { amount: 70_000_000n }));
    finalizeAll();
    await follow();
    expect(await topUpStates()).toEqual(['credited', 'credited']);
    expect((await store.topUps.unmatchedTransfers(9)).map(({ amount }) => amount)).toEqual([70_000_000n]);
    now += 86_400_000;
    await follow();
    const expected = 5_000_000n + 2n * (100_000_000n + tag) + tag - 3_000_000n + 70_000_000n;
    expect(await readFeed()).toMatchObject({ expected, difference: 0n, comparedAt: now });
  });

  it('catches up after a long time in small ranges if the endpoint limits them', async () => {
    const follow = await startFollowing({});
    deviationsOf(0).maxLogRange = 3;
    for (let day = 0; day < 8; day += 1) {
      chain.mine(topUp(`day ${day}`));
      chain.mineEmpty(10);
    }
    finalizeAll();
    await follow();
    expect(await topUpStates()).toHaveLength(8);
  });

  it('sends no further requests for logs to an endpoint that limits the rate of requests', async () => {
    const follow = await startFollowing({});
    deviationsOf(0).refusedLogRequests = 0;
    chain.mineEmpty(100);
    finalizeAll();
    await expect(follow()).rejects.toThrow();
    // Each range takes two requests: one for incoming transfers and one for outgoing ones.
    expect(deviationsOf(0).refusedLogRequests).toBe(2);
    delete deviationsOf(0).refusedLogRequests;
    await follow();
    expect((await readFeed()).block).toBe(106);
  });

  it.each<[string, Deviations]>([
    ['is down', { isDown: true }],
    ['does not speak JSON-RPC', { isGarbled: true }],
    ['is on another chain', { chainId: 137 }],
    ['has other blocks', { isForked: true }],
    ['redirects', { redirects: true }],
    ['sends too much', { paddingBytes: 11_000_000 }],
    ['leaves transfers out', { changeLogs: () => [] }],
    [
      'returns the transfers of other blocks',
      { changeLogs: (logs) => logs.map((log) => ({ ...log, blockNumber: '0x1' })) },
    ],
    [
      'invents transfers',
      { changeLogs: (logs) => [...logs, ...logs.map((log) => ({ ...log, logIndex: '0x99' }))] },
    ],
    ['returns removed transfers', { changeLogs: (logs) => logs.map((log) => ({ ...log, removed: true })) }],
    [
      'changes amounts',
      { changeLogs: (logs) => logs.map((log) => ({ ...log, data: `0x${'1'.padStart(64, '0')}` })) },
    ],
  ])(
    'stores nothing while one of two endpoints %s, and everything once it agrees',
    async (_case, deviations) => {
      const follow = await startFollowing({}, {});
      chain.mine(topUp('a'));
      finalizeAll();
      Object.assign(deviationsOf(1), deviations);
      const { block } = await readFeed();
      await expect(follow()).rejects.toThrow();
      expect(await topUpStates()).toEqual([]);
      expect(await readFeed()).toMatchObject({ block, expected: 5_000_000n });
      for (const key of Object.keys(deviations)) delete deviationsOf(1)[key as keyof Deviations];
      await follow();
      expect(await topUpStates()).toEqual(['credited']);
    },
  );

  it('needs only two of three endpoints, whichever they are', async () => {
    const follow = await startFollowing({}, {}, {});
    for (const broken of [0, 1, 2]) {
      Object.assign(deviationsOf(broken), { changeLogs: () => [] });
      chain.mine(topUp(`with ${broken} broken`));
      finalizeAll();
      await follow();
      expect(await topUpStates()).toHaveLength(broken + 1);
      delete deviationsOf(broken).changeLogs;
    }
    Object.assign(deviationsOf(0), { isDown: true });
    Object.assign(deviationsOf(1), { lag: 7 });
    chain.mine(topUp('while one is behind'));
    finalizeAll();
    // Only one endpoint reports the last blocks, so the transfer in them is not credited yet.
    await follow();
    expect((await topUpStates()).toSorted()).toEqual(['confirming', 'credited', 'credited', 'credited']);
    deviationsOf(1).lag = 0;
    await follow();
    expect(await topUpStates()).toEqual(['credited', 'credited', 'credited', 'credited']);
  });

  it('does not trust a single endpoint that reports its newest block as final', async () => {
    const follow = await startFollowing({ reportsNewestAsFinal: true });
    chain.mine(topUp('a'));
    await follow();
    expect(await topUpStates()).toEqual(['confirming']);
  });

  it('does not start if the endpoint answers with a balance of fewer than 32 bytes', async () => {
    await expect(startFollowing({ hasShortBalance: true })).rejects.toThrow();
    expect(await store.topUps.feed(FEED_ID)).toBeNull();
  });

  it.each(['logIndex', 'transactionHash', 'blockNumber', 'topics'])(
    'stores nothing while the only endpoint leaves out %s',
    async (field) => {
      const follow = await startFollowing({});
      deviationsOf(0).changeLogs = (logs) => logs.map((log) => ({ ...log, [field]: undefined }));
      chain.mine(topUp('a'));
      finalizeAll();
      await expect(follow()).rejects.toThrow();
      expect(await topUpStates()).toEqual([]);
    },
  );

  it('reports a balance that differs, and finds a transfer that an endpoint left out', async () => {
    const follow = await startFollowing({});
    deviationsOf(0).changeLogs = () => [];
    chain.mine(topUp('a'));
    finalizeAll();
    await follow();
    expect(await topUpStates()).toEqual([]);
    now += 86_400_000;
    await follow();
    expect(await readFeed()).toMatchObject({ difference: 100_000_000n + tag, matchedBlock: 4 });
    delete deviationsOf(0).changeLogs;
    now += 900_000;
    await follow();
    expect(await topUpStates()).toEqual(['credited']);
    expect(await readFeed()).toMatchObject({ difference: 0n, matchedBlock: 7 });
    deviationsOf(0).balance = 1n;
    now += 86_400_000;
    await follow();
    expect((await readFeed()).difference).toBe(1n - 105_000_000n - tag);
  });

  it('does not log the URLs of endpoints', async () => {
    await startFollowing({});
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
    await expect(follower.follow(NEVER_ABORTED)).rejects.toThrow(/^Too few/);
    await expect(follower.follow(NEVER_ABORTED)).rejects.toThrow(/^Too few/);
    expect(lines).toHaveLength(1);
    expect(lines.join()).toContain('"endpoint":"host"');
    expect(lines.join()).not.toContain('key-that-nobody-may-see');
  });
});
