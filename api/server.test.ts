import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '../data/contract/call.ts';
import { CALLS } from '../data/contract/calls.ts';
import { walletChallenge } from '../data/contract/wallet-session.ts';
import { NOTHING_INDEXED } from '../data/store/ports.ts';
import { breakCall } from './testing/broken-call.ts';
import { FakeIndex, TEST_START } from './testing/fake-index.ts';
import { type Ask, ask, askRaw } from './testing/portal-client.ts';
import { walletOf } from './testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from './testing/test-portal.ts';

const BALANCE = '/api/vault/live-balance';
const WRITE = walletChallenge.path;
const WRITTEN = JSON.stringify({ walletAddress: walletOf(1) });
const SECRET = 'secret of /srv/portal/api/secret.ts';

let portal: TestPortal;
let sendBroken: ReturnType<typeof breakCall>;

beforeAll(async () => {
  portal = await startTestPortal();
  sendBroken = breakCall(portal, SECRET);
});
afterAll(() => portal.close());

const send = (path: string, options?: Ask) => ask(portal.port, path, options);
const json = (body: string, more: Record<string, string> = {}): Ask => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...more },
  body,
});

describe('every live call', () => {
  it.each(CALLS.filter((call) => call.live).map((call) => [call.path, call] as const))(
    '%s answers what its contract says',
    async (path, call) => {
      const answer = await send(path);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(answer.body)),
        'cache-control': 'no-cache',
        etag: expect.stringMatching(/^"[\w-]+"$/),
      });
      expect(call.response.safeParse(JSON.parse(answer.body)).error).toBeUndefined();
    },
  );

  it('answers 503 with Retry-After while nothing is indexed', async () => {
    const empty = await startTestPortal({ index: new FakeIndex(NOTHING_INDEXED) });
    for (const call of CALLS.filter(({ live }) => live)) {
      const answer = await ask(empty.port, call.path);
      const [code] = call.errors ?? [];
      expect(answer.status, call.path).toBe(code === undefined ? 200 : 503);
      if (code === undefined) continue;
      expect(answer.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
      expect(JSON.parse(answer.body)).toMatchObject({ success: false, code });
    }
    await empty.close();
  });

  it('answers the same with a query, in absolute form, and to HEAD without the body', async () => {
    const plain = await send(BALANCE);
    for (const path of [
      `${BALANCE}?t=1`,
      `${BALANCE}?`,
      `http://portal.example.com${BALANCE}?t=1`,
      `http://odd;host${BALANCE}`,
    ]) {
      const answer = await send(path);
      expect([answer.status, answer.body, answer.headers.etag]).toEqual([
        200,
        plain.body,
        plain.headers.etag,
      ]);
    }
    const head = await send(BALANCE, { method: 'HEAD' });
    expect(head).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': plain.headers['content-length'] },
    });
  });

  it('answers 304 for the same bytes, and 200 once they differ', async () => {
    const own = await startTestPortal();
    const { headers } = await ask(own.port, BALANCE);
    const conditional = { headers: { 'If-None-Match': headers.etag ?? '' } };
    const same = await ask(own.port, BALANCE, conditional);
    expect(same).toMatchObject({
      status: 304,
      body: '',
      headers: { etag: headers.etag, 'cache-control': 'no-cache' },
    });
    own.index.commitChain({ readAt: TEST_START + 1 });
    await own.pollAt(TEST_START + 1);
    expect((await ask(own.port, BALANCE, conditional)).status).toBe(200);
    await own.close();
  });

  it('ages by the clock: live, ageing, stale', async () => {
    const own = await startTestPortal();
    const states: string[] = [];
    for (const age of [0, 10_000, 10_001, 60_000, 60_001]) {
      await own.pollAt(TEST_START + age);
      states.push(JSON.parse((await ask(own.port, BALANCE)).body).state);
    }
    expect(states).toEqual(['live', 'live', 'ageing', 'ageing', 'stale']);
    await own.close();
  });
});

