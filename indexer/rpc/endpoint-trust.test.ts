import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointsAt } from '../testing/endpoints-at.ts';
import { type Answer, type HostileServer, results, startHostileServer } from '../testing/hostile-server.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { getMultipleAccounts, getSlot } from './solana-calls.ts';

const never = new AbortController().signal;
const CHAIN = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OTHER_CHAIN = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const MINUTE = 60_000;

const node = (slot: number, genesisHash = CHAIN): Answer =>
  results(({ method }) => {
    if (method === 'getGenesisHash') return genesisHash;
    return method === 'getSlot' ? slot : { context: { slot }, value: [] };
  });

let first: HostileServer;
let second: HostileServer;
let clock: { now: number };
let pool: EndpointPool;
const told: string[] = [];

beforeEach(async () => {
  first = await startHostileServer(node(1_000));
  second = await startHostileServer(node(1_001));
  // The pool's clock goes on by itself, and by minutes where a test says so.
  const beginning = performance.now();
  clock = { now: 0 };
  told.length = 0;
  pool = createEndpointPool({
    endpoints: endpointsAt(first.url, second.url),
    random: () => 0.001,
    now: () => clock.now + performance.now() - beginning,
    onFailure: (name, { fault }) => told.push(`${name} ${fault}`),
  });
});
afterEach(async () => {
  await first.close();
  await second.close();
});

const slotNow = async () => resultOf((await pool.batch([getSlot('confirmed')], never))[0]);
const hostOf = (server: HostileServer) => new URL(server.url).host;
const healthOf = (server: HostileServer) => pool.health().find(({ name }) => name === hostOf(server));

describe('an endpoint whose slot goes back', () => {
  it('is put aside with the reason, and its answer is not taken', async () => {
    await slotNow();
    first.answerWith(node(871));
    expect(await slotNow()).toBe(1_001);
    expect(healthOf(first)).toMatchObject({
      state: 'put-aside',
      active: false,
      lastError: 'it answered for slot 871 after it had told slot 1000',
    });
    expect(told).toEqual([`${hostOf(first)} contradiction`]);
    expect(await slotNow()).toBe(1_001);
    expect(first.batches).toHaveLength(2);
  });

  it('is believed as long as it goes back no further than two healthy nodes are apart', async () => {
    await slotNow();
    first.answerWith(node(872));
    expect(await slotNow()).toBe(872);
    expect(healthOf(first)).toMatchObject({ state: 'active', slot: 1_000, slotLag: 128 });
  });

  it('is not one that answers late what it was asked early', async () => {
    const late = Promise.withResolvers<void>();
    let answer: (() => void) | undefined;
    first.answerWith((calls, response, request) => {
      answer = () => node(1_000)(calls, response, request);
      late.resolve();
    });
    const slow = slotNow();
    await late.promise;
    first.answerWith(node(5_000));
    second.answerWith(node(5_000));
    expect(await slotNow()).toBe(5_000);
    answer?.();
    expect(await slow).toBe(1_000);
    expect(healthOf(first)?.state).toBe('active');
  });
});

