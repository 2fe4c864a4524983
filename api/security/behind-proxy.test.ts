// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest';
import { type MetricsConfig, PROXIES_TRUSTED_WHEN_LOCAL } from '../../data/config/network-variables.ts';
import { adminSetup, adminSetupState } from '../../data/contract/admin-session.ts';
import { SETUP_TOKEN_HEADER } from '../../data/contract/paths.ts';
import { newSetupToken } from '../admin/setup-routes.ts';
import { PASSWORD } from '../admin/testing/team.ts';
import { listen } from '../listen.ts';
import { ask, askRaw } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';

const PUBLIC_ORIGIN = 'https://portal.example.com';
const METRICS_TOKEN = 'a-token-of-at-least-32-characters';

async function start(changes: TestPortalChanges = {}): Promise<TestPortal> {
  const portal = await startTestPortal(changes);
  onTestFinished(() => portal.close());
  return portal;
}

/**
 * Sends a request as nginx before 1.29.7 does with `proxy_pass http://127.0.0.1:4000;` and no other setting: over HTTP/1.0,
 * with the upstream's host and without the client's address (https://nginx.org/en/docs/http/ngx_http_proxy_module.html).
 */
async function sendThroughNginx(
  { port }: TestPortal,
  path: string,
  { body, version = '1.0', headers = [] }: { body?: object; version?: string; headers?: string[] } = {},
): Promise<{ readonly status: number; readonly body: string }> {
  const requestBody = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/${version}`,
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${requestBody.length}`]),
    ...headers,
  ];
  const answer = await askRaw(port, `${lines.join('\r\n')}\r\n\r\n${requestBody}`);
  const [head = '', receivedBody = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: receivedBody };
}

const OWNER = { username: 'Eve', password: PASSWORD };

describe('a visitor behind a proxy that does not forward the client’s address', () => {
  it.each([
    ['with a public origin, over HTTP/1.0', PUBLIC_ORIGIN, '1.0'],
    ['with a public origin, over HTTP/1.1', PUBLIC_ORIGIN, '1.1'],
    ['without a public origin, over HTTP/1.0', null, '1.0'],
  ])(
    'cannot read the metrics, or become the first owner without the setup link (%s)',
    async (_case, publicOrigin, version) => {
      const setupToken = newSetupToken();
      const portal = await start({ publicOrigin, setupToken });
      const state = await sendThroughNginx(portal, adminSetupState.path, { version });
      expect(state.body).toContain('"needsLink":true');
      const setupAnswer = await sendThroughNginx(portal, adminSetup.path, { version, body: OWNER });
      expect([setupAnswer.status, await portal.store.admins.hasAdmins()]).toEqual([403, false]);
      expect(setupAnswer.body).toContain('setup-link-needed');
      const metrics = await sendThroughNginx(portal, '/metrics', { version });
      expect([metrics.status, metrics.body.includes('portal_')]).toEqual([404, false]);
      const headers = [`${SETUP_TOKEN_HEADER}: ${setupToken}`];
      expect(
        (await sendThroughNginx(portal, adminSetup.path, { version, body: OWNER, headers })).status,
      ).toBe(200);
    },
  );
});

it.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000', null])(
  'on the portal’s own machine, no setup link is needed, and no metrics token if none is set (origin %s)',
  async (publicOrigin) => {
    const portal = await start({ publicOrigin, setupToken: newSetupToken() });
    const headers = { Host: `localhost:${portal.port}` };
    const state = await ask(portal.port, adminSetupState.path, { headers });
    expect(JSON.parse(state.body)).toEqual({ isOpen: true, needsLink: false });
    expect((await ask(portal.port, '/metrics', { headers })).body).toContain('portal_');
  },
);

describe('the metrics (ASVS 13.4.5)', () => {
  const withMetrics = (metrics: Partial<MetricsConfig>) =>
    start({ publicOrigin: PUBLIC_ORIGIN, metrics: { token: null, listener: null, ...metrics } });
  const readMetrics = async (port: number, headers: Record<string, string> = {}, path = '/metrics') => {
    const { status, body, headers: receivedHeaders } = await ask(port, path, { headers });
    return { status, isRead: body.includes('portal_'), challenge: receivedHeaders['www-authenticate'] };
  };

  it('with a token, are served to any machine that sends it, and to nobody else', async () => {
    const { port } = await withMetrics({ token: METRICS_TOKEN });
    expect(await readMetrics(port, { Authorization: `Bearer ${METRICS_TOKEN}` })).toMatchObject({
      status: 200,
      isRead: true,
    });
    expect(
      (await readMetrics(port, { Authorization: `bearer ${METRICS_TOKEN}`, Via: '1.1 proxy' })).isRead,
    ).toBe(true);
    const wrongHeaders = [
      METRICS_TOKEN,
      `Basic ${METRICS_TOKEN}`,
      'Bearer',
      `Bearer ${METRICS_TOKEN}x`,
      `Bearer ${METRICS_TOKEN.slice(1)}`,
      '',
    ];
    for (const Authorization of wrongHeaders) {
      const refused = { status: 401, isRead: false, challenge: 'Bearer' };
      expect(await readMetrics(port, { Authorization }), Authorization).toEqual(refused);
    }
    expect((await readMetrics(port, {}, `/metrics?token=${METRICS_TOKEN}`)).isRead).toBe(false);
  });

  it.each([null, METRICS_TOKEN])(
    'have a port of their own, which serves nothing else (token %s)',
    async (token) => {
      const portal = await withMetrics({ token, listener: { host: '127.0.0.1', port: 0 } });
      const { metricsServer } = portal;
      if (metricsServer === null) throw new Error('The metrics have no server.');
      const ownPort = await listen(metricsServer, '127.0.0.1', 0);
      const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
      expect((await readMetrics(ownPort, headers)).isRead).toBe(true);
      expect((await readMetrics(ownPort)).isRead).toBe(token === null);
      expect((await readMetrics(portal.port, headers)).status).toBe(404);
      for (const path of ['/', '/api/network/health', '/readyz', '/metrics/x'])
        expect((await readMetrics(ownPort, headers, path)).status, path).toBe(404);
      const postAnswer = await ask(ownPort, '/metrics', { method: 'POST', headers });
      expect([postAnswer.status, postAnswer.body.includes('portal_')]).toEqual([404, false]);
    },
  );
});

