import { Connection } from '@solana/web3.js';
import { expect, type Page } from 'playwright/test';
import { fromDecimalText, toDecimalText } from '../data/model/amounts.ts';
import { FRESHNESS } from '../data/model/value-state.ts';
import { ledgerKeypair } from '../indexer/ledger/addresses.ts';
import { stake as sendStake } from '../indexer/ledger/command-actions.ts';
import { feedLabel, sourceLabel } from '../site/islands/ui/provenance.ts';
import { dashboardPage, formatAsTile, openDashboard, showFeed, watchForErrors } from './dashboard-page.ts';
import { readLedgerFigures } from './ledger-figures.ts';
import { isAlive, type Portal, PROGRAMS, startPortal, waitForCharts } from './portal.ts';
import { test } from './test.ts';

let portal: Portal;
test.use({ baseURL: undefined });
test.beforeAll(async () => {
  portal = await startPortal();
  await waitForCharts(portal);
});
test.afterAll(async () => {
  await portal.stop();
});

const STAKE_COUNT = 3n;
const UNITS_PER_HUNDREDTH = 10_000n;
const LIVE_TILES = ['Vault Balance', 'Total Staked', 'BD Price', 'Current Reduced Supply'];
/** Matches the errors of requests that fail because a server was killed. */
const CUT_OFF_ERRORS =
  /api\/live|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;

const hundredthsOf = (text: string) => fromDecimalText(text, 2);
const hundredthsText = (hundredths: bigint) => toDecimalText(hundredths, 2);

/** A stake that was sent, and the chain's figures after the stake. Amounts are decimal strings. */
interface SentStake {
  readonly amount: string;
  readonly wallet: string;
  readonly walletStaked: string;
  readonly totalStaked: string;
}

/** Every screen that shows a stake: its page, and the element that appears there without a reload. */
const SCREENS = [
  {
    // Total Staked on the dashboard.
    path: '/',
    find: (page: Page, { totalStaked }: SentStake) =>
      dashboardPage(page)
        .tile('Total Staked')
        .filter({ hasText: formatAsTile(totalStaked) }),
  },
  {
    // The list of stakers in enhanced analytics.
    path: '/enhanced-analytics',
    find: (page: Page, { wallet, walletStaked }: SentStake) =>
      page
        .getByRole('region', { name: 'Active stakers', exact: true })
        .getByRole('row')
        .filter({ has: page.getByTitle(wallet, { exact: true }) })
        .filter({ hasText: formatAsTile(walletStaked) }),
  },
  {
    // Vault Staking Activity.
    path: '/',
    find: (page: Page, { amount }: SentStake) =>
      dashboardPage(page)
        .feedRows()
        .filter({ hasText: `+${formatAsTile(amount)}` }),
  },
] as const;

test('the live cards equal figures computed independently from the ledger’s RPC, the slot follows the chain, and the page says that the ledger is not Solana', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const dashboard = await openDashboard(page, portal.url);
  await expect(dashboard.tile('Vault Balance')).toHaveAttribute('data-state', 'live');
  await expect(dashboard.tile('BD Price')).toHaveAttribute('data-state', 'live');

  const ledger = await readLedgerFigures(portal.ledgerUrl);
  expect(await dashboard.figure('Vault Balance')).toBe(formatAsTile(ledger.vaultBalance));
  expect(await dashboard.figure('Total Staked')).toBe(formatAsTile(ledger.totalStaked));
  await expect(dashboard.tile('Total Staked')).toContainText(`${ledger.stakers} Active Stakers`);
  await expect(dashboard.tile('BD Price')).toContainText(feedLabel('demo'));
  // The market feed changes during the test, so the API and the page are read until they agree.
  await expect(async () => {
    const quote = await (await page.request.get(`${portal.url}/api/trading/market-data`)).json();
    expect(await dashboard.figure('BD Price')).toBe(Number(quote.priceUsd).toFixed(6));
  }).toPass();

  const live = page.getByRole('region', { name: 'Live figures' });
  await expect(live.getByText(sourceLabel('embedded-ledger'))).toBeVisible();
  const slot = async () => Number((await live.getByText(/^slot [\d,]+/).textContent())?.replace(/\D/g, ''));
  const before = await slot();
  await expect.poll(slot).toBeGreaterThan(before);
  errors.expectNone();
});

