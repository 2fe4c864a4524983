import { type BrowserContext, expect, type Locator, type Page, type Route } from 'playwright/test';

/** Accepts the daily terms for every page of a context, whatever the date on the page's clock. */
export async function acceptTerms(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const read = Storage.prototype.getItem;
    Storage.prototype.getItem = function (key) {
      return key === 'disclaimerAcceptedOn' ? new Date().toDateString() : read.call(this, key);
    };
  });
}

/**
 * Gives a page a made-up admin session token and leaves its admin API calls unanswered, so that the dashboard is rendered and
 * does not redirect to the login page.
 */
export async function signInWithoutResponses(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('adminSession', 'not answered'));
  await page.route('**/api/admin/**', () => {});
}

/** Holds back the next request to a URL. @returns a function that lets it continue, or answers it with `answer` */
export async function holdNext(
  page: Page,
  url: string | RegExp,
  answer?: Parameters<Route['fulfill']>[0],
): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const handleRoute = async (route: Route) => {
    await released;
    await (answer ? route.fulfill(answer) : route.continue());
  };
  await page.route(url, handleRoute, { times: 1 });
  return release;
}

export async function failNext(page: Page, url: string, where: 'network' | 'server'): Promise<void> {
  const fail = (route: Route) =>
    where === 'network' ? route.abort() : route.fulfill({ status: 500, body: '' });
  await page.route(url, fail, { times: 1 });
}

export async function expectNoDraft(page: Page): Promise<void> {
  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'));
  expect(await page.evaluate(drafts)).toEqual([]);
}

/** Measures layout shifts on the pages that are opened next. @returns a function that reads the current page's total */
export async function measureShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    let total = 0;
    const count = (entries: PerformanceEntryList) => {
      for (const entry of entries) total += (entry as PerformanceEntry & { value: number }).value;
    };
    const observer = new PerformanceObserver((list) => count(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    const totalShift = async () => {
      // A layout shift is recorded only after its frame.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      count(observer.takeRecords());
      return total;
    };
    Object.assign(window, { totalShift });
  });
  return async () => Number(await page.evaluate('totalShift()'));
}

export async function showToast(page: Page, toast: object): Promise<void> {
  const worker = await (await page.request.get('/sw.js')).text();
  const [file] = /_astro\/toast-region\.[\w-]+\.js/.exec(worker) ?? [];
  await page.evaluate(
    async ({ file, toast }) => {
      // Each export of the bundled file is a module. Uses the one that has `drawToast`.
      const modules = Object.values<{ drawToast?: (toast: object) => void }>(await import(`/${file}`));
      modules.find(({ drawToast }) => drawToast)?.drawToast?.(toast);
    },
    { file, toast },
  );
}

/** Waits until a form's error summary has links to exactly these fields, in this order. */
export async function expectInvalid(
  summary: Locator,
  form: string,
  fields: readonly string[],
): Promise<void> {
  const links = summary.getByRole('link');
  await expect
    .poll(() => links.evaluateAll((found) => found.map((link) => link.getAttribute('href'))))
    .toEqual(fields.map((field) => `#${form}-${field}`));
}

/**
 * Waits until the service worker has stored everything and controls the page. Does not poll, because polling would keep
 * the browser drawing frames.
 */
export async function waitForWorker(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { serviceWorker } = navigator;
    if (serviceWorker.controller !== null) return;
    await new Promise((resolve) =>
      serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
    );
  });
}