describe('the client’s address', () => {
  /** Whether clients with these two `X-Forwarded-For` headers have separate rate limits. */
  async function haveSeparateLimits(trustedProxies: readonly string[], one: string, other: string) {
    const portal = await start({ trustedProxies, rateLimits: { calls: 1 } });
    const statusOf = async (forwardedFor: string) =>
      (await ask(portal.port, '/api/nope', { headers: { 'X-Forwarded-For': forwardedFor } })).status;
    expect(await statusOf(one)).toBe(404);
    return (await statusOf(other)) === 404;
  }

  it.each<[string, readonly string[], string, string, boolean]>([
    ['the proxy’s address', ['127.0.0.1'], '203.0.113.1', '203.0.113.2', true],
    ['the proxy’s network', ['127.0.0.0/8'], '203.0.113.1', '203.0.113.2', true],
    [
      'the proxy, and the IPv6 network of one before it',
      ['127.0.0.1', '2001:db8::/32'],
      '203.0.113.1, 2001:db8::7',
      '203.0.113.2, 2001:db8::7',
      true,
    ],
    [
      'the proxy, and the IPv6 address of one before it',
      ['127.0.0.1', '2001:db8::7'],
      '2001:470:1::1, 2001:db8::7',
      '2001:470:2::1, 2001:db8::7',
      true,
    ],
    ['nobody', [], '203.0.113.1', '203.0.113.2', false],
    ['another machine', ['10.0.0.0/8', '2001:db8::/32'], '203.0.113.1', '203.0.113.2', false],
    ['only the last of two', ['127.0.0.1'], '203.0.113.1, 198.51.100.7', '203.0.113.2, 198.51.100.7', false],
  ])('is taken only from trusted proxies (trusted: %s)', async (_who, trusted, one, other, areSeparate) => {
    expect(await haveSeparateLimits(trusted, one, other)).toBe(areSeparate);
  });

  it.each<[string, string, boolean]>([
    ['203.0.113.1:50123', '203.0.113.1:50124', false],
    ['203.0.113.1:50123', '203.0.113.1', false],
    ['[2001:db8::7]:50123', '[2001:db8::7]:50124', false],
    ['[2001:db8::7]:50123', '2001:db8::7', false],
    ['203.0.113.1:50123, 10.0.0.7:50124', '203.0.113.1:50125, 10.0.0.7:50126', false],
    ['203.0.113.1:50123, 10.0.0.7:50124', '203.0.113.2:50123, 10.0.0.7:50124', true],
    ['203.0.113.1:50123, 198.51.100.7:50124', '203.0.113.2:50123, 198.51.100.7:50125', false],
  ])(
    'excludes a port that a proxy adds: %s and %s have separate limits: %s',
    async (one, other, areSeparate) => {
      expect(await haveSeparateLimits(['127.0.0.1', '10.0.0.0/8'], one, other)).toBe(areSeparate);
    },
  );

  const warningsOf = ({ logLines }: TestPortal) =>
    logLines.filter((line) => line.includes('TRUSTED_PROXIES'));

  it('causes one warning, without the addresses, if an untrusted proxy reports it', async () => {
    const portal = await start({ trustedProxies: ['10.0.0.0/8'] });
    await ask(portal.port, '/readyz');
    expect(warningsOf(portal)).toEqual([]);
    for (const header of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded'])
      await ask(portal.port, '/', { headers: { [header]: 'for=203.0.113.9' } });
    expect(warningsOf(portal)).toHaveLength(1);
    expect(warningsOf(portal)[0]).not.toMatch(/203\.0\.113\.9|127\.0\.0\.1/);
  });

  it('causes no warning if a trusted proxy reports it', async () => {
    const portal = await start({ trustedProxies: PROXIES_TRUSTED_WHEN_LOCAL });
    await ask(portal.port, '/', { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    expect(warningsOf(portal)).toEqual([]);
  });
});