describe('a request that cannot be answered', () => {
  it.each<[string, string, Ask, number, string]>([
    ['an unknown call', '/api/nope', {}, 404, 'unknown-call'],
    ['the root of the API', '/api', {}, 404, 'unknown-call'],
    ['a call with a closing slash', `${BALANCE}/`, {}, 404, 'unknown-call'],
    ['an unknown call by POST', '/api/nope', json('{}'), 404, 'unknown-call'],
    ['a reading call by POST', BALANCE, json('{}'), 405, 'method-not-allowed'],
    ['a reading call by DELETE', BALANCE, { method: 'DELETE' }, 405, 'method-not-allowed'],
    ['a reading call by OPTIONS', BALANCE, { method: 'OPTIONS' }, 405, 'method-not-allowed'],
    ['a writing call by GET', WRITE, {}, 405, 'method-not-allowed'],
    ['malformed JSON', WRITE, json('{"a":'), 400, 'malformed-json'],
    ['a bare value', WRITE, json('"text"'), 400, 'malformed-json'],
    ['a body over 64 kB', WRITE, json(`"${'x'.repeat(65_536)}"`), 413, 'body-too-large'],
    [
      'a body in an unknown encoding',
      WRITE,
      json('{}', { 'Content-Encoding': 'zip' }),
      415,
      'unsupported-body',
    ],
    [
      'a body in an unknown charset',
      WRITE,
      json('{}', { 'Content-Type': 'application/json; charset=x' }),
      415,
      'unsupported-body',
    ],
    [
      'a body that is not gzip although it says so',
      WRITE,
      json('{}', { 'Content-Encoding': 'gzip' }),
      400,
      'malformed-request',
    ],
    ['a write from another site', WRITE, json('{}', { Origin: 'https://evil.example' }), 403, 'cross-origin'],
    ['a write from a sandboxed page', WRITE, json('{}', { Origin: 'null' }), 403, 'cross-origin'],
    [
      'a write from a site of the same registered name',
      WRITE,
      json('{}', { 'Sec-Fetch-Site': 'same-site' }),
      403,
      'cross-origin',
    ],
    ['a path with a stray percent sign', '/%zz', {}, 400, 'malformed-path'],
  ])('%s gets its status and code', async (_case, path, options, status, code) => {
    const answer = await send(path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(errorBody.parse(JSON.parse(answer.body))).toMatchObject({ success: false, code });
  });

  it('names the allowed methods', async () => {
    expect((await send(BALANCE, { method: 'PUT' })).headers.allow).toBe('GET, HEAD');
    expect((await send(WRITE)).headers.allow).toBe('POST');
  });

  it('logs an unexpected error under the id that the client gets, without the query', async () => {
    const { status, headers, body } = await sendBroken('?mail=secret');
    expect([status, headers['cache-control'], JSON.parse(body).code]).toEqual([500, 'no-store', 'internal']);
    const id = /[0-9a-f-]{36}/.exec(body)?.[0] ?? 'no id';
    expect(body).not.toMatch(/secret|\.ts|at /);
    const line = portal.logged.find((logged) => logged.includes(id)) ?? '';
    expect(line).toContain(SECRET);
    expect(line).not.toContain('mail=');
  });
});

describe('a write', () => {
  it.each([
    ['without browser headers', {}],
    ['from the portal’s own page', { 'Sec-Fetch-Site': 'same-origin' }],
  ])('%s is accepted', async (_case, headers) => {
    expect((await send(WRITE, json(WRITTEN, headers))).status).toBe(200);
  });

  it('is accepted from this machine’s names on the portal’s port', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const answer = await send(WRITE, json(WRITTEN, { Origin: `http://${host}:${portal.port}` }));
      expect(answer.status, host).toBe(200);
    }
    expect((await send(WRITE, json('{}', { Origin: 'http://localhost:1' }))).status).toBe(403);
  });

  it('is accepted only from the public origin, if one is configured', async () => {
    const own = await startTestPortal({ publicOrigin: 'https://portal.example.com' });
    const status = async (origin: string) =>
      (await ask(own.port, WRITE, json(WRITTEN, { Origin: origin }))).status;
    expect(await status('https://portal.example.com')).toBe(200);
    expect(await status('http://portal.example.com')).toBe(403);
    expect(await status(`http://localhost:${own.port}`)).toBe(403);
    await own.close();
  });
});

