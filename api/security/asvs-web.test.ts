// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS } from '../../data/contract/calls.ts';
import { askAs, PASSWORD, signedInAdmin } from '../admin/testing/team.ts';
import { readSiteFiles } from '../pages/serve-pages.ts';
import { breakCall } from '../testing/broken-call.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { type Answer, ask, askRaw } from '../testing/portal-client.ts';
import { storedRows, writeFolder } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

// Each title starts with the number of a requirement in OWASP ASVS 5.0 (https://github.com/OWASP/ASVS).

const ORIGIN = 'https://portal.example.com';

let portal: TestPortal;
let siteFolder: Awaited<ReturnType<typeof writeFolder>>;
let token: string;
let answers: readonly (readonly [string, Answer])[];
beforeAll(async () => {
  siteFolder = await writeFolder({
    'index.html': '<!doctype html><h1>Dashboard</h1>',
    '404.html': '<h1>Page Not Found</h1>',
    'robots.txt': 'User-agent: *',
    'assets/logo.svg': '<svg/>',
  });
  portal = await startTestPortal({ site: await readSiteFiles(siteFolder.folder), publicOrigin: ORIGIN });
  ({ token } = await signedInAdmin(portal.store, { username: 'Ada', at: TEST_START }));
  const pendingAnswers: readonly (readonly [string, Promise<Answer>])[] = [
    ...[
      '/',
      '/robots.txt',
      '/assets/logo.svg',
      '/missing',
      '/%zz',
      'ftp://x/',
      '/healthz',
      '/api/missing',
      '/api/openapi.json',
      '/api/network/health',
    ].map((path) => [path, ask(portal.port, path)] as const),
    ['/api/network/health by POST', ask(portal.port, '/api/network/health', { method: 'POST' })],
    ['a bug', breakCall(portal, 'secret of the server')()],
    ['/api/admin/session as an admin', askAs(portal, token, '/api/admin/session')],
    ['/api/admin/session as nobody', askAs(portal, null, '/api/admin/session')],
    ['/api/admin/login refused', askAs(portal, null, '/api/admin/login', { username: 'x', password: 'y' })],
    ['/api/admin/login by GET', ask(portal.port, '/api/admin/login')],
  ];
  answers = await Promise.all(pendingAnswers.map(async ([name, answer]) => [name, await answer] as const));
});
afterAll(async () => {
  await portal.close();
  await siteFolder.remove();
});

function policyOf({ headers }: Answer): Readonly<Record<string, string>> {
  const parts = String(headers['content-security-policy']).split(';');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...sources] = part.trim().split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

describe('V3.3 cookies', () => {
  it('V3.3.1 to V3.3.4: the only cookie is Secure, SameSite, HttpOnly and for this host only', async () => {
    const { headers } = await ask(portal.port, '/api/wallet/sign-out', { method: 'POST' });
    const [clearedCookie = '', ...others] = headers['set-cookie'] ?? [];
    expect(others).toEqual([]);
    expect(clearedCookie).not.toMatch(/Domain=/i);
    expect(clearedCookie).toMatch(/^__Host-walletSession=; Path=\/;.*HttpOnly; Secure; SameSite=Strict$/);
    // The admin session is not in a cookie, so no other site can make a browser send it.
    for (const [name, answer] of answers) expect(answer.headers['set-cookie'], name).toBeUndefined();
  });
});

describe('V3.4 headers', () => {
  it('V3.4.1: every answer requires https for a year', () => {
    for (const [name, { headers }] of answers) {
      const maxAgeSeconds = /max-age=(\d+)/.exec(String(headers['strict-transport-security']))?.[1];
      expect(Number(maxAgeSeconds), name).toBeGreaterThanOrEqual(365 * 24 * 3600);
    }
  });

  it('V3.4.3: every answer has a policy that allows no plug-ins, foreign scripts or foreign base URLs', () => {
    for (const [name, answer] of answers) {
      const policy = policyOf(answer);
      expect(policy['object-src'] ?? policy['default-src'], name).toBe("'none'");
      expect(["'none'", "'self'"], name).toContain(policy['base-uri']);
      expect(policy['script-src'] ?? policy['default-src'], name).not.toMatch(
        /'unsafe-inline'|'unsafe-eval'|\*|https?:|data:/,
      );
    }
  });

  it('V3.4.4: every answer forbids MIME sniffing', () => {
    for (const [name, { headers }] of answers)
      expect(headers['x-content-type-options'], name).toBe('nosniff');
  });

  it('V3.4.5: other sites learn no path from the referrer', () => {
    for (const [name, { headers }] of answers) {
      expect(headers['referrer-policy'], name).toBe('strict-origin-when-cross-origin');
    }
  });

  it('V3.4.6: neither the site’s pages nor the answers of the API can be framed', () => {
    for (const [name, answer] of answers) {
      expect(policyOf(answer)['frame-ancestors'], name).toBe("'none'");
      expect(answer.headers['x-frame-options'], name).toBe('DENY');
    }
  });

  it('V3.4.8: a page is isolated from other sites that open it in a window', () => {
    expect(answers[0]?.[1].headers['cross-origin-opener-policy']).toBe('same-origin-allow-popups');
  });
});

