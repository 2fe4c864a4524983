import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointsAt } from '../testing/endpoints-at.ts';
import { type Answer, type HostileServer, results, startHostileServer } from '../testing/hostile-server.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { getSlot } from './solana-calls.ts';

const never = new AbortController().signal;
const WITHIN_MS = 150;

const slot = (number: number): Answer => results(() => number);
const failing: Answer = (_calls, response) => void response.writeHead(500).end();
const silent: Answer = () => {};

let first: HostileServer;
let second: HostileServer;
let pool: EndpointPool;
beforeEach(async () => {
  first = await startHostileServer(slot(1_000));
  second = await startHostileServer(slot(1_001));
  pool = createEndpointPool({ endpoints: endpointsAt(first.url, second.url) });
});
afterEach(async () => {
  await first.close();
  await second.close();
});

const nameOf = (server: HostileServer) => new URL(server.url).host;
const ask = async () => {
  const [reply] = await pool.askBeside([getSlot('confirmed')], never, WITHIN_MS);
  return reply;
};

describe('asking beside the work', () => {
  it('takes the first answer, and asks no other endpoint then', async () => {
    expect(await ask()).toEqual({ ok: true, value: 1_000, by: nameOf(first) });
    expect(second.batches).toEqual([]);
  });

  it.each([
    ['fails', failing],
    ['is silent', silent],
  ])('goes on where an endpoint %s, and what is known of it stays as it was', async (_case, answer) => {
    const before = pool.health();
    first.answerWith(answer);
    expect(await ask()).toEqual({ ok: true, value: 1_001, by: nameOf(second) });
    expect(pool.health()).toEqual(before);
    first.answerWith(slot(1_002));
    const [next] = await pool.batch([getSlot('confirmed')], never);
    expect(next).toEqual({ ok: true, value: 1_002, by: nameOf(first) });
  });

  it('gives the last fault back where none answers', async () => {
    first.answerWith(failing);
    second.answerWith(silent);
    const reply = await ask();
    expect(() => reply && resultOf(reply)).toThrow(`no answer within ${WITHIN_MS} ms`);
    expect(reply?.by).toBe(nameOf(second));
  });

  it('asks none that is not believed', async () => {
    pool.distrust(nameOf(first), 'it lied');
    expect(await ask()).toMatchObject({ by: nameOf(second) });
    pool.distrust(nameOf(second), 'it lied too');
    await expect(ask()).rejects.toMatchObject({ fault: 'put-aside' });
    expect(first.batches).toEqual([]);
  });

  it('asks none that rests after a failure', async () => {
    first.answerWith(failing);
    await pool.batch([getSlot('confirmed')], never);
    first.batches.length = 0;
    first.answerWith(slot(1_000));
    expect(pool.health()[0]?.state).toBe('resting');
    expect(await ask()).toMatchObject({ by: nameOf(second) });
    expect(first.batches).toEqual([]);
  });

  it('asks none whose chain is not known to be the followed one', async () => {
    pool.pinChain('a chain');
    const reply = await ask();
    expect(reply).toMatchObject({ ok: false, by: '', error: { fault: 'resting' } });
    expect([...first.batches, ...second.batches]).toEqual([]);
  });
});