describe('an endpoint whose slot comes from the future', () => {
  const FUTURE = 1e9;
  const others: HostileServer[] = [];
  const honest = (): readonly string[] => [second.url, ...others.map(({ url }) => url)];
  const poolOf = (...urls: readonly string[]) => {
    const beginning = performance.now();
    pool = createEndpointPool({
      endpoints: endpointsAt(...urls),
      random: () => 0.001,
      now: () => clock.now + performance.now() - beginning,
    });
  };
  beforeEach(async () => {
    for (const slot of [999, 1_002]) others.push(await startHostileServer(node(slot)));
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map((server) => server.close()));
  });

  it('is put aside against the others, from its very first answer, and theirs are taken', async () => {
    poolOf(first.url, ...honest());
    first.answerWith(node(FUTURE));
    expect(await slotNow()).toBeLessThan(1_003);
    expect(healthOf(first)).toMatchObject({
      state: 'put-aside',
      active: false,
      lastError: expect.stringMatching(
        /^it told slot 1000000000, while the other endpoints are at 100[012]$/,
      ),
    });
    await pool.checkIdle(never);
    expect(pool.health().map(({ state, slotLag }) => [state, (slotLag ?? 0) < 10])).toEqual([
      ['put-aside', true],
      ['active', true],
      ['active', true],
      ['active', true],
    ]);
  });

  it('is put aside too where it was believed before, and where one of the others is down', async () => {
    poolOf(first.url, ...honest());
    await pool.checkIdle(never);
    others[0]?.answerWith((_, response) => response.writeHead(503).end());
    first.answerWith(node(FUTURE));
    clock.now += MINUTE;
    await pool.checkIdle(never);
    expect(healthOf(first)?.state).toBe('put-aside');
    expect(pool.health().filter(({ state }) => state === 'put-aside')).toHaveLength(1);
  });

  it('is put aside where it outruns time against one other', async () => {
    await pool.checkIdle(never);
    first.answerWith(node(FUTURE));
    clock.now += MINUTE;
    await pool.checkIdle(never);
    expect(healthOf(first)?.state).toBe('put-aside');
    expect(healthOf(second)?.state).toBe('active');
  });

  it('is not one that went on in time while the other stood still: that one lags, and is put aside until it has caught up', async () => {
    await pool.checkIdle(never);
    first.answerWith(node(1_300));
    clock.now += 2 * MINUTE;
    await pool.checkIdle(never);
    clock.now += MINUTE;
    await pool.checkIdle(never);
    clock.now += MINUTE;
    await pool.checkIdle(never);
    expect(healthOf(first)).toMatchObject({ state: 'active', slot: 1_300 });
    expect(healthOf(second)).toMatchObject({
      state: 'put-aside',
      active: false,
      lastError: 'it is 299 slots behind',
    });
    second.answerWith(node(1_299));
    clock.now += MINUTE;
    await pool.checkIdle(never);
    expect(healthOf(second)).toMatchObject({ state: 'active', active: true });
  });

  it('is not one that went on with all the others, as after a pause of the program', async () => {
    poolOf(first.url, ...honest());
    await pool.checkIdle(never);
    for (const server of [first, second, ...others]) server.answerWith(node(500_000));
    clock.now += MINUTE;
    await pool.checkIdle(never);
    expect(pool.health().map(({ state }) => state)).toEqual(['active', 'active', 'active', 'active']);
  });

  it('is put aside for a time where it is alone, and then its slot is the new beginning', async () => {
    poolOf(first.url);
    expect(await slotNow()).toBe(1_000);
    first.answerWith(node(1_500));
    expect(await slotNow()).toBe(1_500);
    first.answerWith(node(FUTURE));
    await expect(slotNow()).rejects.toThrow('its slot 1000000000 is further than time allows');
    clock.now += 1.1 * MINUTE;
    expect(await slotNow()).toBe(FUTURE);
    expect(healthOf(first)?.state).toBe('active');
  });

  it('cannot go there in small steps', async () => {
    poolOf(first.url);
    await slotNow();
    first.answerWith(node(1_500));
    await slotNow();
    first.answerWith(node(2_000));
    await expect(slotNow()).rejects.toMatchObject({ fault: 'put-aside' });
  });
});

describe('an endpoint that ignores the slot asked for', () => {
  it('is put aside, and its answer is not taken', async () => {
    const [reply] = await pool.batch([getMultipleAccounts([], 1_001)], never);
    expect(reply).toMatchObject({ ok: true, value: { slot: 1_001 }, by: hostOf(second) });
    expect(healthOf(first)).toMatchObject({
      state: 'put-aside',
      lastError: 'getMultipleAccounts answered for slot 1000, where 1001 or later was asked for',
    });
  });
});

describe('an endpoint that is distrusted', () => {
  it('is not asked, and is asked again after minutes that grow', async () => {
    pool.distrust(hostOf(first), 'it tells another balance than the events');
    expect(healthOf(first)).toMatchObject({
      state: 'put-aside',
      lastError: 'it tells another balance than the events',
    });
    expect(await slotNow()).toBe(1_001);
    second.answerWith((_, response) => response.writeHead(503).end());
    clock.now += 1.1 * MINUTE;
    expect(await slotNow()).toBe(1_000);
    pool.distrust(hostOf(first), 'it does so again');
    clock.now += 1.9 * MINUTE;
    expect(healthOf(first)?.state).toBe('put-aside');
    clock.now += 0.2 * MINUTE;
    expect(healthOf(first)?.state).toBe('active');
  });

  it('has what it was asked before not taken either', async () => {
    first.answerWith((calls, response, request) => {
      pool.distrust(hostOf(first), 'it tells another balance than the events');
      node(1_000)(calls, response, request);
    });
    expect(await slotNow()).toBe(1_001);
  });

  it('has to be one of the pool', () => {
    pool.distrust('nobody.example', 'it is not there');
    expect(pool.health().map(({ state }) => state)).toEqual(['active', 'active']);
  });

  it('shows no key that the reason quotes', () => {
    const url = `${first.url}/v2/secret-key-1`;
    const keyed = createEndpointPool({ endpoints: endpointsAt(url) });
    keyed.distrust(hostOf(first), `it answers nonsense at ${url}`);
    expect(JSON.stringify(keyed.health())).not.toContain('secret-key-1');
  });
});

