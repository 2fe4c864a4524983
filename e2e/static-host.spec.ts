import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, type Page, test } from 'playwright/test';
import { cacheControl } from '../api/pages/serve-pages.ts';
import * as PATHS from '../data/contract/paths.ts';
import { freePort } from '../data/runtime/testing/free-port.ts';
import { writeStaticSite } from '../scripts/static-site.ts';
import { filesBelow } from '../scripts/tree-stamp.ts';
import { openDashboard, watchForErrors } from './dashboard-page.ts';
import { type Portal, startPortal } from './portal.ts';
import { headersOf, readHeaderRules, startStaticHost } from './static-host.ts';
import { acceptTerms, waitForWorker } from './visitor.ts';

// Browsers resolve these names to this machine, and treat the two hosts as one site.
const SITE_HOST = 'site.portal.localhost';
const API_HOST = 'api.portal.localhost';
const OTHER_HOST = 'other.portal.localhost';

let folder: string;
let host: Awaited<ReturnType<typeof startStaticHost>>;
let portal: Portal;
let site: string;
let api: string;

// Uses Playwright's `test`: the portal's `test` adds a header, and browsers would then send preflight requests to the API.
test.beforeEach(({ context }) => acceptTerms(context));
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'static-'));
  host = await startStaticHost(folder);
  const port = await freePort();
  site = `http://${SITE_HOST}:${host.port}`;
  api = `http://${API_HOST}:${port}`;
  await writeStaticSite('dist', folder, { site, api });
  portal = await startPortal({ PORT: String(port), PUBLIC_ORIGIN: site, PUBLIC_API_ORIGIN: api });
  // The charts have no history while the indexer reads the chain for the first time.
  const history = `http://127.0.0.1:${port}${PATHS.history}?series=vault&range=30d`;
  await expect.poll(async () => (await fetch(history)).status).toBe(200);
});
test.afterAll(async () => {
  await portal.stop();
  host.close();
  await rm(folder, { recursive: true });
});

/** The wallet of the browser's session, as read by a page; null if the browser withholds the response. */
const sessionWallet = (page: Page) =>
  page.evaluate(async (url) => {
    const response = await fetch(url, { credentials: 'include' }).catch(() => null);
    return response && ((await response.json()).walletAddress as string | null);
  }, `${api}${PATHS.walletSession}`);

test('a site on a static host shows live figures, answers questions, and sends forms and proofs to the API’s origin', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'eventsource') streams.push(new URL(request.url()).origin);
  });
  const dashboard = await openDashboard(page, `${site}/`);
  expect(streams).toEqual([api]);
  const before = await dashboard.figure('Total Staked');
  await portal.runLedgerCommand('stake', '--wallet', 'banker', '--amount', '1500000');
  await expect.poll(() => dashboard.figure('Total Staked')).not.toBe(before);

  await page.goto(`${site}/contact#send-message`);
  const form = page.getByRole('form', { name: 'Send Message' });
  await expect(form.locator('[type=submit]')).toBeEnabled();
  await form.getByLabel(/^\s*Name/).fill('Ada');
  await form.getByLabel(/^\s*Email/).fill('ada@example.com');
  await form.getByLabel(/^\s*Message/).fill('Hello.');
  await form.locator('[type=submit]').click();
  await expect(form.locator('[data-reference]')).toHaveText(/^BD-\d{8}-\d{6}$/);

  await page.evaluate('openDucklingChat()');
  const chat = page.getByRole('dialog', { name: 'Duckling' });
  await chat.getByRole('textbox').fill('How long is my stake locked?');
  await page.keyboard.press('Enter');
  await expect(chat.getByRole('log')).toContainText('180 days');

  await page.goto(`${site}/virtual-card`);
  const steps = page.locator('#get-card');
  await steps.getByRole('button', { name: 'Connect Wallet' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Banker stake' }).click();
  await steps.getByRole('button', { name: 'Prove Ownership' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await expect(steps.getByLabel('Name on the card')).toBeVisible();
  await page.reload();
  await expect(steps.getByLabel('Name on the card')).toBeVisible();
  errors.expectNone();

  const wallet = await sessionWallet(page);
  expect(wallet).toMatch(/^\w{43,44}$/);
  await page.goto(`http://${OTHER_HOST}:${host.port}/faq`);
  expect(await sessionWallet(page)).toBeNull();
  // The browser sends the cookie with this request, because both hosts belong to one site.
  await page.evaluate(async (url) => {
    await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include' }).catch(() => null);
  }, `${api}${PATHS.walletSignOut}`);
  await page.goto(`${site}/faq`);
  expect(await sessionWallet(page)).toBe(wallet);
});

test.describe('with a service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  test('the service worker stores only the site’s own files; documents and the team’s pages are on the API’s origin', async ({
    page,
  }) => {
    const errors = watchForErrors(page);
    await openDashboard(page, `${site}/`);
    await waitForWorker(page);
    const storedUrls = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map(({ url }) => url);
    });
    expect(storedUrls.length).toBeGreaterThan(50);
    expect(
      storedUrls.filter((url) => new URL(url).origin !== site || PATHS.isApiPath(new URL(url).pathname)),
    ).toEqual([]);
    await page.goto(`${site}/convertible-loan`);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download PDF' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.pdf$/);
    await page.goto(`${site}/admin/login`);
    expect(page.url()).toBe(`${api}/admin/login`);
    await expect(page.getByLabel('Username')).toBeVisible();
    errors.expectNone();
  });
});

test('each file has the same cache lifetime as on the API’s own site', async () => {
  const rules = await readHeaderRules(folder);
  const files = (await filesBelow(folder)).map((file) => {
    const path = `/${relative(folder, file)}`;
    return { path, expected: cacheControl(path), actual: headersOf(rules, path).get('cache-control') };
  });
  const [hashedFiles = [], others = []] = [true, false].map((isHashed) =>
    files.filter(({ expected }) => expected.includes('immutable') === isHashed),
  );
  expect(hashedFiles.length).toBeGreaterThan(50);
  expect(hashedFiles.filter(({ actual, expected }) => actual !== expected)).toEqual([]);
  expect(others.filter(({ actual, expected }) => actual !== null && actual !== expected)).toEqual([]);
});
