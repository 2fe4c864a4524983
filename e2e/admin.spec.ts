import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type BrowserContext, expect, type Page } from 'playwright/test';
import { blankPng } from '../api/documents/testing/sample-documents.ts';
import { listen } from '../api/listen.ts';
import { ADMIN_LISTS } from '../data/model/admin-lists.ts';
import { createTeam, skipPolling, submitLoan, type Team } from './admin-team.ts';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine, PHONE } from './examine.ts';
import { type Portal, startPortal } from './portal.ts';
import { test } from './test.ts';
import { holdNext } from './visitor.ts';

const PASSWORD = 'a heron stood quite still';
const REQUEST_COUNT = 12;
const DECIDED_COUNT = 4;

let portal: Portal;
let team: Team;

async function fillPortal(wallet: string): Promise<void> {
  for (const name of ['Bo Holder', 'Cy <b>Marked</b> Up']) {
    const email = `${name.slice(0, 2).toLowerCase()}@example.com`;
    const application = { name, email, wallet, bd_amount: 6_200_000, tier: 'Banker' };
    await team.submit('/api/card/submit-application', application);
  }
  const writer = { name: 'Di Writer', email: 'di@example.com', subject: 'Staking', category: 'staking' };
  await team.submit('/api/contact/submit', { ...writer, message: 'How long?\nThanks.' });
  for (let number = 1; number <= REQUEST_COUNT; number += 1) {
    await team.submit('/api/whitelist/request-verification', {
      walletAddress: wallet,
      userEmail: `sender-${number}@example.com`,
      claimedStakedAmount: '2,000,000',
      requestReason: 'It is staked in another pool.',
      currentDetection: 'Nothing staked',
      requestedAt: new Date().toISOString(),
    });
  }
  await submitLoan(team, 'Ed Investor', 'ed@example.com', blankPng(1, 1));
}

test.use({ baseURL: undefined });
test.beforeAll(async () => {
  portal = await startPortal();
  const [wallet = ''] = /[1-9A-HJ-NP-Za-km-z]{43,44}/.exec(await portal.runLedgerCommand('wallets')) ?? [];
  team = await createTeam(portal, PASSWORD, { grace: 'reviewer', viola: 'viewer' });
  await fillPortal(wallet);
});
test.afterAll(async () => {
  await portal.stop();
});

async function startReceiver() {
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void (async () => {
      bodies.push(await text(request));
      response.writeHead(status).end('the receiver is not ready');
    })();
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    bodies,
    answerWith: (next: number) => {
      status = next;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function openDashboard(context: BrowserContext, username: string, fragment = ''): Promise<Page> {
  const page = await team.open(context, username, `/admin/dashboard${fragment}`);
  await expect(page.getByRole('complementary', { name: 'Menu' })).toContainText(username);
  return page;
}

/** A link in the navigation. Its name ends with the number of waiting records. */
const menuLink = (page: Page, label: string) =>
  page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: new RegExp(`^${label}`) });

