import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright/test';
import { fromDecimalText, toDecimalText } from '../data/model/amounts.ts';
import { LOCK_DAYS } from '../data/model/staking-terms.ts';
import { dashboardPage, formatAsTile } from '../e2e/dashboard-page.ts';
import { readLedgerFigures } from '../e2e/ledger-figures.ts';
import { type Portal, startPortal } from '../e2e/portal.ts';
import { acceptTerms } from '../e2e/visitor.ts';
import { ledgerKeypair } from '../indexer/ledger/addresses.ts';
import { findOrInstallChromium } from '../scripts/browser.ts';
import { type CountingUser, createCountingUser } from './counting-user.ts';

const STEP_TIMEOUT_MS = 20_000;
/** The longest time (ms) from signing a withdrawal until every page shows the new amounts. */
const MAX_FIGURES_MS = 2_000;
const FUNDING_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const WALLET_TO_NAME = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const MAILBOX = 'journey@example.com';

const print = (line: string) => process.stdout.write(`${line}\n`);

interface Visit {
  readonly user: CountingUser;
  readonly page: Page;
  readonly portal: Portal;
}
type Journey = (visit: Visit) => Promise<unknown>;

const dialog = (page: Page) => page.getByRole('dialog');
const button = (scope: Page | Locator, name: string | RegExp) =>
  scope.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });

async function openPage({ user, page }: Visit, name: string): Promise<void> {
  const link = page.getByRole('banner').getByRole('link', { name, exact: true });
  if (!(await link.isVisible()))
    await user.click(page.getByRole('banner').locator('summary', { hasText: 'More' }));
  await user.click(link);
}

/** Waits until an island's script runs. A visitor takes at least as long to find the island. */
async function waitUntilHydrated(island: Locator): Promise<Locator> {
  await island.scrollIntoViewIfNeeded();
  await island.page().locator('astro-island[ssr]').filter({ has: island }).waitFor({ state: 'detached' });
  return island;
}

async function connect({ user, page }: Visit, scope: Locator, wallet: string): Promise<void> {
  await user.click(button(scope, /^Connect Wallet/).first());
  await user.click(button(dialog(page), new RegExp(`^${wallet}`)));
}

const approve = ({ user, page }: Visit) => user.click(button(dialog(page), 'Approve'));

async function download({ user, page }: Visit, target: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('download'), user.click(target)]);
}

async function waitForConfirmationLink({ dataFolder, url }: Portal): Promise<string> {
  const folder = join(dataFolder, 'outbox', 'mail');
  const deadline = Date.now() + STEP_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.eml'))) {
      const mail = (await readFile(join(folder, name), 'utf8'))
        .replaceAll(/=\r?\n/g, '')
        .replaceAll('=3D', '=');
      const [, fragment] = /\/reminders(#confirm=[\w.-]+)/.exec(mail) ?? [];
      if (fragment !== undefined) return `${url}/reminders${fragment}`;
    }
    await setTimeout(50);
  }
  throw new Error('The email with the confirmation link did not arrive.');
}

interface Screen {
  readonly path: string;
  /**
   * Whether the page needs no wallet. Such a page opens in a separate browser profile, because a profile opens at most six
   * connections to a host.
   */
  readonly isPublic?: true;
  readonly before: (page: Page) => Locator;
  readonly after: (page: Page) => Locator;
}

/** The pages that change when a wallet withdraws its only stake. */
function screensOf(
  wallet: string,
  totalBefore: string,
  totalAfter: string,
): Readonly<Record<string, Screen>> {
  const totalTile = (amount: string) => (page: Page) =>
    dashboardPage(page)
      .tile('Total Staked')
      .filter({ hasText: formatAsTile(amount) });
  const stakers = (page: Page) => page.getByRole('region', { name: 'Active stakers', exact: true });
  const ownRow = (page: Page) => page.getByTitle(wallet, { exact: true });
  const stakeRegion = (amount: string) => (page: Page) =>
    page.getByRole('region', { name: 'Stake BD' }).filter({ hasText: `${amount} BD` });
  const totalText = (amount: string) => (page: Page) => page.locator('main').getByText(formatAsTile(amount));
  return {
    dashboard: { path: '/', before: totalTile(totalBefore), after: totalTile(totalAfter) },
    stakers: {
      path: '/enhanced-analytics',
      before: (page) => stakers(page).filter({ has: ownRow(page) }),
      after: (page) => stakers(page).filter({ hasNot: ownRow(page) }),
    },
    position: {
      path: '/my-position',
      before: (page) => page.locator('[data-position=staking]'),
      after: (page) => page.locator('[data-position=not-staking]'),
    },
    staking: {
      path: '/staking#stake',
      before: stakeRegion('1,499,999.00'),
      after: stakeRegion('1,500,009.00'),
    },
    'staking tiles': {
      path: '/staking',
      isPublic: true,
      before: totalText(totalBefore),
      after: totalText(totalAfter),
    },
    analytics: {
      path: '/analytics',
      isPublic: true,
      before: totalText(totalBefore),
      after: totalText(totalAfter),
    },
  };
}

