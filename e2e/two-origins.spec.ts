import { expect, test } from 'playwright/test';
import { inlineScripts, readSiteFiles, type SiteFiles, scriptHash } from '../api/pages/serve-pages.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import { CALLS } from '../data/contract/calls.ts';
import { EMBEDDED_FIGURE_NAMES } from '../data/contract/embeds.ts';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import * as PATHS from '../data/contract/paths.ts';

const FIRST_ORIGIN = 'https://portal.example.com';
const OTHER_ORIGIN = 'https://members.another-name.example:8443';
/** Paths that the API serves. The code examples on the page for developers contain them. */
const API_PATHS = [
  ...CALLS.map(({ path }) => path),
  ...[PATHS.live, PATHS.verificationSteps, PATHS.figuresWidget],
  ...EMBEDDED_FIGURE_NAMES.map(PATHS.badge),
];
/** Files that contain the portal's origin: pages, and files for search engines, feeds and offline use. */
const FILES_WITH_ORIGIN = ['/', '/faq', '/sitemap.xml', '/robots.txt', '/llms.txt', '/changes.xml', '/sw.js'];

interface ServedFile {
  readonly bytes: Buffer;
  readonly etag: string | null;
  readonly policy: string | null;
}

/**
 * Reads every file of the built site as a portal at `publicOrigin` serves it.
 * @returns the files by URL path: all of them `plain`, but only some `compressed`, because reading all files twice would take
 * seconds
 */
async function readServedFiles(site: SiteFiles, publicOrigin: string) {
  const portal = await startTestPortal({ site, publicOrigin });
  const readFiles = async (paths: Iterable<string>, encoding: string) => {
    const files = new Map<string, ServedFile>();
    for (const path of paths) {
      const response = await fetch(`http://127.0.0.1:${portal.port}${path}`, {
        headers: { 'Accept-Encoding': encoding },
      });
      if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
      files.set(path, {
        bytes: Buffer.from(await response.arrayBuffer()),
        etag: response.headers.get('etag'),
        policy: response.headers.get('content-security-policy'),
      });
    }
    return files;
  };
  const plain = await readFiles(site.byPath.keys(), 'identity');
  const compressed = await readFiles(FILES_WITH_ORIGIN, 'gzip');
  await portal.close();
  return { plain, compressed };
}

let site: SiteFiles;
test.beforeAll(async () => {
  site = await readSiteFiles('dist');
});

test('one build serves two origins, and each portal’s files name only its own', async () => {
  const { plain: firstFiles } = await readServedFiles(site, FIRST_ORIGIN);
  const { plain: otherFiles, compressed } = await readServedFiles(site, OTHER_ORIGIN);
  const pathsWithOrigin = new Set<string>();
  // Failures are collected, because thousands of calls to Playwright's `expect` take seconds.
  const problems: string[] = [];
  const check = (isRight: boolean | undefined, problem: string) => {
    if (!isRight) problems.push(problem);
  };
  for (const [path, { bytes, etag, policy }] of firstFiles) {
    const otherFile = otherFiles.get(path);
    const text = bytes.toString('latin1');
    const otherText = otherFile?.bytes.toString('latin1') ?? '';
    check(!text.includes(ORIGIN_PLACEHOLDER), `${path} has the build's origin`);
    // PDFs are not compared, because the offsets in them depend on the length of their links.
    if (!path.endsWith('.pdf'))
      check(otherText === text.replaceAll(FIRST_ORIGIN, OTHER_ORIGIN), `${path} differs`);
    check((otherFile?.etag === etag) === (otherText === text), `ETag of ${path}`);
    if (otherText !== text) pathsWithOrigin.add(path);
    if (!path.endsWith('.html')) continue;
    for (const script of inlineScripts(bytes.toString('utf8')))
      check(policy?.includes(scriptHash(script)), `policy of ${path}`);
  }
  for (const [path, { bytes }] of compressed)
    check(otherFiles.get(path)?.bytes.equals(bytes), `${path} differs compressed`);
  expect(problems).toEqual([]);
  expect([...pathsWithOrigin]).toEqual(expect.arrayContaining(FILES_WITH_ORIGIN));
  expect([...pathsWithOrigin].some((path) => path.endsWith('.pdf'))).toBe(true);
});

test('every absolute link to the portal itself leads to a file of the site or to the API', async () => {
  const links = new Set(
    site.pages.flatMap((html) => html.match(new RegExp(`${ORIGIN_PLACEHOLDER}[\\w./#?=-]*`, 'g')) ?? []),
  );
  expect(links.size).toBeGreaterThan(20);
  const servedPaths = new Set([...site.byPath.keys(), ...API_PATHS]);
  expect([...links].filter((link) => !servedPaths.has(new URL(link).pathname))).toEqual([]);
});
