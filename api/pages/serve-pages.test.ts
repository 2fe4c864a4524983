import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORIGIN_PLACEHOLDER } from '../../data/contract/origin-placeholder.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { type AskOptions, ask } from '../testing/portal-client.ts';
import { writeFolder } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { inlineScriptHashes, inlineScripts, readSiteFiles, scriptHash } from './serve-pages.ts';

/** Makes a file large enough to be compressed. */
const PADDING = ' '.repeat(512);
const BUILT_FILES = {
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
  'feed.xml': `<link>${ORIGIN_PLACEHOLDER}/</link>${PADDING}`,
  'section-index.json': '{}',
  'pagefind/pagefind.js': 'search()',
  'pagefind/wasm.en.pagefind': 'packed wasm',
  'pagefind/fragment/en_1a2b3c4.pf_fragment': 'packed fragment',
};

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';
const CACHED_AN_HOUR = 'public, max-age=3600';
const CACHED_FOREVER = 'public, max-age=31536000, immutable';

let siteFolder: Awaited<ReturnType<typeof writeFolder>>;
let portal: TestPortal;

beforeAll(async () => {
  siteFolder = await writeFolder(BUILT_FILES);
  portal = await startTestPortal({ site: await readSiteFiles(siteFolder.folder) });
});

afterAll(async () => {
  await portal.close();
  await siteFolder.remove();
});

const get = (path: string, options?: AskOptions) => ask(portal.port, path, options);

describe('the built site', () => {
  it.each([
    ['/', 'index.html', HTML, 'no-cache'],
    ['/index.html', 'index.html', HTML, 'no-cache'],
    ['/?from=mail', 'index.html', HTML, 'no-cache'],
    ['/staking', 'staking/index.html', HTML, 'no-cache'],
    ['/staking/', 'staking/index.html', HTML, 'no-cache'],
    ['/team', 'team.html', HTML, 'no-cache'],
    ['/_astro/app.D41d8.js', '_astro/app.D41d8.js', SCRIPT, CACHED_FOREVER],
    ['/sw.js', 'sw.js', SCRIPT, 'no-cache'],
    ['/logo.svg', 'logo.svg', 'image/svg+xml; charset=utf-8', CACHED_AN_HOUR],
    ['/a%20b.txt', 'a b.txt', TEXT, CACHED_AN_HOUR],
    ['/notes.unknown', 'notes.unknown', BINARY, CACHED_AN_HOUR],
    ['/loose.gz', 'loose.gz', BINARY, CACHED_AN_HOUR],
    [
      '/manifest.webmanifest',
      'manifest.webmanifest',
      'application/manifest+json; charset=utf-8',
      CACHED_AN_HOUR,
    ],
    ['/sitemap.xml', 'sitemap.xml', 'application/xml; charset=utf-8', CACHED_AN_HOUR],
    ['/robots.txt', 'robots.txt', TEXT, CACHED_AN_HOUR],
    ['/section-index.json', 'section-index.json', 'application/json; charset=utf-8', 'no-cache'],
    ['/pagefind/pagefind.js?ts=1', 'pagefind/pagefind.js', SCRIPT, 'no-cache'],
    ['/pagefind/wasm.en.pagefind', 'pagefind/wasm.en.pagefind', BINARY, 'no-cache'],
    [
      '/pagefind/fragment/en_1a2b3c4.pf_fragment',
      'pagefind/fragment/en_1a2b3c4.pf_fragment',
      BINARY,
      CACHED_FOREVER,
    ],
  ] as const)('answers %s with %s', async (path, file, type, caching) => {
    expect(await get(path)).toMatchObject({
      status: 200,
      body: BUILT_FILES[file],
      headers: { 'content-type': type, 'cache-control': caching },
    });
  });

  const plainBody = BUILT_FILES['index.html'];
  it.each([
    [undefined, undefined, plainBody],
    ['', undefined, plainBody],
    ['identity', undefined, plainBody],
    ['gzip, deflate, br, zstd', 'br', 'br of dashboard'],
    ['GZIP', 'gzip', 'gz of dashboard'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'gz of dashboard'],
    ['gzip; q=0', undefined, plainBody],
    ['*', 'br', 'br of dashboard'],
    ['br;q=0, *', 'gzip', 'gz of dashboard'],
    ['vibrant, gzipped', undefined, plainBody],
  ])('for Accept-Encoding %j has the Content-Encoding %s', async (acceptEncoding, encoding, body) => {
    const answer = await get('/', {
      headers: acceptEncoding === undefined ? {} : { 'Accept-Encoding': acceptEncoding },
    });
    expect(answer.body).toBe(body);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toBe('Accept-Encoding');
  });

  it('has a different ETag for each encoding', async () => {
    const plainAnswer = await get('/');
    const brotli = await get('/', { headers: { 'Accept-Encoding': 'br' } });
    const tag = plainAnswer.headers.etag ?? '';
    expect(brotli.headers.etag).not.toBe(tag);
    const headers = { etag: tag, 'cache-control': 'no-cache' };
    const repeated = await get('/', { headers: { 'If-None-Match': tag } });
    expect(repeated).toMatchObject({ status: 304, body: '', headers });
    expect((await get('/', { headers: { 'If-None-Match': tag, 'Accept-Encoding': 'br' } })).status).toBe(200);
  });

  it('names the portal’s origin: the configured one, or else localhost with the portal’s port', async () => {
    expect((await get('/feed.xml')).body).toBe(`<link>http://localhost:${portal.port}/</link>${PADDING}`);
    const publicOrigin = 'https://portal.example.com';
    const configuredPortal = await startTestPortal({
      site: await readSiteFiles(siteFolder.folder),
      publicOrigin,
    });
    const text = `<link>${publicOrigin}/</link>${PADDING}`;
    const plainAnswer = await ask(configuredPortal.port, '/feed.xml');
    expect([plainAnswer.body, plainAnswer.headers['content-length']]).toEqual([text, String(text.length)]);
    const headers = { 'Accept-Encoding': 'br' };
    const brotliAnswer = await fetch(`http://127.0.0.1:${configuredPortal.port}/feed.xml`, { headers });
    expect([brotliAnswer.headers.get('content-encoding'), await brotliAnswer.text()]).toEqual(['br', text]);
    expect(brotliAnswer.headers.get('etag')).not.toBe(plainAnswer.headers.etag);
    const revalidationHeaders = { ...headers, 'If-None-Match': brotliAnswer.headers.get('etag') ?? '' };
    expect((await ask(configuredPortal.port, '/feed.xml', { headers: revalidationHeaders })).status).toBe(
      304,
    );
    await configuredPortal.close();
  });

  it('answers HEAD without a body', async () => {
    const head = await get('/', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(String(BUILT_FILES['index.html'].length));
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
  ])('answers %s with the not-found page and 404', async (path) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 404, body: BUILT_FILES['404.html'] });
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('answers other methods with 405', async () => {
    const answer = await get('/staking', { method: 'POST', body: 'x' });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, code: 'method-not-allowed' });
  });

  it('allows its own inline scripts in the Content-Security-Policy', async () => {
    const { headers } = await get('/staking');
    expect(headers['content-security-policy']).toContain(` ${scriptHash('start()')};`);
  });

  it('is served as it was when the portal started', async () => {
    await writeFile(join(siteFolder.folder, 'team.html'), '<script>new()</script>');
    expect((await get('/team')).body).toBe(BUILT_FILES['team.html']);
  });
});

