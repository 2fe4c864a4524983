// @module-tag debian
// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { staticHeaders } from '../api/security/headers.ts';
import { writeFolder } from '../api/testing/test-files.ts';
import * as PATHS from '../data/contract/paths.ts';
import { PATHS_OPEN_TO_ALL_ORIGINS, PATHS_SERVED_BY_API, writeStaticSite } from '../scripts/static-site.ts';
import { HOST, startStaticCaddy, startStaticNginx } from './testing/proxies.ts';

const API = 'https://api.example.com';
const page = (name: string) =>
  `<!doctype html><html><head><meta charset="utf-8"></head><body>${name} ${'.'.repeat(600)}</body></html>`;
const BUILT_FILES = {
  'index.html': page('Home'),
  'faq.html': page('FAQ'),
  'offline.html': page('Offline'),
  '404.html': page('Not found'),
  '_astro/app.D41d8a1b.js': 'run()',
  'pagefind/fragment/en_1a2b3c4.pf_fragment': 'packed',
  'artwork/card.svg': '<svg/>',
  'developers/portal-client.js': 'export {}',
  'developers/portal-client.d.ts': 'export {}',
  'section-index.json': '{}',
  'favicon.svg': '<svg/>',
  'manifest.webmanifest': '{}',
};

let site: string;
beforeAll(async () => {
  const { folder: built, remove } = await writeFolder(BUILT_FILES);
  site = mkdtempSync(join(tmpdir(), 'site-'));
  await writeStaticSite(built, site, { site: `https://${HOST}`, api: API });
  await remove();
});
afterAll(() => rmSync(site, { recursive: true }));

const ask = (port: number, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ status: number | undefined; headers: Readonly<Record<string, unknown>>; body: string }>(
    (resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, headers: { Host: HOST, ...headers }, agent: false };
      request(options, async (response) => {
        const { statusCode: status, headers: received } = response;
        resolve({ status, headers: received, body: await text(response) });
      })
        .on('error', reject)
        .end();
    },
  );

describe.each([
  ['Caddy', startStaticCaddy],
  ['nginx', startStaticNginx],
])('%s with the shipped configuration of a static site', (_name, start) => {
  let folder: string;
  let host: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'host-'));
    host = await start({ folder, site, apiOrigin: API });
  });
  afterAll(async () => {
    await host.end();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => ask(host.port, path, headers);

  it('serves pages without a file extension in the URL, and the error page for unknown paths', async () => {
    for (const [path, status, words] of [
      ['/', 200, 'Home'],
      ['/faq', 200, 'FAQ'],
      ['/faq?from=mail', 200, 'FAQ'],
      ['/missing', 404, 'Not found'],
      ['/artwork/', 404, 'Not found'],
      ['/_headers', 404, 'Not found'],
      ['/_redirects', 404, 'Not found'],
    ] as const) {
      const answer = await get(path);
      expect([answer.status, answer.body.includes(words)], path).toEqual([status, true]);
    }
  });

  it('sends the same headers as hosts that read `_headers`', async () => {
    const list = staticHeaders(`https://${HOST}`);
    for (const path of ['/', '/favicon.svg', '/missing']) {
      const { headers } = await get(path);
      for (let index = 0; index < list.length; index += 2)
        expect(headers[list[index] ?? ''], `${list[index]} of ${path}`).toBe(list[index + 1]);
    }
  });

  it.each([
    ['/', 'no-cache'],
    ['/faq', 'no-cache'],
    ['/sw.js', 'no-cache'],
    ['/_astro/missing.js', 'no-cache'],
    ['/artwork/card.svg', 'public, max-age=3600'],
    ['/_astro/app.D41d8a1b.js', 'public, max-age=31536000, immutable'],
    ['/pagefind/fragment/en_1a2b3c4.pf_fragment', 'public, max-age=31536000, immutable'],
  ])('sends Cache-Control for %s: %s', async (path, value) => {
    expect((await get(path)).headers['cache-control']).toBe(value);
  });

  it('sends the files that the build compressed', async () => {
    const { headers } = await get('/faq', { 'Accept-Encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
  });

  it('redirects paths that only the API serves to the API, with the query', async () => {
    for (const pattern of PATHS_SERVED_BY_API) {
      const path = `${pattern.replace('*', 'x/y')}?a=1`;
      const { status, headers } = await get(path);
      expect([status, headers.location], path).toEqual([302, `${API}${path}`]);
    }
    expect((await get('/administration')).status).toBe(404);
  });

  it('lets pages of all origins follow redirects to the API’s public paths, and import the client', async () => {
    for (const pattern of PATHS_SERVED_BY_API) {
      const { headers } = await get(pattern.replace('*', 'x.svg'));
      const isPublic = PATHS_OPEN_TO_ALL_ORIGINS.includes(pattern);
      expect(
        [headers['cross-origin-resource-policy'], headers['access-control-allow-origin']],
        pattern,
      ).toEqual(isPublic ? ['cross-origin', '*'] : ['same-origin', undefined]);
    }
    for (const path of PATHS.clientFiles)
      expect((await get(path)).headers['access-control-allow-origin'], path).toBe('*');
    expect((await get('/faq')).headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('nginx with the shipped configuration of a static site', () => {
  it('redirects http to https, and answers only for its host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'host-'));
    const host = await startStaticNginx({ folder, site, apiOrigin: API });
    onTestFinished(async () => {
      await host.end();
      rmSync(folder, { recursive: true });
    });
    const { status, headers } = await ask(host.httpPort, '/faq?a=1', {});
    expect([status, headers.location]).toEqual([308, `https://${HOST}/faq?a=1`]);
    for (const port of [host.port, host.httpPort])
      expect((await ask(port, '/', { Host: 'evil.test' })).status).toBe(421);
  });

  it('has exactly the variables that the command in docs/deploy.md fills in', async () => {
    const docs = await readFile('docs/deploy.md', 'utf8');
    for (const path of ['deploy/static-site/nginx.conf.template', 'deploy/nginx/nginx.conf.template']) {
      const template = await readFile(path, 'utf8');
      const used = new Set([...template.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name));
      const [, list = ''] =
        docs.split(`< ${path}`)[0]?.match(/.*envsubst "\$\(printf '[^']*' ([^)]*)\)/s) ?? [];
      expect(list.split(/[\s\\]+/).toSorted(), path).toEqual([...used].toSorted());
    }
  });
});
