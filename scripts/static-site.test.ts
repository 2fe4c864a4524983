// @module-tag slow
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { scriptHash } from '../api/pages/serve-pages.ts';
import { writeFolder } from '../api/testing/test-files.ts';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import * as PATHS from '../data/contract/paths.ts';
import { writeStaticSite } from './static-site.ts';

const ORIGINS = { site: 'https://portal.example.com', api: 'https://api.example.com' };
const page = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"></head><body>${body}</body></html>`;
const LINKS = [
  PATHS.loanNoteDocument,
  PATHS.eventFeed,
  '/admin/login',
  '/faq',
  '/administration',
  'https://a.example/api/x',
];

const BUILT_FILES = {
  'index.html': page(
    `<script>start()</script>${LINKS.map((link) => `<a href="${link}"></a>`).join('')}${' '.repeat(600)}`,
  ),
  'index.html.br': 'br of the built page',
  'faq.html': page(`<link rel="canonical" href="${ORIGIN_PLACEHOLDER}/faq"><script>other()</script>`),
  'offline.html': page('<p>Offline</p>'),
  '404.html': page(`<img src="${PATHS.badge('staked')}">`),
  'admin/login.html': page('<p>Sign in</p>'),
  'bot-diagnostics.html': page('<p>Diagnostics</p>'),
  'llms.txt': `${ORIGIN_PLACEHOLDER}/faq ${ORIGIN_PLACEHOLDER}${PATHS.openApi}`,
  '_astro/app.D41d8a1b.js': 'run()',
  '_astro/app.D41d8a1b.js.br': 'br of run',
  'pagefind/pagefind.js': 'search()',
  'artwork/card.svg': '<svg/>',
  'section-index.json': '{}',
  'favicon.svg': '<svg/>',
  'manifest.webmanifest': '{}',
  'sw.js': 'built()',
  '.build-stamp': 'stamp',
  '.chat-book.json': '{}',
  '.chat-book.json.br': 'br of the book',
};

/** The origins of a second site, which is written from the same files. */
const OTHER_ORIGINS = { site: 'http://portal.example.com', api: 'https://api2.example.com' };

let folder: string;
let builtFolder: string;
let site: string;
let otherSite: string;
const read = (file: string, from = site) => readFile(join(from, file), 'utf8');

beforeAll(async () => {
  builtFolder = (await writeFolder(BUILT_FILES)).folder;
  folder = await mkdtemp(join(tmpdir(), 'static-site-'));
  [site, otherSite] = [join(folder, 'site'), join(folder, 'other')];
  await writeStaticSite(builtFolder, site, ORIGINS);
  await writeStaticSite(builtFolder, otherSite, OTHER_ORIGINS);
});
afterAll(async () => {
  for (const one of [builtFolder, folder]) await rm(one, { recursive: true });
});

/** @returns a copy of the site, which the test may replace */
async function copiedSite(): Promise<string> {
  const out = join(await mkdtemp(join(folder, 'copy-')), 'out');
  await cp(site, out, { recursive: true });
  return out;
}