describe('too many calls', () => {
  it('are rejected with Retry-After, while figures are still served', async () => {
    const own = await startTestPortal({ rateLimits: { calls: 2 } });
    const statuses = [];
    for (let call = 0; call < 3; call++) statuses.push((await ask(own.port, '/api/nope')).status);
    expect(statuses).toEqual([404, 404, 429]);
    const refused = await ask(own.port, '/api/nope');
    expect(refused.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      ratelimit: expect.any(String),
    });
    expect(JSON.parse(refused.body)).toMatchObject({ success: false, code: 'too-many-requests' });
    expect((await ask(own.port, BALANCE)).status).toBe(200);
    await own.close();
  });

  it('count by the client address that a proxy on this machine reports', async () => {
    const own = await startTestPortal({ rateLimits: { calls: 1 } });
    const from = (address: string) => ask(own.port, '/api/nope', { headers: { 'X-Forwarded-For': address } });
    const statuses = [];
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1'])
      statuses.push((await from(address)).status);
    expect(statuses).toEqual([404, 404, 429]);
    await own.close();
  });
});

describe('a malformed request', () => {
  it('gets an error body with the security headers', async () => {
    const answers = await Promise.all([
      askRaw(portal.port, 'this is not HTTP\r\n\r\n'),
      askRaw(portal.port, `GET ${BALANCE} HTTP/1.1\r\nConnection: close\r\n\r\n`),
      askRaw(portal.port, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
    ]);
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual([
      'HTTP/1.1 400',
      'HTTP/1.1 400',
      'HTTP/1.1 431',
    ]);
    for (const answer of answers) {
      expect(answer).toContain('x-content-type-options: nosniff\r\n');
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(errorBody.parse(JSON.parse(body)).success).toBe(false);
      expect(head).toContain(`Content-Length: ${body.length}`);
    }
  });
});

describe('hostile targets', () => {
  it.each([
    '/api/%2e%2e/',
    '/api/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/....//....//etc/passwd',
    '/api//vault/live-balance',
    '//',
    '//evil.example/api',
    '/\\..\\..\\windows',
    '/%00',
    '/api/%00',
    '/%',
    '/api/%zz',
    '/%c0%ae%c0%ae/',
    '/%u002e',
    '/api/vault/live-balance%00',
    '/api/vault/live-balance;x=1',
    '/api/live/..',
    '/__proto__',
    '/constructor',
    '/api/__proto__',
    `/${'a'.repeat(12_000)}`,
    `/api/${'%41'.repeat(4_000)}`,
    '*',
    'api/vault/live-balance',
    'http://',
    'http://[/api',
    'http://x:99999999/api',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('%s gets 4xx and no secret', async (target) => {
    const answer = await askRaw(
      portal.port,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/root:|node_modules|\.ts\b|\n {4}at /);
    expect(portal.logged.filter((line) => line.includes(target))).toEqual([]);
  });

  it.each([
    [
      'two lengths',
      'POST /api/test/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'length and chunks',
      'POST /api/test/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('requests with %s are rejected', async (_case, request) => {
    expect(await askRaw(portal.port, request)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe('the process', () => {
  it('reports that it is alive', async () => {
    expect(await send('/healthz')).toMatchObject({
      status: 200,
      body: 'ok\n',
      headers: { 'cache-control': 'no-store' },
    });
  });
});
