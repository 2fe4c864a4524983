import type { BrowserContext, Page } from 'playwright/test';

/** Makes every page of a context that of a visitor who has accepted the day's terms, whatever day the page's clock says. */
export async function acceptTerms(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const read = Storage.prototype.getItem;
    Storage.prototype.getItem = function (key) {
      return key === 'disclaimerAcceptedOn' ? new Date().toDateString() : read.call(this, key);
    };
  });
}

/**
 * Makes a page that of an admin whose calls are under way for ever: the dashboard is all there, and leads nobody to the
 * login.
 */
export async function waitAsAdmin(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('adminSession', 'not answered'));
  await page.route('**/api/admin/**', () => {});
}