describe('endpoints that are all put aside', () => {
  it('answer nothing until one is tried again: no figure is better than a wrong one', async () => {
    await slotNow();
    await pool.checkIdle(never);
    first.answerWith(node(1));
    second.answerWith(node(2));
    const none = /^No endpoint is left to ask\. .*slot 1 after.*slot 2 after/;
    await expect(slotNow()).rejects.toThrow(none);
    const asked = [first.batches.length, second.batches.length];
    await expect(slotNow()).rejects.toMatchObject({ fault: 'put-aside' });
    expect([first.batches.length, second.batches.length]).toEqual(asked);
    expect(pool.health()).toMatchObject([
      { state: 'put-aside', active: false },
      { state: 'put-aside', active: false },
    ]);
    clock.now += 1.1 * MINUTE;
    expect([1, 2]).toContain(await slotNow());
  });

  it('are looked at anew: one that is of another chain by then is never taken', async () => {
    pool.pinChain(CHAIN);
    await slotNow();
    first.answerWith(node(5, OTHER_CHAIN));
    await slotNow();
    clock.now += 1.1 * MINUTE;
    second.answerWith((_, response) => response.writeHead(503).end());
    const replies = await pool.batch([getSlot('confirmed')], never);
    expect(replies).toMatchObject([{ ok: false }]);
    clock.now += 1_000 * MINUTE;
    expect(healthOf(first)).toMatchObject({
      state: 'put-aside',
      lastError: expect.stringContaining('another chain'),
    });
  });
});

describe('an endpoint that lags', () => {
  it('loses the work to one that is further, and has it again where that one fails', async () => {
    await slotNow();
    second.answerWith(node(1_060));
    clock.now += MINUTE;
    await pool.checkIdle(never);
    expect(await slotNow()).toBe(1_000);
    expect(healthOf(first)).toMatchObject({ state: 'active', slotLag: 60 });
    expect(await slotNow()).toBe(1_060);
    expect(await slotNow()).toBe(1_060);
    second.answerWith((_, response) => response.writeHead(503).end());
    expect(await slotNow()).toBe(1_000);
  });
});

describe('asking each endpoint', () => {
  it('gives what each says, failures too, one batch each', async () => {
    second.answerWith((_, response) => response.writeHead(503).end());
    const answers = await pool.askEach([getSlot('confirmed'), getSlot('finalized')], never);
    expect(answers).toMatchObject([
      {
        endpoint: hostOf(first),
        replies: [
          { ok: true, value: 1_000, by: hostOf(first) },
          { ok: true, value: 1_000, by: hostOf(first) },
        ],
      },
      {
        endpoint: hostOf(second),
        replies: [
          { ok: false, error: { fault: 'server' }, by: hostOf(second) },
          { ok: false, error: { fault: 'server' }, by: hostOf(second) },
        ],
      },
    ]);
    // And what the first slot of one is compared with.
    expect(second.batches.map((calls) => calls.length).toSorted()).toEqual([1, 2]);
    expect(first.batches.map((calls) => calls.length)).toEqual([2]);
  });

  it('does not wait for one that rests, nor for long for one that hangs, where little time is given', async () => {
    const hangs = await startHostileServer(() => {});
    const three = createEndpointPool({
      endpoints: endpointsAt(first.url, second.url, hangs.url),
      random: () => 0.001,
    });
    first.answerWith((_, response) => response.writeHead(429, { 'retry-after': '4' }).end());
    await three.batch([getSlot('confirmed')], never);
    const asked = first.batches.length;
    const before = performance.now();
    const answers = await three.askEach([getSlot('finalized')], never, 100);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(answers).toMatchObject([
      { replies: [{ ok: false, error: { fault: 'resting' } }] },
      { replies: [{ ok: true, value: 1_001 }] },
      { replies: [{ ok: false }] },
    ]);
    expect(first.batches).toHaveLength(asked);
    await hangs.close();
  });

  it('asks one that is put aside for a time, and leaves it there', async () => {
    pool.distrust(hostOf(first), 'it contradicts the events');
    const answers = await pool.askEach([getSlot('confirmed')], never);
    expect(answers.map(({ replies: [reply] }) => resultOf(reply))).toEqual([1_000, 1_001]);
    expect(healthOf(first)?.state).toBe('put-aside');
  });

  it('does not ask one of another chain', async () => {
    pool.pinChain(CHAIN);
    first.answerWith(node(1_000, OTHER_CHAIN));
    await slotNow();
    const answers = await pool.askEach([getSlot('confirmed')], never);
    expect(answers.map(({ endpoint }) => endpoint)).toEqual([hostOf(second)]);
  });

  it('leaves one alone that asked to be, and says so', async () => {
    first.answerWith((_, response) => response.writeHead(429, { 'retry-after': '30' }).end());
    await slotNow();
    const [resting, answered] = await pool.askEach([getSlot('confirmed')], never);
    expect(resting?.replies[0]).toMatchObject({ ok: false, error: { fault: 'resting' } });
    expect(answered?.replies[0]).toMatchObject({ ok: true });
    expect(first.batches).toHaveLength(1);
  });
});
