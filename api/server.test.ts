import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '../data/contract/call.ts';
import { CALLS } from '../data/contract/calls.ts';
import { walletChallenge } from '../data/contract/wallet-session.ts';
import { breakCall } from './testing/broken-call.ts';
import { TEST_START } from './testing/fake-index.ts';
import { type AskOptions, ask, askRaw } from './testing/portal-client.ts';
import { walletOf } from './testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from './testing/test-portal.ts';

const BALANCE_PATH = '/api/vault/live-balance';
const WRITE_PATH = walletChallenge.path;
const WRITE_BODY = JSON.stringify({ walletAddress: walletOf(1) });
const JSON_TYPE = 'application/json';
const SECRET = 'secret of /srv/portal/api/secret.ts';

let portal: TestPortal;
let sendBroken: ReturnType<typeof breakCall>;

beforeAll(async () => {
  portal = await startTestPortal();
  sendBroken = breakCall(portal, SECRET);
});
afterAll(() => portal.close());

const send = (path: string, options?: AskOptions) => ask(portal.port, path, options);
const jsonPost = (body: string, extraHeaders: Record<string, string> = {}): AskOptions => ({
  method: 'POST',
  headers: { 'Content-Type': JSON_TYPE, ...extraHeaders },
  body,
});

describe('every live call', () => {
  it.each(CALLS.filter((call) => call.live).map((call) => [call.path, call] as const))(
    '%s answers as its contract says',
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

  it('ignores a query and the host of an absolute URL, and answers HEAD without a body', async () => {
    const plainAnswer = await send(BALANCE_PATH);
    const absolute = [`http://portal.example.com${BALANCE_PATH}?t=1`, `http://odd;host${BALANCE_PATH}`];
    for (const path of [`${BALANCE_PATH}?t=1`, `${BALANCE_PATH}?`, ...absolute]) {
      const { status, body, headers } = await send(path);
      expect([status, body, headers.etag], path).toEqual([200, plainAnswer.body, plainAnswer.headers.etag]);
    }
    const headers = { 'content-length': plainAnswer.headers['content-length'] };
    expect(await send(BALANCE_PATH, { method: 'HEAD' })).toMatchObject({ status: 200, body: '', headers });
  });

  it('answers 304 for the same bytes, and 200 once they differ', async () => {
    const ownPortal = await startTestPortal();
    const { headers } = await ask(ownPortal.port, BALANCE_PATH);
    const conditional = { headers: { 'If-None-Match': headers.etag ?? '' } };
    const same = { etag: headers.etag, 'cache-control': 'no-cache' };
    expect(await ask(ownPortal.port, BALANCE_PATH, conditional)).toMatchObject({
      status: 304,
      body: '',
      headers: same,
    });
    ownPortal.index.commitChain({ readAt: TEST_START + 1 });
    await ownPortal.pollAt(TEST_START + 1);
    expect((await ask(ownPortal.port, BALANCE_PATH, conditional)).status).toBe(200);
    await ownPortal.close();
  });
});

describe('a request that cannot be answered', () => {
  it.each<[string, string, AskOptions, number, string]>([
    ['an unknown call', '/api/nope', {}, 404, 'unknown-call'],
    ['the root of the API', '/api', {}, 404, 'unknown-call'],
    ['a call with a trailing slash', `${BALANCE_PATH}/`, {}, 404, 'unknown-call'],
    ['an unknown call by POST', '/api/nope', jsonPost('{}'), 404, 'unknown-call'],
    ['a read by POST', BALANCE_PATH, jsonPost('{}'), 405, 'method-not-allowed'],
    ['malformed JSON', WRITE_PATH, jsonPost('{"a":'), 400, 'malformed-json'],
    ['a JSON string', WRITE_PATH, jsonPost('"text"'), 400, 'malformed-json'],
    ['a number', WRITE_PATH, jsonPost('12'), 400, 'malformed-json'],
    ['null', WRITE_PATH, jsonPost('null'), 400, 'malformed-json'],
    ['a body over 64 kB', WRITE_PATH, jsonPost(`"${'x'.repeat(65_536)}"`), 413, 'body-too-large'],
    [
      'an unknown encoding',
      WRITE_PATH,
      jsonPost('{}', { 'Content-Encoding': 'zip' }),
      415,
      'unsupported-body',
    ],
    [
      'an unknown charset',
      WRITE_PATH,
      jsonPost('{}', { 'Content-Type': `${JSON_TYPE}; charset=x` }),
      415,
      'unsupported-body',
    ],
    [
      'an encoding that is not gzip',
      WRITE_PATH,
      jsonPost('{}', { 'Content-Encoding': 'gzip' }),
      400,
      'malformed-request',
    ],
    [
      'a write from another site',
      WRITE_PATH,
      jsonPost('{}', { Origin: 'https://evil.example' }),
      403,
      'cross-origin',
    ],
    ['a write from a sandboxed page', WRITE_PATH, jsonPost('{}', { Origin: 'null' }), 403, 'cross-origin'],
    [
      'a write from a sibling domain',
      WRITE_PATH,
      jsonPost('{}', { 'Sec-Fetch-Site': 'same-site' }),
      403,
      'cross-origin',
    ],
    ['a path with a stray percent sign', '/%zz', {}, 400, 'malformed-path'],
  ])('gets its own status and code: %s', async (_case, path, options, status, code) => {
    const answer = await send(path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(errorBody.parse(JSON.parse(answer.body))).toMatchObject({ success: false, code });
  });

  it.each([
    ['its Content-Length', 'Content-Length: 2000000', '{"a":'],
    ['the bytes received so far', 'Transfer-Encoding: chunked', `11170\r\n${'x'.repeat(70_000)}\r\n`],
  ])('is refused early if its body is too large according to %s', async (_case, header, bodyStart) => {
    const socket = connect({ host: '127.0.0.1', port: portal.port });
    const head = `POST ${WRITE_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${JSON_TYPE}\r\n`;
    socket.write(`${head}${header}\r\n\r\n${bodyStart}`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 .*"code":"body-too-large"/s);
  });

  it('gets the allowed methods in the Allow header', async () => {
    expect((await send(BALANCE_PATH, { method: 'PUT' })).headers.allow).toBe('GET, HEAD');
    expect((await send(WRITE_PATH)).headers.allow).toBe('POST');
  });

  it('gets the id under which an unexpected error is logged without the query', async () => {
    const { status, headers, body } = await sendBroken('?mail=secret');
    expect([status, headers['cache-control'], JSON.parse(body).code]).toEqual([500, 'no-store', 'internal']);
    const id = /[0-9a-f-]{36}/.exec(body)?.[0] ?? 'no id';
    expect(body).not.toMatch(/secret|\.ts|at /);
    const line = portal.logLines.find((logged) => logged.includes(id)) ?? '';
    expect(line).toContain(SECRET);
    expect(line).not.toContain('mail=');
  });
});

describe('a write', () => {
  it.each([
    ['without browser headers', {}],
    ['from the portal’s own page', { 'Sec-Fetch-Site': 'same-origin' }],
  ])('%s is accepted', async (_case, headers) => {
    expect((await send(WRITE_PATH, jsonPost(WRITE_BODY, headers))).status).toBe(200);
  });

  it('is accepted from the names of this machine, but only on the portal’s port', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const answer = await send(
        WRITE_PATH,
        jsonPost(WRITE_BODY, { Origin: `http://${host}:${portal.port}` }),
      );
      expect(answer.status, host).toBe(200);
    }
    expect((await send(WRITE_PATH, jsonPost('{}', { Origin: 'http://localhost:1' }))).status).toBe(403);
  });

  it('is accepted only from the public origin, if one is configured', async () => {
    const ownPortal = await startTestPortal({ publicOrigin: 'https://portal.example.com' });
    const statusFor = async (origin: string) =>
      (await ask(ownPortal.port, WRITE_PATH, jsonPost(WRITE_BODY, { Origin: origin }))).status;
    expect(await statusFor('https://portal.example.com')).toBe(200);
    expect(await statusFor('http://portal.example.com')).toBe(403);
    expect(await statusFor(`http://localhost:${ownPortal.port}`)).toBe(403);
    await ownPortal.close();
  });
});