describe('a static site', () => {
  it('has none of the API’s files, none of the team’s pages, and no trace of the build', async () => {
    const files = await readdir(site, { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining(['index.html', '404.html', 'sw.js', '_headers', '_redirects']),
    );
    expect(files.filter((file) => /^\.|admin|diagnostics/.test(file))).toEqual([]);
  });

  it('starts each page with a policy that allows its own scripts and the API', async () => {
    const home = await read('index.html');
    const [, policy = ''] =
      /<meta charset="utf-8"><meta http-equiv="content-security-policy" content="([^"]*)">/.exec(home) ?? [];
    const sources = Object.fromEntries(policy.split(';').map((part) => part.split(/ (.*)/).slice(0, 2)));
    expect(sources['script-src']).toContain(scriptHash('start()'));
    expect(sources['script-src']).not.toContain(scriptHash('other()'));
    expect(sources['connect-src']).toBe(`'self' ${ORIGINS.api} ws://localhost:*`);
    expect(sources['frame-src']).toBe(`'self' ${ORIGINS.api}`);
    expect(sources['img-src']).toContain(ORIGINS.api);
    expect(sources['default-src']).toBe("'self'");
    expect(policy).not.toContain('frame-ancestors');
  });

  it('links to the API’s origin for paths that only the API serves, and to its own origin for other paths', async () => {
    const links = [...(await read('index.html')).matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link);
    expect(links).toEqual(LINKS.map((link, index) => (index < 3 ? `${ORIGINS.api}${link}` : link)));
    expect(await read('llms.txt')).toBe(`${ORIGINS.site}/faq ${ORIGINS.api}${PATHS.openApi}`);
    expect(await read('faq.html')).toContain(`href="${ORIGINS.site}/faq"`);
  });

  it('loads the API’s images from the API’s origin', async () => {
    expect(await read('404.html')).toContain(`<img src="${ORIGINS.api}${PATHS.badge('staked')}">`);
  });

  it('redirects to the API for paths that only the API serves', async () => {
    const redirects = (await read('_redirects'))
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    expect(redirects).toContainEqual(['/admin/*', `${ORIGINS.api}/admin/:splat`, '302']);
    expect(redirects).toContainEqual([PATHS.securityTxt, `${ORIGINS.api}${PATHS.securityTxt}`, '302']);
    expect(redirects).toContainEqual(['/api/*', `${ORIGINS.api}/api/:splat`, '302']);
  });

  it('has headers for settings that a page cannot contain, and HSTS only with https', async () => {
    expect(await read('_headers')).toMatch(
      /^#.*\n\/\*\n {2}content-security-policy: frame-ancestors 'none'\n/,
    );
    expect(await read('_headers')).toContain('  strict-transport-security: ');
    expect(await read('_headers', otherSite)).not.toContain('strict-transport-security');
  });

  it('reuses compressed copies only of unchanged files', async () => {
    expect(await read('_astro/app.D41d8a1b.js.br')).toBe('br of run');
    expect(await read('index.html.br')).not.toBe(BUILT_FILES['index.html.br']);
  });

  it('replaces an earlier static site, but not a folder with other content', async () => {
    const out = await copiedSite();
    await writeFile(join(out, 'removed.html'), '');
    await writeStaticSite(builtFolder, out, ORIGINS);
    expect(await readdir(out)).not.toContain('removed.html');
    for (const name of ['notes.txt', '_headers']) {
      const { folder: other, remove } = await writeFolder({ [name]: '/*\n  x-a: b\n' });
      onTestFinished(remove);
      await expect(writeStaticSite(builtFolder, other, ORIGINS)).rejects.toMatchObject({ exitCode: 64 });
      expect(await readdir(other)).toEqual([name]);
    }
  });

  it('keeps the earlier site complete if a build fails, and can be built again afterwards', async () => {
    const [out, source] = [await copiedSite(), await writeFolder(BUILT_FILES)];
    onTestFinished(source.remove);
    const filesOf = async () => (await readdir(out, { recursive: true })).toSorted();
    const before = await filesOf();
    const faq = join(source.folder, 'faq.html');
    await writeFile(faq, '<html>no charset</html>');
    await expect(writeStaticSite(source.folder, out, ORIGINS)).rejects.toThrow('charset');
    expect(await filesOf()).toEqual(before);
    await writeFile(faq, BUILT_FILES['faq.html']);
    await writeStaticSite(source.folder, out, ORIGINS);
    expect(await filesOf()).toEqual(before);
    const beside = (await readdir(dirname(out))).filter((name) => name.startsWith(`${basename(out)}.`));
    expect(beside).toEqual([]);
  });

  it('has a service worker whose page revisions depend on the API’s origin', async () => {
    const out = await copiedSite();
    await writeStaticSite(builtFolder, out, { ...ORIGINS, api: OTHER_ORIGINS.api });
    const revisionIn = async (from: string) =>
      /"?url"?:\W*"?[`"']\/faq\.html[`"'],"?revision"?:[`"']([^`"']+)/.exec(await read('sw.js', from))?.[1];
    const revision = await revisionIn(site);
    expect(revision).toMatch(/^\w{16}$/);
    expect(await revisionIn(out)).not.toBe(revision);
  });
});