test('every screen shows each of three stakes without a reload, and their wallet counts as a new staker', async ({
  context,
}) => {
  const wallet = ledgerKeypair('ada');
  const connection = new Connection(portal.ledgerUrl, 'confirmed');
  // The wallet gets the BD for all stakes in advance, so that each stake takes only one transaction.
  await portal.runLedgerCommand('transfer', '--wallet', 'treasury', '--to', 'ada', '--amount', '31000000');
  const pages = new Map<string, Page>();
  for (const { path } of SCREENS) {
    if (pages.has(path)) continue;
    const page = await context.newPage();
    await page.goto(portal.url + path);
    if (path === '/') await showFeed(page);
    await page.evaluate(() => {
      document.documentElement.dataset.sameDocument = 'yes';
    });
    pages.set(path, page);
  }
  const before = await readLedgerFigures(portal.ledgerUrl);
  let staked = 0n;
  for (let turn = 0n; turn < STAKE_COUNT; turn++) {
    // In hundredths of a BD. Each stake has a different amount.
    const amount = 150_000_025n + turn;
    staked += amount;
    const stake = {
      amount: hundredthsText(amount),
      wallet: wallet.publicKey.toBase58(),
      walletStaked: hundredthsText(staked),
      totalStaked: hundredthsText(hundredthsOf(before.totalStaked) + staked),
    };
    const updates = SCREENS.map(async ({ path, find }) => {
      const page = pages.get(path);
      if (page) await find(page, stake).waitFor();
    });
    await Promise.all([sendStake(connection, wallet, amount * UNITS_PER_HUNDREDTH), ...updates]);
  }
  for (const page of pages.values())
    await expect(page.locator('html[data-same-document=yes]')).toBeAttached();
  const home = pages.get('/');
  if (home) {
    // Pages do not poll while the stream is live, so the stream announced the stakes.
    await home.getByRole('list', { name: 'Data status' }).scrollIntoViewIfNeeded();
    await expect(home.locator('[data-delivery]')).toHaveAttribute('data-delivery', 'live');
    const stakers = dashboardPage(home).tile('Total Staked');
    await expect(stakers).toContainText(`${before.stakers + 1} Active Stakers`);
  }
});

test('a stake announced while the list of stakers first loads appears in the list', async ({ page }) => {
  const wallet = ledgerKeypair('grace').publicKey.toBase58();
  const before = await readLedgerFigures(portal.ledgerUrl);
  const totalStaked = hundredthsText(hundredthsOf(before.totalStaked) + 500_000_075n);
  let hasStaked = false;
  await page.route('**/api/staking/transfers', async (route) => {
    const response = await route.fetch();
    if (!hasStaked) {
      hasStaked = true;
      await portal.runLedgerCommand('stake', '--wallet', 'grace', '--amount', '5000000.75');
      await expect(page.getByText(formatAsTile(totalStaked)).first()).toBeVisible();
    }
    await route.fulfill({ response });
  });
  await page.goto(`${portal.url}/enhanced-analytics`);
  const stakers = page.getByRole('region', { name: 'Active stakers', exact: true });
  await expect(
    stakers.getByRole('row').filter({ has: page.getByTitle(wallet, { exact: true }) }),
  ).toContainText('5,000,000.75');
  // A later request may have made the stake appear while the first request is still held back.
  await page.unrouteAll({ behavior: 'wait' });
});

test('a killed indexer restarts and catches up, and a killed ledger restarts with everything it confirmed, after which the figures update again', async ({
  page,
}) => {
  const dashboard = await openDashboard(page, portal.url);

  const restarted = portal.killAndAwaitRestart('indexer');
  await portal.runLedgerCommand('deposit', '--wallet', 'ada', '--amount', '2500.75');
  await portal.runLedgerCommand('stake', '--wallet', 'grace', '--amount', '5000000');
  await restarted;

  const rows = dashboard.feedRows();
  await expect(rows.nth(0)).toContainText('+5,000,000.00');
  await expect(rows.nth(1)).toContainText('+2,500.75');
  const ledger = await readLedgerFigures(portal.ledgerUrl);
  await expect.poll(() => dashboard.figure('Total Staked')).toBe(formatAsTile(ledger.totalStaked));
  await expect.poll(() => dashboard.figure('Vault Balance')).toBe(formatAsTile(ledger.vaultBalance));

  const before = await readLedgerFigures(portal.ledgerUrl);

  await portal.killAndAwaitRestart('ledger');
  expect(await readLedgerFigures(portal.ledgerUrl)).toEqual(before);

  await portal.runLedgerCommand('deposit', '--wallet', 'ada', '--amount', '12.5');
  await expect(dashboard.feedRows().first()).toContainText('+12.50');
  const after = await readLedgerFigures(portal.ledgerUrl);
  await expect.poll(() => dashboard.figure('Vault Balance')).toBe(formatAsTile(after.vaultBalance));
});