describe('too many calls', () => {
  it('are rejected with Retry-After, while figures are still served', async () => {
    const ownPortal = await startTestPortal({ rateLimits: { calls: 2 } });
    for (let call = 0; call < 2; call++) expect((await ask(ownPortal.port, '/api/nope')).status).toBe(404);
    const { status, headers, body } = await ask(ownPortal.port, '/api/nope');
    expect([status, JSON.parse(body).code]).toEqual([429, 'too-many-requests']);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(headers.ratelimit).toEqual(expect.any(String));
    expect((await ask(ownPortal.port, BALANCE_PATH)).status).toBe(200);
    await ownPortal.close();
  });
});

describe('a malformed request', () => {
  it('gets an error body with the security headers', async () => {
    const answers = await Promise.all([
      askRaw(portal.port, 'this is not HTTP\r\n\r\n'),
      askRaw(portal.port, `GET ${BALANCE_PATH} HTTP/1.1\r\nConnection: close\r\n\r\n`),
      askRaw(portal.port, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
    ]);
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['400', '400', '431']);
    for (const answer of answers) {
      expect(answer).toContain('x-content-type-options: nosniff\r\n');
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(errorBody.parse(JSON.parse(body)).success).toBe(false);
      expect(head).toContain(`Content-Length: ${body.length}`);
    }
  });
});

const REQUEST_END = 'HTTP/1.1\r\nHost: x\r\n';

describe('a hostile request', () => {
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
  ])('for %s gets 4xx and no secret', async (target) => {
    const answer = await askRaw(portal.port, `GET ${target} ${REQUEST_END}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/root:|node_modules|\.ts\b|\n {4}at /);
    expect(portal.logLines.filter((line) => line.includes(target))).toEqual([]);
  });

  it.each([
    ['two lengths', `POST ${WRITE_PATH} ${REQUEST_END}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    [
      'a length and chunks',
      `POST ${WRITE_PATH} ${REQUEST_END}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a header without a colon', `GET / ${REQUEST_END}nonsense\r\n\r\n`],
  ])('with %s is rejected', async (_case, request) => {
    expect(await askRaw(portal.port, request)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});
