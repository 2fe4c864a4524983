// @module-tag slow
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { errorBody } from '../../data/contract/call.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { VERIFICATION_STEPS, verificationFailure, verifyBdTokens } from '../../data/contract/verification.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { ask, type EventStream, openStream } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { whitelistWallet } from '../testing/test-wallet.ts';
import type { WalletReaders } from './check-stake.ts';
import type { HeldTokens } from './held-tokens.ts';
import type { StakedTokens } from './staked-tokens.ts';

const openResources: { close(): void | Promise<void> }[] = [];
afterEach(async () => {
  for (const resource of openResources.splice(0).reverse()) await resource.close();
});

const index = new FakeIndex();
index.storedStakes = { ...manyStakes(0), entries: [openedStake(1)] };

/** A read that the test completes. Aborting the read rejects it. */
function controlledRead<Read>() {
  const answer = Promise.withResolvers<Read>();
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const read = (_wallet: string, _account: string, { signal }: { readonly signal?: AbortSignal }) => {
    started.resolve();
    signal?.addEventListener('abort', () => {
      aborted.resolve();
      answer.reject(new ApiError('chain-unreadable'));
    });
    return answer.promise;
  };
  return { answer, started: started.promise, aborted: aborted.promise, reader: { readsInProgress: 0, read } };
}

function controlledReaders() {
  const staked = controlledRead<StakedTokens>();
  const held = controlledRead<HeldTokens>();
  const walletReaders: WalletReaders = { staked: staked.reader, held: held.reader };
  return { staked, held, walletReaders };
}

async function start(changes: TestPortalChanges = {}): Promise<TestPortal> {
  const portal = await startTestPortal({ index, ...changes });
  openResources.push(portal);
  return portal;
}

const pathOf = (wallet: string) => `${PATHS.verificationSteps}?walletAddress=${wallet}`;

async function open(portal: TestPortal, wallet: string): Promise<EventStream> {
  const stream = await openStream(portal.port, pathOf(wallet));
  openResources.push(stream);
  return stream;
}

async function nextStep(stream: EventStream): Promise<string> {
  const event = await stream.next();
  expect(event?.event).toBe('step');
  return z.object({ step: z.enum(VERIFICATION_STEPS) }).parse(event?.data).step;
}

const readMoment = { slot: 4_300, readAt: TEST_START };

describe('the steps of a verification', () => {
  it('are sent as they happen, and the stream ends with the response of the plain call', async () => {
    const { staked, held, walletReaders } = controlledReaders();
    const portal = await start({ walletReaders });
    await whitelistWallet(portal.store, walletOf(5), 'Raven');
    const stream = await open(portal, walletOf(5));
    expect(stream).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
    });
    expect(await nextStep(stream)).toBe('started');
    staked.answer.resolve({ ...readMoment, staked: null, entries: [] });
    expect(await nextStep(stream)).toBe('stake-entries-read');
    await held.started;
    held.answer.resolve({ ...readMoment, amount: 3_500_000n });
    expect(await nextStep(stream)).toBe('token-accounts-read');
    expect(await nextStep(stream)).toBe('decided');
    const result = await stream.next();
    expect(result).toMatchObject({ event: 'result', data: { isStaking: false, tier: 'Raven' } });
    const plain = await ask(portal.port, `${verifyBdTokens.path}?walletAddress=${walletOf(5)}`);
    expect(verifyBdTokens.response.parse(result?.data)).toEqual(JSON.parse(plain.body));
    expect(await stream.next()).toBeNull();
  });

  it('skip the token accounts when there is a stake', async () => {
    const stream = await open(await start(), walletOf(1));
    const steps = [await nextStep(stream), await nextStep(stream), await nextStep(stream)];
    expect(steps).toEqual(['started', 'stake-entries-read', 'decided']);
    expect((await stream.next())?.data).toMatchObject({ isStaking: true, tier: 'Duckling' });
    expect(await stream.next()).toBeNull();
  });

  it('end when the client disconnects, and the reads are aborted', async () => {
    const { staked, walletReaders } = controlledReaders();
    const stream = await open(await start({ walletReaders }), walletOf(5));
    expect(await nextStep(stream)).toBe('started');
    stream.close();
    await staked.aborted;
  });

  it('end with a failure, never with 0, when the chain cannot be read', async () => {
    const { staked, walletReaders } = controlledReaders();
    const stream = await open(await start({ walletReaders }), walletOf(5));
    expect(await nextStep(stream)).toBe('started');
    staked.answer.reject(new ApiError('chain-unreadable'));
    const failure = await stream.next();
    expect(failure?.event).toBe('failure');
    expect(verificationFailure.parse(failure?.data)).toMatchObject({ status: 503, code: 'chain-unreadable' });
    expect(await stream.next()).toBeNull();
  });

  it('end with a generic failure after a bug, and log its cause', async () => {
    const { staked, walletReaders } = controlledReaders();
    const portal = await start({ walletReaders });
    const stream = await open(portal, walletOf(5));
    staked.answer.reject(new TypeError('secret cause'));
    const failure = await stream.nextOf('failure');
    expect(failure.data).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(failure.data)).not.toContain('secret');
    expect(portal.logLines.join()).toContain('secret cause');
    expect(portal.logLines.join()).not.toContain(walletOf(5));
  });

  it('end at the time limit, and the reads are aborted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { staked, walletReaders } = controlledReaders();
    const stream = await open(await start({ walletReaders }), walletOf(5));
    await stream.nextOf('step');
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect((await stream.nextOf('failure')).data).toMatchObject({ status: 503 });
    expect(await stream.next()).toBeNull();
    await staked.aborted;
  });

  it('are refused like the plain call if there is not exactly one address, or the index has no chain data yet', async () => {
    const portal = await start({ index: new FakeIndex(EMPTY_INDEX_SNAPSHOT) });
    for (const [wallet, status] of [
      ['', 400],
      [`${walletOf(1)}&walletAddress=${walletOf(2)}`, 400],
      [walletOf(1), 503],
    ] as const) {
      const refused = await ask(portal.port, pathOf(wallet));
      const plain = await ask(portal.port, `${verifyBdTokens.path}?walletAddress=${wallet}`);
      expect(refused.status, wallet).toBe(status);
      expect(errorBody.parse(JSON.parse(refused.body)), wallet).toEqual(JSON.parse(plain.body));
    }
  });

  it('share their rate limit with the plain call', async () => {
    const portal = await start({ rateLimits: { verifications: 2 } });
    const paths = [pathOf(walletOf(1)), `${verifyBdTokens.path}?walletAddress=${walletOf(1)}`];
    const statuses = [];
    for (const path of [...paths, ...paths]) statuses.push((await ask(portal.port, path)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it('do not start for HEAD or POST', async () => {
    const portal = await start({ walletReaders: controlledReaders().walletReaders });
    expect(await ask(portal.port, pathOf(walletOf(1)), { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
    });
    expect((await ask(portal.port, pathOf(walletOf(1)), { method: 'POST', body: '{}' })).status).toBe(405);
  });
});