test('the dashboard lists every kind of record and opens each in a dialog', async ({ context }) => {
  const page = await openDashboard(context, 'ada');
  const errors = watchForErrors(page);
  await expect(page.getByText('Total Applications')).toBeVisible();
  await expect(page.getByText(/^2\D+7 days$/)).toBeVisible();
  await expect(page.getByRole('button', { name: /Bo Holder/ })).toBeVisible();
  await expect(page.getByRole('button', { name: `${REQUEST_COUNT} verification requests` })).toBeVisible();
  await expect(page.getByRole('button', { name: '1 open message' })).toBeVisible();
  await expect(menuLink(page, 'Verification Requests')).toHaveAccessibleName(/12 open$/);
  await examine(page, 'overview', { part: 'html' });

  const dialog = page.getByRole('dialog');
  await menuLink(page, 'Applications').click();
  await expect(menuLink(page, 'Applications')).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('columnheader')).toHaveText([
    /^Select/,
    ...ADMIN_LISTS.applications.columns.map(({ label }) => label),
  ]);
  await expect(page.getByRole('columnheader').last()).toHaveCSS('text-align', 'start');
  await page.getByRole('row', { name: /Bo Holder/ }).click();
  await expect(dialog.getByText('Membership Tier')).toBeVisible();
  await expect(dialog).toContainText('bo@example.com');
  await dialog.getByLabel('Add a note').fill('Called back.');
  await dialog.getByRole('button', { name: 'Add note' }).click();
  await expect(dialog.getByText('Called back.')).toBeVisible();
  await examine(page, 'application');
  const row = page.getByRole('row', { name: /Bo Holder/ });
  await expect(row).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(row.getByRole('button')).toBeFocused();
  // 25 rows, the default page size, fit on a screen that is 900 pixels high.
  const { y = 900, height = 900 } = (await page.getByRole('row').nth(1).boundingBox()) ?? {};
  expect(y + 25 * height).toBeLessThanOrEqual(900);
  await examine(page, 'applications');

  await page.setViewportSize(PHONE);
  await examine(page, 'cards', { lightSize: null });
  await row.click();
  await expect(dialog.getByRole('button', { name: /^Approve/ })).toBeInViewport({ ratio: 1 });
  await examine(page, 'sheet', { lightSize: null });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goto(new URL('#loan-applications', page.url()).href);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Received' }).selectOption('between');
  // A fifth digit of the year does not empty the field.
  await page.getByLabel('From').pressSequentially('010220265');
  await expect(page.getByLabel('From')).toHaveValue(/^\d{4}-01-02$/);
  await examine(page, 'filters', { lightSize: null });
  await page.setViewportSize(DESKTOP);

  await menuLink(page, 'Contacts').click();
  await page.getByRole('row', { name: /Di Writer/ }).click();
  await expect(dialog).toContainText('How long?');
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await menuLink(page, 'Delivery Logs').click();
  await expect(page.getByRole('row').nth(1)).toContainText(/Email|Telegram/);
  await examine(page, 'delivery-logs');

  // The search text is kept in the URL's fragment, so a reload repeats the search, but no request URL contains the text.
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await menuLink(page, 'Verification Requests').click();
  await page.getByLabel('Rows').selectOption('10');
  await expect(page.getByText(`1–10 of ${REQUEST_COUNT}`)).toBeVisible();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByText(`11–12 of ${REQUEST_COUNT}`)).toBeVisible();
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByRole('searchbox').fill('sender-7@');
  await expect(page.getByText('1–1 of 1')).toBeVisible();
  await page.reload();
  await expect(page.getByText('1–1 of 1')).toBeVisible();
  expect(requests.filter((call) => call.includes('sender-7'))).toEqual([]);

  await menuLink(page, 'Loan Applications').click();
  await page.getByRole('row', { name: /Ed Investor/ }).click();
  await dialog.getByRole('button', { name: 'View Passport copy' }).click();
  await expect(dialog.getByRole('img', { name: /Passport copy/ })).toHaveJSProperty('naturalWidth', 1);
  await examine(page, 'loan');
  errors.expectNone();
});

test('an unanswered question is added to a known question, and is answered when it is asked again', async ({
  context,
}) => {
  const ask = (message: string) => team.submit('/api/chat/duckling', { message });
  const question = 'will my parrot like your office';
  expect((await ask(question)).kind).toBe('unknown');
  const page = await team.open(context, 'grace', '/admin/duckling');
  const errors = watchForErrors(page);
  const group = page.getByRole('button', { name: /^will my .* like your office/ });
  await group.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('radio')).toHaveCount(3);
  const phrase = page.getByLabel('Wording', { exact: true });
  await phrase.fill(question);
  await examine(page, 'unanswered');
  await page.getByLabel('Search for another question').fill('lock period');
  await page.keyboard.press('Enter');
  await page
    .getByRole('radio', { name: /^How long/ })
    .first()
    .check();
  await phrase.press('Enter');
  await expect(page.locator('main :focus').getByRole('status')).toBeVisible();
  await expect(group).toHaveCount(0);
  await expect(page.locator('[data-kind=answer]')).toContainText('180');
  await expect(page.getByRole('button', { name: `Withdraw “${question}”` })).toBeVisible();
  expect((await ask(question)).kind).toBe('answer');
  errors.expectNone();
});

