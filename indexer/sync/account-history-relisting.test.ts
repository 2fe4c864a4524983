// @module-tag slow
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventBatch } from '../../data/store/ports.ts';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import {
  endpointsAt,
  type FakeServer,
  type Responder,
  respondWithReplies,
  startFakeServer,
} from '../testing/fake-server.ts';
import {
  advanceUntilCaughtUp,
  createVaultHistory,
  expectedEvents,
  IDENTITY,
  indexedEvents,
  neverAborted,
  type PastTransaction,
  type ScriptedNode,
  scriptedNode,
  tick,
  transactionsAt,
  VAULT,
} from '../testing/scripted-history.ts';
import { unknownSignatureError } from '../testing/scripted-pool.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import type { HistoryWriter } from './account-history.ts';
import { HistoryGapError } from './signature-pages.ts';

/** These tests list the whole history again with the real pool, including its pauses and its choice of endpoint. */

const PAST = transactionsAt(Array.from({ length: 60 }, (_, position) => 10 + position));
/** The first slot that an endpoint with only recent history keeps. */
const RECENT_FROM = 55;
/** `PAST` without one old and one recent transaction. */
const INCOMPLETE = PAST.filter((_, position) => position !== 2 && position !== 50);
const ROUND_MS = 1_000;

let index: TestIndex;
let clock: number;
let givenUp: unknown[];
const servers: FakeServer[] = [];
beforeEach(async () => {
  index = await openTestIndex(IDENTITY);
  clock = 0;
  givenUp = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await index.close();
});

const answersOf = ({ methods }: ScriptedNode, tookMs = 0): Responder => {
  const respond = respondWithReplies(({ method, params }) => {
    if (method === 'getSlot') return { result: 100 };
    try {
      return { result: methods[method]?.(...(params as readonly never[])) };
    } catch (error) {
      if (error instanceof RpcRequestError) return { error: { code: error.code, message: error.message } };
      throw error;
    }
  });
  return (...request) => {
    clock += tookMs;
    respond(...request);
  };
};

/** Indexes `INCOMPLETE`, then lists the whole history again from endpoints with these answers. */
async function relist(...responders: readonly Responder[]) {
  const before = scriptedNode(VAULT, INCOMPLETE);
  await advanceUntilCaughtUp(before, createVaultHistory(before, index.writer));
  for (const responder of responders) servers.push(await startFakeServer(responder));
  const pool = createEndpointPool({
    endpoints: endpointsAt(...servers.map(({ url }) => url)),
    now: () => clock,
    random: () => 0.001,
  });
  await pool.measureIdleEndpoints(neverAborted);
  const node = { ...scriptedNode(VAULT, PAST), pool: pool as ScriptedNode['pool'] };
  const onRelistingGivenUp = (error: unknown) => void givenUp.push(error);
  const batches: EventBatch[] = [];
  const writer: HistoryWriter = {
    ...index.writer,
    async commitEvents(batch) {
      batches.push(batch);
      await index.writer.commitEvents(batch);
    },
  };
  const history = createVaultHistory(node, writer, { onRelistingGivenUp }, () => clock);
  history.restart();
  return {
    history,
    node,
    batches,
    async runUntilCaughtUp(): Promise<void> {
      for (let rounds = 0; rounds < 500; rounds += 1) {
        const progress = await tick(node, history).catch(() => null);
        if (progress?.state === 'caught-up') return;
        clock += ROUND_MS;
      }
      throw new Error('the history never caught up');
    },
  };
}

const recentNode = () =>
  Object.assign(scriptedNode(VAULT, PAST), { historyFrom: RECENT_FROM, firstBlock: RECENT_FROM });

describe('listing the whole history again', () => {
  it('completes if the endpoint in use keeps only recent history, and a slow one keeps everything', async () => {
    const { runUntilCaughtUp } = await relist(
      answersOf(recentNode()),
      answersOf(scriptedNode(VAULT, PAST), 2_000),
    );
    await runUntilCaughtUp();
    expect(givenUp).toEqual([]);
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
  });

  it('completes if one endpoint keeps only recent history, one refuses lists, and a slow one keeps everything', async () => {
    const refusing = Object.assign(scriptedNode(VAULT, PAST), { refusesLists: true });
    const whole = scriptedNode(VAULT, PAST);
    const { runUntilCaughtUp } = await relist(
      answersOf(recentNode()),
      answersOf(refusing),
      answersOf(whole, 2_000),
    );
    await runUntilCaughtUp();
    expect(givenUp).toEqual([]);
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
  });

  it('is given up, with one report, if every endpoint keeps only recent history, and indexing continues', async () => {
    const nodes = [recentNode(), recentNode()];
    const { runUntilCaughtUp } = await relist(...nodes.map((node) => answersOf(node)));
    const [newer] = transactionsAt([90]).map((one) => ({ ...one, signature: 'newer' }));
    for (const node of nodes) node.history.push(newer as PastTransaction);
    await runUntilCaughtUp();
    expect(givenUp).toEqual([expect.any(HistoryGapError)]);
    const signatures = (await indexedEvents(index)).map(({ signature }) => signature);
    expect(signatures).toEqual([...expectedEvents(INCOMPLETE).map((one) => one.signature), 'newer']);
    await runUntilCaughtUp();
    expect(givenUp).toHaveLength(1);
  });

  it('is not given up while no endpoint answers', async () => {
    const { history, runUntilCaughtUp } = await relist(answersOf(scriptedNode(VAULT, PAST)));
    const error = new RetryableRpcError('server', 'HTTP 503');
    const unanswered = { ok: false, error, endpointName: 'one' } as const;
    const head = { page: unanswered, finalizedSlot: unanswered, requestedAt: 0 };
    for (let rounds = 0; rounds < 20; rounds += 1)
      await expect(history.advance(head, neverAborted)).rejects.toBe(error);
    expect(givenUp).toEqual([]);
    await runUntilCaughtUp();
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
  });

  it('fails immediately if the endpoint cannot continue after a committed window', async () => {
    const { history, node, batches } = await relist(answersOf(scriptedNode(VAULT, PAST), 2_000));
    for (let rounds = 0; rounds < 20 && batches.length === 0; rounds += 1) await tick(node, history);
    await expect(history.advance(null, AbortSignal.abort())).rejects.toThrow();
    const page = { ok: false, error: unknownSignatureError(), endpointName: 'one' } as const;
    const finalizedSlot = { ok: true, value: 100, endpointName: 'other' } as const;
    const progress = history.advance({ page, finalizedSlot, requestedAt: 0 }, neverAborted);
    await expect(progress).rejects.toThrow(HistoryGapError);
  });

  it('does not count as caught up at the end of a lagging endpoint’s list: the next round lists from the stored cursor', async () => {
    const lagging = scriptedNode(VAULT, PAST.slice(0, 56));
    const { history, node, runUntilCaughtUp, batches } = await relist(
      answersOf(lagging),
      answersOf(scriptedNode(VAULT, PAST), 2_000),
    );
    const newestSignature = PAST.at(-1)?.signature;
    const listsFromStoredCursor = async () =>
      JSON.stringify((await history.headCall())?.params).includes(`"until":"${newestSignature}"`);
    for (let rounds = 0; rounds < 50 && !(await listsFromStoredCursor()); rounds += 1)
      await tick(node, history);
    expect(await listsFromStoredCursor()).toBe(true);
    expect(batches.filter(({ caughtUpAt }) => caughtUpAt !== undefined)).toEqual([]);
    await runUntilCaughtUp();
    expect(await indexedEvents(index)).toEqual(expectedEvents(PAST));
  });
});