describe('a portal without a built site', () => {
  it.each([
    ['missing', {}, 'dist'],
    ['empty', { 'dist/robots.txt': '' }, 'dist'],
  ])('does not start (exit code 75) if the folder of the site is %s', async (_case, files, name) => {
    const { folder, remove } = await writeFolder(files);
    const reading = readSiteFiles(join(folder, name));
    await expect(reading).rejects.toThrow(StartError);
    await expect(reading).rejects.toMatchObject({ exitCode: EXIT.tryAgain });
    await remove();
  });

  it('answers 404 in plain text if it serves no site', async () => {
    const portalWithoutSite = await startTestPortal();
    expect(await ask(portalWithoutSite.port, '/')).toMatchObject({
      status: 404,
      body: expect.stringMatching(/^[^<]+$/),
    });
    await portalWithoutSite.close();
  });
});

describe('inline scripts', () => {
  it('are hashed as a browser hashes them', () => {
    // The example in section 8.3 of the CSP specification.
    const hash = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
    expect(scriptHash("alert('Hello, world.');")).toBe(hash);
  });

  it.each([
    ['a plain one', '<script>a()</script>', ['a()']],
    ['with attributes', '<script type="module" data-x="1 > 0">a()</script>', ['a()']],
    ['unquoted', '<script type=module>a()</script>', ['a()']],
    ['in capitals, across lines', '<SCRIPT\n>\n a()\n</SCRIPT >', ['\n a()\n']],
    ['several', '<script>a()</script><p></p><script>b()</script>', ['a()', 'b()']],
    ['containing markup', '<script>x = "<p>" + "<script"</script>', ['x = "<p>" + "<script"']],
    ['an import map', '<script type="importmap">{}</script>', ['{}']],
    ['with carriage returns', '<script>a()\r\nb()\r</script>', ['a()\nb()\n']],
    ['with a data-src attribute', '<script data-src="x">a()</script>', ['a()']],
  ])('are found: %s', (_case, html, scripts) => {
    expect(inlineScripts(html)).toEqual(scripts);
  });

  it.each([
    ['with a source', '<script src="/a.js"></script>'],
    ['with a source and a type', '<script type="module" src="/_astro/a.js">ignored</script>'],
    ['data', '<script type="application/json">{"a":1}</script>'],
    ['linked data', '<script type="application/ld+json">{}</script>'],
    ['empty', '<script></script>'],
    ['another element', '<scripted>a()</scripted>'],
  ])('are not found: %s', (_case, html) => {
    expect(inlineScripts(html)).toEqual([]);
  });

  it('are each listed once, in an order that does not depend on the order of the pages', () => {
    const [one, two] = ['<script>a()</script>', '<script>b()</script><script>a()</script>'];
    expect(inlineScriptHashes([one, two])).toHaveLength(2);
    expect(inlineScriptHashes([two, one])).toEqual(inlineScriptHashes([one, two]));
  });
});
