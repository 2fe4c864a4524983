import { expect, type Page, type Request } from 'playwright/test';

/** Finds parts of the dashboard as a reader does: by headings and text, not by class names. */
export function dashboardPage(page: Page) {
  const tile = (label: string) =>
    page.locator('[data-state]').filter({ has: page.getByRole('heading', { name: label, exact: true }) });
  return {
    tile,
    /** The figure of a tile as shown, without unit: `'99,998,436.01'`. */
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

/** Opens the dashboard, shows the vault's activity, and waits until its chain figures are live. */
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
export function asShown(decimalText: string): string {
  const [whole = '', fraction = ''] = decimalText.split('.');
  const hundredths = fraction.padEnd(2, '0');
  if (hundredths.length > 2) throw new Error(`A test's amount has at most two decimals, not ${decimalText}`);
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${hundredths}`;
}

/** The browser driver's message when it blocks a service worker. */
const NO_WORKER = 'Service Worker registration blocked by Playwright';

/**
 * Collects errors that the page logs and requests that fail. The browser aborts requests from a page that the visitor
 * leaves; those do not count.
 */
export function watchForErrors(page: Page): { expectNone(allowed?: RegExp): void } {
  const errors: string[] = [];
  let departures = 0;
  let isLeaving = false;
  const departuresAtRequest = new WeakMap<Request, number>();
  const wasAbortedByLeaving = (request: Request) =>
    request.failure()?.errorText === 'net::ERR_ABORTED' &&
    departures > (departuresAtRequest.get(request) ?? 0);
  page.on('console', (message) => {
    const isError = message.type() === 'error' || message.type() === 'warning';
    if (isError && message.text() !== NO_WORKER) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) {
      departures += 1;
      isLeaving = true;
    }
    // A page that is being left may still send requests until the next one replaces it.
    departuresAtRequest.set(request, isLeaving ? departures - 1 : departures);
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) isLeaving = false;
  });
  page.on('requestfailed', (request) => {
    if (!wasAbortedByLeaving(request)) errors.push(`${request.url()} ${request.failure()?.errorText}`);
  });
  return {
    expectNone: (allowed) => expect(errors.filter((error) => !allowed?.test(error))).toEqual([]),
  };
}