/** Waits until every connection indicator on the dashboard agrees with `isUp`. */
async function expectConnection(page: Page, isUp: boolean): Promise<void> {
  await Promise.all([
    expect(page.locator(`[data-live="${!isUp}"]`)).toHaveCount(0),
    expect(page.locator('[data-delivery]')).toHaveAttribute('data-delivery', isUp ? 'live' : 'reconnecting'),
    expect(page.getByRole('list', { name: 'Data status' }).locator('[data-tone]').last()).toHaveAttribute(
      'data-tone',
      isUp ? 'healthy' : 'offline',
    ),
    expect(page.getByRole('contentinfo').locator('[data-health]')).toHaveAttribute(
      'data-health',
      isUp ? 'healthy' : 'offline',
    ),
    expect(page.locator('[data-health-alert]')).toBeVisible({ visible: !isUp }),
  ]);
}

/** Selectors that match while a connection indicator shows an outage. */
const OUTAGE_SELECTORS = [
  '[data-live=false]',
  '[data-delivery=reconnecting]',
  '[data-tone=offline]',
  'footer [data-health=offline]',
  '[data-health-alert]:not([hidden])',
];
/** The longest time allowed, in ms, between the first and the last indicator to show an outage. */
const MAX_DISAGREEMENT_MS = 2_000;

/**
 * Makes the page record when each indicator first shows an outage. On a busy machine, the test itself would notice too late.
 * @returns a function that returns the milliseconds between the first and the last indicator; NaN until all have shown the outage
 */
async function watchOutage(page: Page): Promise<() => Promise<number>> {
  const outageTimes = await page.evaluateHandle((selectors) => {
    const timeBySelector = new Map<string, number>();
    new MutationObserver(() => {
      for (const selector of selectors) {
        if (!timeBySelector.has(selector) && document.querySelector(selector))
          timeBySelector.set(selector, performance.now());
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
    return timeBySelector;
  }, OUTAGE_SELECTORS);
  return () =>
    outageTimes.evaluate((timeBySelector, count) => {
      const all = [...timeBySelector.values()];
      return all.length === count ? Math.max(...all) - Math.min(...all) : Number.NaN;
    }, OUTAGE_SELECTORS.length);
}

test('without the API all connection indicators agree within two seconds, the tiles become stale, and everything recovers', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.clock.install();
  const dashboard = await openDashboard(page, portal.url);
  const feed = page.getByRole('region', { name: 'Vault Staking Activity' });
  await page.getByRole('list', { name: 'Data status' }).scrollIntoViewIfNeeded();
  await feed.scrollIntoViewIfNeeded();
  await expect(feed.getByText('Live', { exact: true })).toBeVisible();
  await expectConnection(page, true);
  const disagreement = await watchOutage(page);
  const healthReads: number[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/network/health')) healthReads.push(performance.now());
  });

  const restartApi = portal.killAndHoldDown('api');
  await expectConnection(page, false);
  expect(await disagreement()).toBeLessThanOrEqual(MAX_DISAGREEMENT_MS);
  await expect(feed.getByText('Reconnecting')).toBeVisible();
  // Further attempts to reconnect the stream cause no further health reads. Regular health reads are 30 seconds apart.
  await page.clock.runFor(1_000);
  expect(healthReads).not.toEqual([]);
  expect(healthReads.filter((time, index) => time - (healthReads[index - 1] ?? 0) < 1_000)).toEqual([]);
  await page.clock.fastForward(FRESHNESS.market.limitMs + 10_000);
  for (const label of LIVE_TILES) {
    await expect(dashboard.tile(label)).toHaveAttribute('data-state', 'stale');
    await expect(dashboard.tile(label)).toContainText(/Stale · [3-6] min ago/);
  }
  await portal.runLedgerCommand('withdraw', '--wallet', 'ada', '--amount', '1000.5');
  await restartApi();
  await expect
    .poll(
      () =>
        fetch(`${portal.url}/api/network/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      {
        intervals: [100],
      },
    )
    .toBe(true);
  await expectConnection(page, true);
  await expect(feed.getByText('Live', { exact: true })).toBeVisible();
  await expect(dashboard.feedRows().first()).toContainText('−1,000.50');
  for (const label of LIVE_TILES) {
    await expect(dashboard.tile(label)).toHaveAttribute('data-state', 'live');
  }
  const ledger = await readLedgerFigures(portal.ledgerUrl);
  await expect.poll(() => dashboard.figure('Vault Balance')).toBe(formatAsTile(ledger.vaultBalance));
  errors.expectNone(CUT_OFF_ERRORS);
});

// This test is last, because it kills the portal.
test('a portal that is killed without warning leaves no process behind', async () => {
  const processes = PROGRAMS.map(portal.processId);
  portal.kill();
  // On a busy machine, a process takes a while to notice that its parent has ended.
  await expect.poll(() => processes.map(isAlive)).toEqual([false, false, false]);
});
