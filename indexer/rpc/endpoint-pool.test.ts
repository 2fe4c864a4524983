import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointsAt } from '../testing/endpoints-at.ts';
import {
  type Answer,
  type HostileServer,
  replyWith,
  results,
  startHostileServer,
} from '../testing/hostile-server.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { getGenesisHash, getSlot } from './solana-calls.ts';

const never = new AbortController().signal;
const CHAIN = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OTHER_CHAIN = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

const node = (slot: number, genesisHash = CHAIN): Answer =>
  results(({ method }) => (method === 'getGenesisHash' ? genesisHash : slot));
const down: Answer = (_, response) => response.writeHead(503).end();

let first: HostileServer;
let second: HostileServer;
/** Never waits long: what is drawn is the shortest backoff. */
let pool: EndpointPool;
const failures: string[] = [];

beforeEach(async () => {
  first = await startHostileServer(node(1));
  second = await startHostileServer(node(2));
  failures.length = 0;
  pool = createEndpointPool({
    endpoints: endpointsAt(first.url, second.url),
    random: () => 0.001,
    onFailure: (name, { fault }) => failures.push(`${name} ${fault}`),
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await first.close();
  await second.close();
});

const slotNow = async () => resultOf((await pool.batch([getSlot('confirmed')], never))[0]);
const healthOf = (server: HostileServer) => pool.health().find(({ name }) => server.url.endsWith(name));

function isFinalized(param: unknown): boolean {
  return JSON.stringify(param).includes('finalized');
}

describe('an endpoint pool', () => {
  it('stays with the first endpoint while it answers', async () => {
    for (let times = 0; times < 5; times += 1) expect(await slotNow()).toBe(1);
    // Its slot alone, once, to compare the first slot of the other with.
    expect(second.batches).toHaveLength(1);
  });

  it('goes to the next where one fails, stays there, and tells the failure', async () => {
    first.answerWith(down);
    expect(await slotNow()).toBe(2);
    expect(await slotNow()).toBe(2);
    // Once for the work, and once for its slot.
    expect(first.batches).toHaveLength(2);
    expect(new Set(failures)).toEqual(new Set([`${new URL(first.url).host} server`]));
    expect(healthOf(first)).toMatchObject({ active: false, errorCount: 2, lastError: 'HTTP 503' });
    expect(healthOf(second)).toMatchObject({ active: true, errorCount: 0, slot: 2, lastError: null });
  });

  it('comes back to an endpoint that recovered where the other fails', async () => {
    first.answerWith(down);
    await slotNow();
    first.answerWith(node(3));
    second.answerWith(down);
    expect(await slotNow()).toBe(3);
    expect(healthOf(first)?.active).toBe(true);
  });

  it('gives a call that keeps failing back to its caller, with the answers of the others', async () => {
    const moody: Answer = (calls, response) =>
      replyWith(
        response,
        calls.map(({ id, method }) =>
          method === 'getSlot'
            ? { id, result: 5 }
            : { id, error: { code: -32603, message: 'internal error' } },
        ),
      );
    first.answerWith(moody);
    second.answerWith(moody);
    const replies = await pool.batch([getSlot('confirmed'), getGenesisHash()], never);
    expect(replies).toMatchObject([
      { ok: true, value: 5 },
      { ok: false, error: { name: 'RetryableRpcError', code: -32603 } },
    ]);
    // What was answered is asked once; the rest a few times, of each in turn.
    expect(first.batches.map((calls) => calls.length)).toEqual([2, 1, 1]);
    const [comparison, ...work] = second.batches;
    expect(comparison?.map(({ method }) => method)).toEqual(['getSlot']);
    expect(work.map((calls) => calls.length)).toEqual([1, 1, 1]);
    expect(healthOf(first)).toMatchObject({ active: true, errorCount: 3 });
    expect(await slotNow()).toBe(5);
    expect(first.batches).toHaveLength(4);
  });

  it('gives up a batch for which every endpoint fails again and again', async () => {
    first.answerWith(down);
    second.answerWith(down);
    expect(await pool.batch([getSlot('confirmed')], never)).toMatchObject([
      { ok: false, error: { name: 'RetryableRpcError', fault: 'server' } },
    ]);
    expect(failures).toHaveLength(6);
  });

  it('keeps trying while all fail, until one answers', async () => {
    let left = 5;
    const failing: Answer = (calls, response, request) => {
      left -= 1;
      (left < 0 ? node(9) : down)(calls, response, request);
    };
    first.answerWith(failing);
    second.answerWith(failing);
    expect(await slotNow()).toBe(9);
    expect(failures).toHaveLength(5);
  });

  it('leaves an endpoint alone for as long as it asked', async () => {
    first.answerWith((_, response) => response.writeHead(429, { 'retry-after': '60' }).end());
    await slotNow();
    second.answerWith(down);
    expect(await pool.batch([getSlot('confirmed')], never)).toMatchObject([{ ok: false }]);
    expect(second.batches.length).toBeGreaterThan(4);
    expect(first.batches).toHaveLength(1);
  });

  it('asks an endpoint again after its rest where the system clock stepped back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let answers = 0;
    first.answerWith((calls, response, request) => {
      answers += 1;
      (answers === 1 ? down : node(7))(calls, response, request);
    });
    const alone = createEndpointPool({
      endpoints: endpointsAt(first.url),
      random: () => 0.01,
      onFailure: () => void vi.setSystemTime(Date.now() - 3_600_000),
    });
    const [reply] = await alone.batch([getSlot('confirmed')], AbortSignal.timeout(2_000));
    expect(resultOf(reply)).toBe(7);
  });

  it('stops trying when the program is told to stop', async () => {
    first.answerWith((_, response) => response.writeHead(429, { 'retry-after': '60' }).end());
    const alone = createEndpointPool({ endpoints: endpointsAt(first.url) });
    const controller = new AbortController();
    const waiting = alone.batch([getSlot('confirmed')], controller.signal);
    await expect.poll(() => first.batches.length, { interval: 5 }).toBe(1);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('does not ask again what was answered, only what may still succeed', async () => {
    first.answerWith((calls, response) =>
      replyWith(
        response,
        calls.map(({ id }, index) =>
          index === 1 ? { id, error: { code: -32005, message: 'behind' } } : { id, result: 1 },
        ),
      ),
    );
    const replies = await pool.batch(
      [getSlot('confirmed'), getSlot('finalized'), getSlot('confirmed')],
      never,
    );
    expect(replies.map(resultOf)).toEqual([1, 2, 1]);
    const finalized = second.batches.filter(([call]) => call?.params.some((param) => isFinalized(param)));
    expect(finalized.map((calls) => calls.length)).toEqual([1]);
  });

  it('hands a refusal of the request to the caller: no other endpoint would answer it', async () => {
    first.answerWith((calls, response) =>
      replyWith(
        response,
        calls.map(({ id }) => ({ id, error: { code: -32602, message: 'bad parameter' } })),
      ),
    );
    const replies = await pool.batch([getSlot('confirmed')], never);
    expect(replies[0]).toMatchObject({ ok: false, error: { code: -32602 } });
    expect(second.batches).toHaveLength(0);
    expect(healthOf(first)).toMatchObject({ active: true, errorCount: 0 });
  });

  it('puts an endpoint of another chain aside, and never takes an answer from it', async () => {
    pool.pinChain(CHAIN);
    first.answerWith(node(1, OTHER_CHAIN));
    expect(await slotNow()).toBe(2);
    expect(first.batches.flat().map(({ method }) => method)).toEqual(['getGenesisHash']);
    expect(healthOf(first)).toMatchObject({
      active: false,
      lastError: expect.stringContaining('another chain'),
    });
    second.answerWith(node(2, OTHER_CHAIN));
    const alone = createEndpointPool({ endpoints: endpointsAt(first.url, second.url) });
    alone.pinChain(CHAIN);
    await expect(alone.batch([getSlot('confirmed')], never)).rejects.toThrow(/No endpoint is left/);
  });

  it('says who answered each call, and who was asked last for one that failed', async () => {
    first.answerWith(down);
    const [, other] = [first, second].map(({ url }) => new URL(url).host);
    expect(await pool.batch([getSlot('confirmed')], never)).toMatchObject([{ ok: true, by: other }]);
    second.answerWith(down);
    const [reply] = await pool.batch([getSlot('confirmed')], never);
    expect(reply).toMatchObject({ ok: false, by: failures.at(-1)?.split(' ')[0] });
  });

  it('asks elsewhere before it asks the same endpoint again, however short the pause is', async () => {
    first.answerWith((calls, response) =>
      replyWith(
        response,
        calls.map(({ id }) => ({ id, error: { code: -32603, message: 'internal error' } })),
      ),
    );
    const hasty = createEndpointPool({ endpoints: endpointsAt(first.url, second.url), random: () => 0 });
    expect(await hasty.batch([getGenesisHash()], never)).toMatchObject([{ ok: true, value: CHAIN }]);
    expect(first.batches).toHaveLength(1);
  });

  it('answers an empty batch without asking', async () => {
    expect(await pool.batch([], never)).toEqual([]);
    expect(first.batches).toHaveLength(0);
  });

  it('asks idle endpoints so that their health is known', async () => {
    await pool.checkIdle(never);
    expect(pool.health()).toMatchObject([
      { active: true, slot: 1 },
      { active: true, slot: 2 },
    ]);
    const asked = first.batches.length;
    await pool.checkIdle(never);
    expect(first.batches).toHaveLength(asked);
  });

  it('judges each endpoint when it is asked to', async () => {
    const gone = await startHostileServer(node(1));
    const page = await startHostileServer((_, response) => response.end('<title>hello</title>'));
    const locked = await startHostileServer((_, response) => response.writeHead(401).end());
    await gone.close();
    const mixed = createEndpointPool({ endpoints: endpointsAt(first.url, gone.url, page.url, locked.url) });
    expect(await mixed.probe(never)).toMatchObject([
      { kind: 'solana', genesisHash: CHAIN },
      { kind: 'unreachable' },
      { kind: 'not-solana' },
      { kind: 'refused' },
    ]);
    await page.close();
    await locked.close();
  });

  it('takes replies that do not match for a fault of the moment: they are JSON-RPC', async () => {
    first.answerWith((_, response) => replyWith(response, []));
    expect((await pool.probe(never))[0]).toMatchObject({ kind: 'unreachable' });
  });

  it('does not judge an endpoint by one broken answer', async () => {
    let isBroken = true;
    first.answerWith((calls, response, request) => {
      if (isBroken) response.end('[{"trunc');
      else node(1)(calls, response, request);
      isBroken = false;
    });
    expect((await pool.probe(never))[0]).toMatchObject({ kind: 'solana' });
  });

  it('does not call an endpoint no Solana whose answers are cut off, however many are', async () => {
    first.answerWith((_, response) => response.end('[{"jsonrpc":"2.0","resu'));
    expect((await pool.probe(never))[0]).toMatchObject({ kind: 'unreachable' });
  });

  it.each([
    ['cut off, then odd', ['[{"jsonrpc":"2.0","resu', 'odd']],
    ['odd, then cut off', ['odd', '[{"jsonrpc":"2.0","resu']],
    ['a page, then odd', ['<title>Be right back</title>', 'odd']],
  ])(
    'does not call an endpoint no Solana that answers in one bad way after another: %s',
    async (_how, ways) => {
      let asked = 0;
      first.answerWith((calls, response, request) => {
        // Longer than any one fault of the moment lasts.
        const way = ways[Math.floor(asked / 4) % 2] ?? '';
        asked += 1;
        if (way === 'odd') results(() => 'odd')(calls, response, request);
        else response.end(way);
      });
      expect((await pool.probe(never))[0]).toMatchObject({ kind: 'unreachable' });
      expect((await pool.probe(never))[0]).toMatchObject({ kind: 'unreachable' });
    },
  );

  it('waits a fault of the moment out, of whichever kind', async () => {
    let asked = 0;
    first.answerWith((calls, response, request) => {
      asked += 1;
      if (asked > 8) node(1)(calls, response, request);
      else response.end('<title>Be right back</title>');
    });
    expect((await pool.probe(never))[0]).toMatchObject({ kind: 'solana', genesisHash: CHAIN });
  });

  it('judges none that is too slow to be judged in time', async () => {
    first.answerWith((_, response) => setTimeout(() => response.end('<title>hello</title>'), 60));
    const hasty = createEndpointPool({ endpoints: endpointsAt(first.url), timeoutMs: 300 });
    expect(await hasty.probe(never)).toMatchObject([{ kind: 'unreachable' }]);
  });
});