test('requests are decided one after the other by keyboard alone', async ({ context }) => {
  const page = await openDashboard(context, 'ada');
  const { keyboard } = page;
  const loadNavigation = await holdNext(page, /\/AdminNavigation\.[\w-]+\.js$/);
  await page.reload({ waitUntil: 'commit' });
  await page.locator('#main').waitFor();
  await keyboard.press('Control+k');
  await keyboard.type('waiting verix');
  await keyboard.press('Backspace');
  loadNavigation();
  const commands = page.getByRole('combobox', { name: /command$/ });
  await expect(commands).toBeFocused();
  await expect(commands).toHaveValue('waiting veri');
  await examine(page, 'commands');
  await keyboard.type('f');
  await keyboard.press('Enter');
  const first = page.locator('[data-opens]').first();
  await expect(first).toBeFocused();
  await keyboard.press('?');
  await expect(page.getByRole('heading', { name: 'Keyboard shortcuts' })).toBeInViewport();
  await keyboard.press('Escape');
  await expect(first).toBeFocused();
  await keyboard.press('j');
  await expect(page.locator('[data-opens]').nth(1)).toBeFocused();
  await keyboard.press('k');
  await keyboard.press('Enter');
  for (let count = 1; count <= DECIDED_COUNT; count += 1) {
    await expect(page.getByText(`${count} of ${REQUEST_COUNT} on this page`)).toBeVisible();
    const isRefused = count === 2;
    await expect(page.getByRole('button', { name: /^Refuse/ })).toBeVisible();
    await keyboard.press(isRefused ? 'r' : 'a');
    if (isRefused) {
      await expect(page.getByLabel('Reason')).toBeFocused();
      await keyboard.type('No such stake on the chain.');
      await keyboard.press('Control+Enter');
    } else {
      await expect(page.getByRole('radio', { name: 'Duckling' })).toBeFocused();
      await keyboard.press('Space');
      await keyboard.press('Enter');
      // Ownership of the wallet is not proven, so an approval needs an explanation.
      await expect(page.getByLabel(/anyway/)).toBeFocused();
      await keyboard.type('Seen in a call.');
      await keyboard.press('Control+Enter');
    }
    await expect(page.locator('[data-outcome="done"]')).toBeVisible();
    const status = isRefused ? 'refused' : 'approved';
    await expect(page.getByRole('dialog').locator(`[data-status=${status}]`).first()).toBeVisible();
    if (count < DECIDED_COUNT) await keyboard.press('n');
  }
  await keyboard.press('Escape');
  const openRequestCount = REQUEST_COUNT - DECIDED_COUNT;
  await expect(page.getByText(`1–${openRequestCount} of ${openRequestCount}`)).toBeVisible();
  await expect(first).toBeFocused();
});