async function withdraw(visit: Visit): Promise<void> {
  const { user, page, portal } = visit;
  await openPage(visit, 'My Position');
  await connect(visit, page.getByRole('banner'), 'One BD short');
  await page.locator('[data-position=staking]').waitFor();
  const wallet = ledgerKeypair('demo-short').publicKey.toBase58();
  const hundredths = fromDecimalText((await readLedgerFigures(portal.ledgerUrl)).totalStaked, 2);
  const remaining = hundredths - fromDecimalText('1499999', 2);
  const screens = screensOf(wallet, toDecimalText(hundredths, 2), toDecimalText(remaining, 2));
  const tabs = new Map<string, Page>();
  const publicContext = await page.context().browser()?.newContext();
  if (!publicContext) throw new Error('There is no browser.');
  await acceptTerms(publicContext);
  for (const [name, { path, isPublic, before }] of Object.entries(screens)) {
    const tab = await (isPublic ? publicContext : page.context()).newPage();
    await tab.goto(portal.url + path);
    await before(tab).first().waitFor();
    tabs.set(name, tab);
  }
  await portal.runLedgerCommand('advance', `${LOCK_DAYS + 1}d`);
  await page.bringToFront();
  await user.click(button(page.locator('[data-position]'), /^Withdraw from/));
  const withdrawal = page.getByRole('region', { name: 'Withdrawal' });
  await user.click(button(withdrawal, 'Review Withdrawal'));
  await user.click(button(withdrawal, 'Sign and Withdraw'));
  await approve(visit);
  const signedAt = performance.now();
  const times = await Promise.all(
    [...tabs].map(async ([name, tab]) => {
      await screens[name]
        ?.after(tab)
        .first()
        .waitFor({ timeout: 5 * MAX_FIGURES_MS });
      return [name, performance.now() - signedAt] as const;
    }),
  );
  for (const tab of tabs.values()) await tab.close();
  await publicContext.close();
  print(
    `  figures correct after signing: ${times.map(([name, ms]) => `${name} ${(ms / 1_000).toFixed(2)} s`).join(', ')}`,
  );
  const late = times.filter(([, ms]) => ms > MAX_FIGURES_MS);
  if (late.length > 0)
    throw new Error(`Later than ${MAX_FIGURES_MS} ms: ${late.map(([name]) => name).join(', ')}`);
}

