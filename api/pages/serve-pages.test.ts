import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { type Ask, ask } from '../testing/portal-client.ts';
import { writeFolder } from '../testing/site-folder.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { scriptHash } from './inline-scripts.ts';
import { readSiteFiles } from './site-files.ts';

const BUILT = {
  'index.html': '<!doctype html><script>start()</script><h1>Dashboard</h1>',
  'index.html.br': 'br of dashboard',
  'index.html.gz': 'gz of dashboard',
  'staking/index.html': '<h1>Staking</h1>',
  'team.html': '<h1>Team</h1>',
  '404.html': '<h1>Page Not Found</h1>',
  '_astro/app.D41d8.js': 'run()',
  '_astro/app.D41d8.js.br': 'br of run',
  'sw.js': 'sw()',
  'logo.svg': '<svg/>',
  'a b.txt': 'spaced',
  'notes.unknown': 'bytes',
  'loose.gz': 'an archive of its own',
  'manifest.webmanifest': '{}',
  'sitemap.xml': '<urlset/>',
  'robots.txt': 'User-agent: *',
  'pagefind/pagefind.js': 'search()',
  'pagefind/wasm.en.pagefind': 'packed wasm',
  'pagefind/fragment/en_1a2b3c4.pf_fragment': 'packed fragment',
};

let site: Awaited<ReturnType<typeof writeFolder>>;
let portal: TestPortal;

beforeAll(async () => {
  site = await writeFolder(BUILT);
  portal = await startTestPortal({ site: await readSiteFiles(site.folder) });
});

afterAll(async () => {
  await portal.close();
  await site.remove();
});

const get = (path: string, options?: Ask) => ask(portal.port, path, options);

describe('the built site', () => {
  it.each([
    ['/', 'index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/index.html', 'index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/?from=mail', 'index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/staking', 'staking/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/staking/', 'staking/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/team', 'team.html', 'text/html; charset=utf-8', 'no-cache'],
    [
      '/_astro/app.D41d8.js',
      '_astro/app.D41d8.js',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ],
    ['/sw.js', 'sw.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/logo.svg', 'logo.svg', 'image/svg+xml; charset=utf-8', 'public, max-age=3600'],
    ['/a%20b.txt', 'a b.txt', 'text/plain; charset=utf-8', 'public, max-age=3600'],
    ['/notes.unknown', 'notes.unknown', 'application/octet-stream', 'public, max-age=3600'],
    ['/loose.gz', 'loose.gz', 'application/octet-stream', 'public, max-age=3600'],
    [
      '/manifest.webmanifest',
      'manifest.webmanifest',
      'application/manifest+json; charset=utf-8',
      'public, max-age=3600',
    ],
    ['/sitemap.xml', 'sitemap.xml', 'application/xml; charset=utf-8', 'public, max-age=3600'],
    ['/robots.txt', 'robots.txt', 'text/plain; charset=utf-8', 'public, max-age=3600'],
    ['/pagefind/pagefind.js?ts=1', 'pagefind/pagefind.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/pagefind/wasm.en.pagefind', 'pagefind/wasm.en.pagefind', 'application/octet-stream', 'no-cache'],
    [
      '/pagefind/fragment/en_1a2b3c4.pf_fragment',
      'pagefind/fragment/en_1a2b3c4.pf_fragment',
      'application/octet-stream',
      'public, max-age=31536000, immutable',
    ],
  ] as const)('answers %s', async (path, file, type, caching) => {
    expect(await get(path)).toMatchObject({
      status: 200,
      body: BUILT[file],
      headers: { 'content-type': type, 'cache-control': caching },
    });
  });

  it.each([
    ['br, gzip', 'br', 'br of dashboard'],
    ['gzip', 'gzip', 'gz of dashboard'],
    ['identity', undefined, BUILT['index.html']],
  ])('is sent compressed to a client that takes %s', async (accepted, encoding, body) => {
    const answer = await get('/', { headers: { 'Accept-Encoding': accepted } });
    expect(answer.body).toBe(body);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toBe('Accept-Encoding');
  });

  it('is revalidated by a tag of its bytes, which differs by encoding', async () => {
    const plain = await get('/');
    const brotli = await get('/', { headers: { 'Accept-Encoding': 'br' } });
    const tag = plain.headers.etag ?? '';
    expect(brotli.headers.etag).not.toBe(tag);
    const again = await get('/', { headers: { 'If-None-Match': tag } });
    expect(again).toMatchObject({
      status: 304,
      body: '',
      headers: { etag: tag, 'cache-control': 'no-cache' },
    });
    expect((await get('/', { headers: { 'If-None-Match': tag, 'Accept-Encoding': 'br' } })).status).toBe(200);
  });

  it('answers HEAD with the headers alone', async () => {
    const head = await get('/', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(String(BUILT['index.html'].length));
  });

  it.each([
    '/nowhere',
    '/404',
    '/404.html',
    '/index.html.br',
    '/staking/index',
    '//',
    '//staking',
    '/API/live',
    '/Staking',
  ])('shows the not-found page for %s, with 404', async (path) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 404, body: BUILT['404.html'] });
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('is not written to', async () => {
    const answer = await get('/staking', { method: 'POST', body: 'x' });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, code: 'method-not-allowed' });
  });

  it('may run its own inline scripts', async () => {
    const { headers } = await get('/staking');
    expect(headers['content-security-policy']).toContain(
      `script-src 'self' 'wasm-unsafe-eval' ${scriptHash('start()')};`,
    );
  });

  it('stays one build while another is written', async () => {
    await writeFile(join(site.folder, 'team.html'), '<script>new()</script>');
    expect((await get('/team')).body).toBe(BUILT['team.html']);
  });
});

describe('a site that is not built', () => {
  it.each([
    ['missing', {}, 'dist'],
    ['empty', { 'dist/robots.txt': '' }, 'dist'],
  ])('stops the start with what to do, where its folder is %s', async (_case, files, name) => {
    const { folder, remove } = await writeFolder(files);
    const reading = readSiteFiles(join(folder, name));
    await expect(reading).rejects.toThrow(StartError);
    await expect(reading).rejects.toMatchObject({
      exitCode: EXIT.tryAgain,
      message: expect.stringContaining('npm start'),
    });
    await remove();
  });

  it('has a plain not-found answer', async () => {
    const bare = await startTestPortal();
    expect(await ask(bare.port, '/')).toMatchObject({ status: 404, body: 'Page not found.\n' });
    await bare.close();
  });
});