describe('V3.5 separation of origins', () => {
  const readStoredRows = () => storedRows(portal.folder);

  it('V3.5.1: calls from pages of other sites change nothing', async () => {
    // Calls with `allowsAnyOrigin` store nothing, so they are left out.
    const writingCalls = CALLS.filter(({ method, allowsAnyOrigin }) => method === 'POST' && !allowsAnyOrigin);
    expect(writingCalls.length).toBeGreaterThan(10);
    const rowsBefore = readStoredRows();
    const expectRefused = async (path: string, headers: Record<string, string>) => {
      const { status, body } = await askAs(portal, token, path, {}, headers);
      expect([status, JSON.parse(body).code], path).toEqual([403, 'cross-origin']);
    };
    for (const { path } of writingCalls) await expectRefused(path, { Origin: 'https://evil.example' });
    await expectRefused('/api/admin/logout', { Origin: 'null' });
    await expectRefused('/api/admin/logout', { 'Sec-Fetch-Site': 'cross-site' });
    expect(readStoredRows()).toEqual(rowsBefore);
  });

  it('V3.5.3: a safe method changes nothing', async () => {
    const rowsBefore = readStoredRows();
    const readPaths = new Set(CALLS.filter(({ method }) => method === 'GET').map(({ path }): string => path));
    const writingCalls = CALLS.filter(({ method }) => method === 'POST');
    for (const { path } of writingCalls) {
      // A path that accepts POST may also accept GET.
      for (const method of readPaths.has(path) ? ['OPTIONS'] : ['GET', 'HEAD', 'OPTIONS']) {
        const headers = { Authorization: `Bearer ${token}` };
        const { status } = await ask(portal.port, path, { method, headers });
        expect(status, `${method} ${path}`).toBe(405);
      }
    }
    expect(readStoredRows()).toEqual(rowsBefore);
  });
});

describe('V4.1 and V13.4 the service', () => {
  it('V4.1.1: every answer names its media type and charset', () => {
    for (const [name, { headers }] of answers) {
      expect(headers['content-type'], name).toMatch(
        /^(application\/json|text\/\w+|image\/svg\+xml); charset=utf-8$/,
      );
    }
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
    'V4.1.4: %s is refused on every path, unless it is a preflight',
    async (method) => {
      for (const path of ['/', '/api/admin/session', '/api/network/health']) {
        expect((await ask(portal.port, path, { method })).status, path).toBe(405);
      }
    },
  );

  it('V13.4.3: no directory is listed', async () => {
    for (const path of ['/assets', '/assets/']) expect((await ask(portal.port, path)).status).toBe(404);
  });

  it('V13.4.4: TRACE echoes nothing', async () => {
    const traceAnswer = await askRaw(
      portal.port,
      'TRACE / HTTP/1.1\r\nHost: a\r\nX-Mark: hidden\r\nConnection: close\r\n\r\n',
    );
    expect(traceAnswer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(traceAnswer).not.toContain('hidden');
  });

  it('V13.4.6: no answer names the server software', () => {
    for (const [name, { headers, body }] of answers) {
      expect(headers['x-powered-by'], name).toBeUndefined();
      expect(headers.server, name).toBeUndefined();
      if (!name.includes('openapi')) expect(body, name).not.toMatch(/express|node_modules|v24\./i);
    }
  });
});

describe('V14.2 protection of data', () => {
  it('V14.2.1: no session, password or code is read from a URL', async () => {
    const query = new URLSearchParams({ username: 'Ada', password: PASSWORD, sessionId: token });
    const login = await ask(portal.port, `/api/admin/login?${query}`, { method: 'POST' });
    expect(login.status).toBe(400);
    expect((await ask(portal.port, `/api/admin/session?${query}`)).status).toBe(401);
    const secret = /password|token|session(?!s)|code|secret/i;
    const queryFields = CALLS.filter(({ path }) => path.startsWith('/api/admin/')).flatMap(
      ({ query: fields }) => Object.keys(fields?.shape ?? {}),
    );
    expect(queryFields.filter((name) => secret.test(name))).toEqual([]);
  });
});

describe('V15.3 defensive coding', () => {
  it('V15.3.3: an unknown field is rejected', async () => {
    const unknownFields = { id: 'x', isOwner: true, disabledAt: null, passwordHash: 'x' };
    const invitation = { email: 'eve@example.com', username: 'Eve', role: 'viewer', ...unknownFields };
    const { status, body } = await askAs(portal, token, '/api/admin/team/invite', invitation);
    expect([status, JSON.parse(body).code]).toEqual([400, 'invalid-body']);
    expect(await portal.store.admins.links()).toEqual([]);
  });

  it('V15.3.5: a value of the wrong type is rejected', async () => {
    for (const wrong of [{ $ne: '' }, [PASSWORD], true, 0, null]) {
      const credentials = { username: 'Ada', password: wrong };
      expect((await askAs(portal, null, '/api/admin/login', credentials)).status).toBe(400);
    }
  });
});