const JOURNEYS: Readonly<Record<string, Journey>> = {
  'see one’s stake on the dashboard': async (visit) => {
    await connect(visit, visit.page.getByRole('banner'), 'Banker stake');
    await visit.page.getByText('6,200,000.00 BD').first().waitFor();
  },
  'calculate a stake': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'Staking');
    const calculator = await waitUntilHydrated(page.locator('[data-calculator]'));
    await user.type(calculator.getByLabel('Amount'), '1500000');
    await calculator.getByText('656,136.99 BD').first().waitFor();
  },
  'stake the minimum of a tier': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'Staking');
    const stake = page.getByRole('region', { name: 'Stake BD' });
    await connect(visit, stake, 'Held, not staked');
    await user.click(button(stake, /^Duckling/));
    await user.click(button(stake, 'Review Stake'));
    await user.click(button(stake, 'Sign and Stake'));
    await approve(visit);
    await dialog(page).getByRole('heading', { name: 'Duckling Tier Activated' }).waitFor();
  },
  'show the Solana Pay code of a stake': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'Staking');
    await user.click(page.getByText('Stake from a phone, or share'));
    await page.getByRole('img', { name: /Solana Pay code/ }).waitFor();
  },
  'withdraw a stake after its lock': withdraw,
  'export the whole history as CSV': async (visit) => {
    await openPage(visit, 'My Position');
    await connect(visit, visit.page.getByRole('banner'), 'Banker stake');
    await download(visit, button(visit.page.locator('main'), 'CSV of the whole range'));
  },
  'share a position as a picture': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'My Position');
    await connect(visit, page.getByRole('banner'), 'Banker stake');
    await user.click(button(page.locator('main'), 'Share as a picture'));
    await download(visit, button(dialog(page), 'Download PNG'));
  },
  'get reminders by email': async (visit) => {
    const { user, page, portal } = visit;
    await openPage(visit, 'My Position');
    await connect(visit, page.getByRole('banner'), 'Banker stake');
    const reminders = page.locator('[data-reminders]');
    await user.click(button(reminders, 'Set Up Reminders'));
    await approve(visit);
    await user.type(reminders.getByLabel('Email address'), MAILBOX);
    await user.click(button(reminders, 'Remind Me by Email'));
    await page.goto(await waitForConfirmationLink(portal));
    await user.click(button(page, 'Confirm my address'));
    await page.locator('[data-stage=done]').waitFor();
  },
  'name an address': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'My Position');
    const book = await waitUntilHydrated(page.locator('#address-book'));
    await user.type(book.getByLabel('Address', { exact: true }), WALLET_TO_NAME);
    await user.type(book.getByLabel('Name', { exact: true }), 'Treasury');
    await user.click(button(book, 'Add Name'));
    await book.getByText('Treasury').first().waitFor();
  },
  'save a chart as PNG': async (visit) => {
    await openPage(visit, 'Analytics');
    const chart = await waitUntilHydrated(
      visit.page.getByRole('region', { name: 'Total staked', exact: true }),
    );
    await chart.getByRole('slider').waitFor();
    await download(visit, button(chart, /PNG/));
  },
  'get a card': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'Cards');
    const steps = page.locator('#get-card');
    await connect(visit, steps, 'Banker stake');
    await user.click(button(steps, 'Prove Ownership'));
    await approve(visit);
    await user.type(steps.getByLabel('Name on the card'), 'Ada Lovelace');
    const fields = page.locator('[data-cardholder]');
    await user.type(fields.getByLabel('First name'), 'Ada');
    await user.type(fields.getByLabel('Last name'), 'Lovelace');
    await user.type(fields.getByLabel('Date of birth'), '1990-12-10');
    await user.type(fields.getByLabel('Email'), MAILBOX);
    await user.type(fields.getByLabel('Phone'), '+442079460958');
    await user.click(fields.getByRole('checkbox'));
    await user.click(button(steps, 'Generate Virtual Mastercard'));
    await page.locator('[data-shown=true]').waitFor();
  },
  'see where to send USDT for a card': async (visit) => {
    const { user, page } = visit;
    await openPage(visit, 'Cards');
    await user.click(
      button(await waitUntilHydrated(page.locator('#card-details')), 'Copy the funding address'),
    );
    await page.getByText('Copied to clipboard').waitFor();
  },
};

async function newVisit(portal: Portal, context: BrowserContext): Promise<Visit> {
  await acceptTerms(context);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_TIMEOUT_MS);
  await page.goto(portal.url);
  await dashboardPage(page).tile('Total Staked').and(page.locator('[data-state=live]')).waitFor();
  return { user: createCountingUser(page), page, portal };
}

const NAME_WIDTH = 48;

/** A new visitor makes each journey. All visitors use the same new portal. */
export async function benchJourneys(): Promise<boolean> {
  const portal = await startPortal({ CARD_FUNDING_ADDRESS: FUNDING_ADDRESS, SANDBOX_CARDHOLDER: 'full' });
  const browser = await chromium.launch({ executablePath: findOrInstallChromium(), args: ['--no-sandbox'] });
  let isMet = true;
  try {
    print(`${'journey, from the dashboard'.padEnd(NAME_WIDTH)}  clicks  keys  texts  seconds`);
    for (const [name, runJourney] of Object.entries(JOURNEYS)) {
      const context = await browser.newContext({ acceptDownloads: true });
      const visit = await newVisit(portal, context);
      const startedAt = performance.now();
      const { steps } = visit.user;
      try {
        await runJourney(visit);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
        print(
          `${name.padEnd(NAME_WIDTH)}${String(steps.clicks).padStart(8)}${String(steps.keys).padStart(6)}${String(steps.texts).padStart(7)}${seconds.padStart(9)}`,
        );
      } catch (error) {
        isMet = false;
        print(
          `${name.padEnd(NAME_WIDTH)}  FAILED after ${JSON.stringify(steps)}: ${String(error).split('\n').slice(0, 4).join(' ')}`,
        );
      }
      await context.close();
    }
  } finally {
    await browser.close();
    await portal.stop();
  }
  return isMet;
}
