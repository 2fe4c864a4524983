// @module-tag slow
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { splitTopUp } from '../../../data/model/top-ups.ts';
import { CHILD_ENV, programFile } from '../../../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../../../data/store/open-stores.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import { openNewApp } from '../../../data/store/testing/new-stores.ts';
import { addCard } from '../../../data/store/testing/sample-top-ups.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
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

/** `npm run test:topups` sets both to 200. */
const KILLS = Number(process.env.TOP_UP_KILLS ?? 1);
const SCHEDULES = Number(process.env.TOP_UP_SCHEDULES ?? 1);
const PROGRAM = programFile('api/cards/top-ups/testing/follow-program.ts');
const CARDS = ['one', 'two', 'three'];

const endpoints: FakeEndpoint[] = [];
afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
});

/** Like `Math.random`, but with a seed, so that a schedule can be repeated (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A chain with top-ups. Its blocks can be replaced until they are final. */
class Traffic {
  readonly chain = new FakeChain();
  readonly #random: () => number;
  readonly #tags: readonly bigint[];
  #sentCount = 0;
  constructor(random: () => number, tags: readonly bigint[]) {
    this.#random = random;
    this.#tags = tags;
    this.chain.mineEmpty(CONFIRMATIONS);
  }
  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
  #createTransfer(): FakeTransfer {
    this.#sentCount += 1;
    const transaction = `0x${this.#sentCount.toString(16).padStart(64, '0')}`;
    const whole = BigInt(1 + this.#below(500)) * 1_000_000n;
    const kind = this.#below(10);
    if (kind === 0) return { transaction, amount: whole, from: FUNDING_ADDRESS, to: SENDER_ADDRESS };
    if (kind === 1) return { transaction, amount: whole };
    if (kind === 2) return { transaction, amount: BigInt(1 + this.#below(900_000)) };
    return { transaction, amount: whole + (this.#tags[this.#below(this.#tags.length)] ?? 0n) };
  }
  advance(): void {
    const { chain } = this;
    const transfers = () => Array.from({ length: this.#below(3) }, () => this.#createTransfer());
    for (let mined = this.#below(4); mined >= 0; mined -= 1) chain.mine(...transfers());
    if (this.#below(3) === 0) {
      const depth = 1 + this.#below(6);
      // Some of the replaced transfers are mined again, in other blocks and positions.
      const minedAgain = chain
        .lastTransfers(depth)
        .filter(() => this.#below(4) > 0)
        .toReversed();
      const half = Math.floor(minedAgain.length / 2);
      chain.reorganize(depth, [minedAgain.slice(0, half), [], [...transfers(), ...minedAgain.slice(half)]]);
    }
    if (this.#below(2) === 0) chain.finalize(Math.max(0, chain.newestBlock - CONFIRMATIONS - this.#below(5)));
  }
  finish(): void {
    this.chain.finalize();
    this.chain.mineEmpty(CONFIRMATIONS);
  }
}

/** Checks that each final transfer is stored once, with the right credit, and that nothing else is stored. */
async function checkStore(
  store: AppStore,
  { chain }: Traffic,
  startBlock: number,
  tags: readonly bigint[],
): Promise<void> {
  const finalTransfers = chain.blocks.slice(startBlock + 1).flatMap(({ transfers }) => transfers);
  for (const [index, card] of CARDS.entries()) {
    const expectedTopUps = finalTransfers.filter(
      ({ from = SENDER_ADDRESS, amount }) =>
        from === SENDER_ADDRESS && amount >= 1_000_000n && amount % 1_000_000n === tags[index],
    );
    const stored = await store.topUps.ofCard(card, 9_999);
    const key = (hash: string, amount: bigint, credited: bigint | null) => `${hash} ${amount} ${credited}`;
    expect(
      stored.map(({ id, amount, credited }) => key(id.split('-')[1] ?? '', amount, credited)).toSorted(),
    ).toEqual(
      expectedTopUps
        .map(({ transaction, amount }) => key(transaction, amount, splitTopUp(amount).credited))
        .toSorted(),
    );
  }
  expect((await store.topUps.feed(FEED_ID))?.expected).toBe(chain.balance(chain.newestBlock));
  const credits = (await store.auditTrail(99_999)).filter(({ action }) => action === 'card.topped-up');
  const due = {
    channel: 'telegram',
    now: Number.MAX_SAFE_INTEGER,
    leasedUntil: Number.MAX_SAFE_INTEGER,
    limit: 99_999,
  } as const;
  const notices = (await store.deliveries.claimDue(due)).filter(({ event }) => event === 'top-up.credited');
  const stored = (await Promise.all(CARDS.map((card) => store.topUps.ofCard(card, 9_999)))).flat();
  const ids = stored.map(({ id }) => id).toSorted();
  expect(credits.map(({ details }) => details.transfer).toSorted()).toEqual(ids);
  expect(notices.map(({ referenceNumber }) => referenceNumber).toSorted()).toEqual(ids);
}

async function openWithCards(
  file: string,
): Promise<{ readonly store: AppStore; readonly tags: readonly bigint[] }> {
  const store = await openNewApp(file);
  for (const card of CARDS) await addCard(store, card);
  const nextTags = [123_455, 234_567, 345_678].map((digits) => digits);
  await store.topUps.assignTags(() => nextTags.shift() ?? 0);
  const tags = await Promise.all(CARDS.map(async (card) => BigInt((await store.topUps.tagOf(card)) ?? 0)));
  return { store, tags };
}

describe('following a chain whose blocks are replaced', () => {
  it(`credits every top-up once (schedules: ${SCHEDULES}, with endpoints that fail, lie, lag or limit ranges)`, {
    timeout: 60_000 + SCHEDULES * 20_000,
  }, async () => {
    for (let seed = 1; seed <= SCHEDULES; seed += 1) {
      const random = seededRandom(seed);
      const { store, tags } = await openWithCards(join(temporaryFolder(), 'app.db'));
      const traffic = new Traffic(random, tags);
      const { chain } = traffic;
      const fakeEndpoints = await Promise.all(
        Array.from({ length: 1 + (seed % 3) }, () => startFakeEndpoint(chain)),
      );
      endpoints.push(...fakeEndpoints);
      const urls = fakeEndpoints.map(({ url }) => url);
      let follower = await openFollower(store, urls);
      const signal = new AbortController().signal;
      await follower.follow(signal);
      const startBlock = (await store.topUps.feed(FEED_ID))?.block ?? 0;
      for (let step = 0; step < 25; step += 1) {
        traffic.advance();
        const deviations: readonly Deviations[] = [
          { isDown: true },
          { isGarbled: true },
          { maxLogRange: 2 },
          { lag: 3 },
          // With a single endpoint, only the daily comparison of balances would detect that transfers are missing.
          ...(fakeEndpoints.length > 1 ? [{ changeLogs: () => [] }, { isForked: true }] : []),
        ];
        for (const { deviations: view } of fakeEndpoints)
          for (const name of Object.keys(view)) delete view[name as keyof Deviations];
        const changed = fakeEndpoints[Math.floor(random() * fakeEndpoints.length)];
        Object.assign(changed?.deviations ?? {}, deviations[Math.floor(random() * deviations.length * 2)]);
        if (random() < 0.2) follower = await openFollower(store, urls);
        await follower.follow(signal).catch(() => {});
      }
      for (const { deviations: view } of fakeEndpoints)
        for (const name of Object.keys(view)) delete view[name as keyof Deviations];
      traffic.finish();
      await follower.follow(signal);
      await checkStore(store, traffic, startBlock, tags);
      await store.close();
      await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
    }
  });

  it(`credits every top-up once even if the process is killed (kills: ${KILLS})`, {
    timeout: 60_000 + KILLS * 15_000,
  }, async () => {
    const file = join(temporaryFolder(), 'app.db');
    const { store, tags } = await openWithCards(file);
    const random = seededRandom(7);
    const traffic = new Traffic(random, tags);
    endpoints.push(await startFakeEndpoint(traffic.chain), await startFakeEndpoint(traffic.chain));
    const urls = endpoints.map(({ url }) => url);
    await (await openFollower(store, urls)).follow(new AbortController().signal);
    const startBlock = (await store.topUps.feed(FEED_ID))?.block ?? 0;
    await store.close();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = fork(PROGRAM, [file, ...urls], { env: CHILD_ENV, stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      await Promise.race([once(child, 'message'), ended]);
      expect(child.exitCode).toBeNull();
      const rounds = Math.floor(random() * 4);
      for (let round = 0; round <= rounds; round += 1) {
        traffic.advance();
        await Promise.race([once(child, 'message'), ended]);
      }
      traffic.advance();
      await sleep(random() * 20);
      child.kill('SIGKILL');
      await ended;
    }
    traffic.finish();
    const reopened = await openAppStore(file);
    await (await openFollower(reopened, urls)).follow(new AbortController().signal);
    await checkStore(reopened, traffic, startBlock, tags);
    await reopened.close();
  });
});
