import { expect, type Page } from 'playwright/test';

/** Finds parts of the dashboard as a reader does: by headings and text, not by class names. */
export function dashboardPage(page: Page) {
  const tile = (label: string) =>
    page.locator('[data-state]').filter({ has: page.getByRole('heading', { name: label, exact: true }) });
  return {
    tile,
    /** A tile's figure as shown, but without its unit: `'99,998,436.01'`. */
    figure: async (label: string) => {
      const text = await tile(label)
        .getByRole('heading')
        .locator('xpath=following-sibling::p[1]')
        .textContent();
      return (text ?? '').replace(/[^\d.,−]/g, '');
    },
    feedRows: () => page.getByRole('region', { name: 'Vault Staking Activity' }).getByRole('listitem'),
  };
}

/** Scrolls to the vault's activity, which loads near the viewport. */
export async function showFeed(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Vault Staking Activity' }).scrollIntoViewIfNeeded();
}

/** Opens the dashboard, shows the vault's activity, and waits until the dashboard's chain figures are live. */
export async function openDashboard(page: Page, url: string) {
  await page.goto(url);
  const dashboard = dashboardPage(page);
  for (const label of ['Total Staked', 'Vault Balance']) {
    await expect(dashboard.tile(label)).toHaveAttribute('data-state', 'live');
  }
  await showFeed(page);
  return dashboard;
}

/** Formats `'20887580.31'` as a tile does: `'20,887,580.31'`. */
export function formatAsTile(decimalText: string): string {
  const [whole = '', fraction = ''] = decimalText.split('.');
  const hundredths = fraction.padEnd(2, '0');
  if (hundredths.length > 2) throw new Error(`A test's amount has at most two decimals, not ${decimalText}`);
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${hundredths}`;
}

/** The message that Playwright logs when it blocks a service worker. */
const NO_WORKER = 'Service Worker registration blocked by Playwright';

/** The browser's error for a request that the page itself aborted. */
const ABORTED = 'net::ERR_ABORTED';

/**
 * Collects logged errors and warnings, and failed requests. Requests that the page aborts do not count: outdated reads, and all
 * requests when the visitor leaves.
 */
export function watchForErrors(page: Page): { expectNone(allowed?: RegExp): void } {
  const errors: string[] = [];
  page.on('console', (message) => {
    const isError = message.type() === 'error' || message.type() === 'warning';
    if (isError && message.text() !== NO_WORKER) errors.push(`${message.location().url} ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText;
    if (error !== ABORTED) errors.push(`${request.url()} ${error}`);
  });
  return {
    expectNone: (allowed) => expect(errors.filter((error) => !allowed?.test(error))).toEqual([]),
  };
}