test('an owner adds a webhook endpoint, tries it, sees and retries a failure, and removes it', async ({
  context,
}) => {
  const receiver = await startReceiver();
  const page = await team.open(context, 'ada', '/admin/webhooks');
  const errors = watchForErrors(page);
  await expect(page.getByText('No endpoints yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await examine(page, 'webhook-add');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText(/^whsec_/)).toBeVisible();
  await dialog.getByRole('button', { name: "I've saved the secret" }).click();

  await page.getByRole('button', { name: 'Send test event' }).click();
  const testEventRow = page.getByRole('row', { name: /Test event/ });
  await expect(testEventRow).toContainText('Delivered');
  receiver.answerWith(500);
  const writer = { name: 'Di Writer', email: 'di@example.com', subject: 'Staking', category: 'staking' };
  await team.submit('/api/contact/submit', { ...writer, message: 'How long?\nThanks.' });
  const messageRow = page.getByRole('row', { name: /Contact message submitted/ });
  await page.reload();
  await expect(messageRow).toContainText('500');
  await examine(page, 'webhooks');
  receiver.answerWith(200);
  await messageRow.getByRole('button', { name: 'Retry' }).click();
  await expect(messageRow).toContainText('Delivered');
  expect(new Set(receiver.bodies.map((body) => JSON.parse(body).id)).size).toBe(2);

  await page.getByRole('button', { name: /^Manage/ }).click();
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await expect(dialog.getByRole('status')).toBeVisible();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove permanently' }).click();
  await expect(page.getByText('No endpoints yet.')).toBeVisible();
  await receiver.close();
  // The portal may have been retrying the event on its own when Retry was clicked.
  errors.expectNone(/webhooks\/retry .* 409 /);
});

test('without polling, an open list and its count show a new submission and a change by another admin', async ({
  context,
}) => {
  await skipPolling(context);
  const page = await openDashboard(context, 'grace', '#contacts');
  const row = page.getByRole('row', { name: /Flo Live/ });
  const waitingBadge = page.locator('[data-entry="contacts"] [data-waiting]');
  await expect(page.getByRole('row', { name: /Di Writer/ }).first()).toBeVisible();
  const before = Number(await waitingBadge.getAttribute('data-waiting'));
  const flo = { name: 'Flo Live', email: 'flo@example.com', message: 'Hello.' };
  const { referenceNumber } = await team.submit('/api/contact/submit', flo);
  await expect(row).toBeVisible();
  await expect(waitingBadge).toHaveAttribute('data-waiting', String(before + 1));
  const { record } = await team.read<{ record: { changedAt: string } }>(
    'ada',
    `/api/admin/record?reference=${referenceNumber}`,
  );
  const statusChange = { referenceNumber, changedAt: record.changedAt, status: 'closed' };
  await team.change('ada', '/api/admin/contacts/status', statusChange);
  await expect(row.locator('[data-status=closed]')).toBeVisible();
  await expect(waitingBadge).toHaveAttribute('data-waiting', String(before));
});

test('of two concurrent decisions the second one fails with a conflict, and a viewer can decide nothing', async ({
  browser,
}) => {
  const open = async (name: string) =>
    openDashboard(await browser.newContext(), name, '#applications?sort=name');
  const [ada, grace, viola] = [await open('ada'), await open('grace'), await open('viola')];
  for (const page of [ada, grace, viola]) await page.getByRole('row', { name: /Bo Holder/ }).click();
  await expect(viola.getByRole('dialog')).toContainText('bo@example.com');
  await expect(viola.getByRole('button', { name: /Approve|Refuse|Export|Add note/ })).toHaveCount(0);

  await ada.getByRole('button', { name: /^Approve/ }).click();
  await expect(ada.locator('[data-warning="ownership-unproven"]')).toBeVisible();
  await ada.getByLabel(/anyway/).fill('Seen in a call.');
  await examine(ada, 'warned');
  await ada.getByRole('button', { name: 'Confirm: Approve' }).click();
  await expect(ada.locator('[data-outcome="done"]')).toBeVisible();
  await expect(ada.getByRole('dialog').locator('[data-status=approved]').first()).toBeVisible();
  await grace.getByRole('button', { name: /^Refuse/ }).click();
  await grace.getByLabel('Reason').fill('Not staked.');
  await grace.getByRole('button', { name: 'Confirm: Refuse' }).click();
  await expect(grace.locator('[data-outcome="conflict"]')).toContainText('ada');
  await expect(grace.getByRole('button', { name: /^Card issued/ })).toBeVisible();

  await ada.getByRole('button', { name: 'Close' }).click();
  const download = ada.waitForEvent('download');
  await ada.getByRole('button', { name: 'Export Data' }).click();
  await examine(ada, 'export');
  await ada.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toMatch(/^applications-\d{4}-\d\d-\d\d\.xlsx$/);
  await ada.getByRole('button', { name: 'Logout' }).click();
  await expect(ada).toHaveURL(/\/admin\/login$/);
  // Without a session, or once it has ended, the dashboard redirects to the login page.
  await ada.goto(`${portal.url}/admin/dashboard`);
  await expect(ada).toHaveURL(/\/admin\/login$/);
  // The login page itself would open the dashboard if it found a session while it starts.
  await ada.goto(`${portal.url}/robots.txt`);
  await ada.evaluate((token) => localStorage.setItem('adminSession', token), team.tokens.get('ada') ?? '');
  await ada.goto(`${portal.url}/admin/dashboard`);
  await expect(ada).toHaveURL(/\/admin\/login$/);
  for (const page of [ada, grace, viola]) await page.context().close();
});
