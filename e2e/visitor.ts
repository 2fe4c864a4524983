import type { BrowserContext, Page } from 'playwright/test';

/** Accepts the daily terms for every page of a context, whatever date the page's clock shows. */
export async function acceptTerms(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const read = Storage.prototype.getItem;
    Storage.prototype.getItem = function (key) {
      return key === 'disclaimerAcceptedOn' ? new Date().toDateString() : read.call(this, key);
    };
  });
}

/**
 * Signs a page in as an admin and leaves its API calls without a response, so the dashboard is rendered and nothing
 * redirects to the login.
 */
export async function signInWithoutResponses(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('adminSession', 'not answered'));
  await page.route('**/api/admin/**', () => {});
}
