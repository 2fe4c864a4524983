import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from 'playwright/test';
import { DELIVERY_KINDS } from '../data/model/reports.ts';
import { DELIVERY_CHANNELS } from '../data/store/delivery-port.ts';
import { openAppStore } from '../data/store/open-stores.ts';
import { submitLoan } from '../data/store/testing/sample-loans.ts';
import { submitApplication, submitMessage, submitRequest } from '../data/store/testing/sample-submissions.ts';
import { createTeam, type Team } from './admin-team.ts';
import { watchForErrors } from './dashboard-page.ts';
import { examine } from './examine.ts';
import { waitForMailLink } from './mails.ts';
import { type Portal, startPortal } from './portal.ts';
import { test } from './test.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 45;

let folder: string;
let portal: Portal;
let team: Team;

/** Before the portal starts, stores open and decided records for every fourth day of the last `DAYS` days. */
async function fillStore(file: string): Promise<void> {
  const store = await openAppStore(file);
  const now = Date.now();
  for (let day = DAYS; day >= 1; day -= 4) {
    const createdAt = now - day * DAY_MS;
    const actor = { adminId: 'nobody', address: '::1', at: createdAt + 8 * HOUR_MS };
    const application = await submitApplication(store, { createdAt, email: `${day}@example.com` });
    const refusal = { changedAt: createdAt, decision: 'refused', reason: 'No.' } as const;
    await store.records.decideApplication({ ...refusal, referenceNumber: application }, actor);
    await submitRequest(store, { createdAt });
    await submitLoan(store, { createdAt });
    const message = await submitMessage(store, { createdAt, category: 'staking' });
    const closing = { changedAt: createdAt, status: 'closed', reason: null } as const;
    await store.records.decideContact({ ...closing, referenceNumber: message }, actor);
  }
  await store.close();
}

test.use({ baseURL: undefined });
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-reports-'));
  await fillStore(join(folder, 'app.db'));
  portal = await startPortal({ DATA_DIR: folder });
  team = await createTeam(portal, 'a heron stood quite still', { grace: 'viewer' });
});
test.afterAll(async () => {
  await portal.stop();
  await rm(folder, { recursive: true, force: true });
});

const slider = (page: Page, name: string) => page.getByRole('slider', { name: new RegExp(`^${name}`) });

test('a viewer reads the reports as charts, as tables and as files', async ({ context }) => {
  const page = await team.open(context, 'grace', '/admin/reports');
  const errors = watchForErrors(page);
  await expect(page.getByRole('slider')).toHaveCount(5 + DELIVERY_CHANNELS.length);
  const kinds = page.getByRole('region', { name: 'By kind', exact: true });
  await expect(kinds.getByRole('row')).toHaveCount(5);
  const deliveries = page.getByRole('region', { name: 'Deliveries by kind' }).getByRole('row');
  await expect(deliveries).toHaveCount(1 + DELIVERY_KINDS.length);
  const receivedSlider = slider(page, 'Received');
  await expect(receivedSlider).toHaveAttribute('aria-valuemax', '29');
  const newest = await receivedSlider.getAttribute('aria-valuetext');
  await receivedSlider.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(receivedSlider).toHaveAttribute('aria-valuenow', '28');
  await page.keyboard.press('Escape');
  await expect(receivedSlider).toHaveAttribute('aria-valuetext', newest ?? '');
  await examine(page, 'reports');
  await page.getByRole('radio', { name: '1 year' }).check({ force: true });
  await page.getByRole('radio', { name: 'By week' }).check({ force: true });
  await expect(receivedSlider).toHaveAttribute('aria-valuemax', /^5[23]$/);
  await receivedSlider.focus();
  await page.keyboard.press('Home');
  await expect(receivedSlider).toHaveAttribute('aria-valuetext', /not available/);
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('contact-message');
  await expect(kinds.getByRole('row')).toHaveCount(2);
  const panel = page.getByRole('region', { name: 'Time to first answer' });
  await panel.getByRole('button', { name: /as table/ }).click();
  const rows = panel.getByRole('row');
  await expect(rows.first().getByRole('columnheader')).toHaveCount(5);
  expect(await rows.count()).toBeGreaterThan(52);
  const download = page.waitForEvent('download');
  await panel.getByRole('button', { name: /^CSV/ }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(await rows.count());
  expect(lines.at(-2)).toMatch(/^\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,\d+,\d+,\d+,[\d.]+$/);
  expect(lines[1]).toMatch(/,,,,$/);
  errors.expectNone();
});

test('an admin turns the weekly report on, confirms the address and turns it off', async ({ context }) => {
  const page = await team.open(context, 'grace', '/admin/account');
  const section = page.getByRole('region', { name: 'Weekly report' });
  await section.getByRole('button', { name: 'Turn on' }).click();
  await expect(section.locator('[data-state="unconfirmed"]')).toBeVisible();
  await examine(page, 'weekly-report-account');
  const other = await context.newPage();
  await other.goto(await waitForMailLink(portal, 'grace@example.com', /http\S+#confirm=[\w.-]+/));
  await expect(other).toHaveURL(/\/admin\/weekly-report$/);
  await examine(other, 'weekly-report-link');
  await other.getByRole('button', { name: 'Confirm my address' }).click();
  await expect(other.locator('[data-stage="done"]')).toBeVisible();
  await page.reload();
  await expect(section.locator('[data-state="on"]')).toBeVisible();
  await section.getByRole('button', { name: 'Turn off' }).click();
  await expect(section.locator('[data-state="off"]')).toBeVisible();
  await other.goto(`${portal.url}/admin/weekly-report#stop=wrong`);
  await other.getByRole('button', { name: 'Stop the report' }).click();
  await expect(other.getByRole('alert')).toBeVisible();
});
