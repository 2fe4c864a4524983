import type { BrowserContext } from 'playwright/test';

/** Makes every page of a context that of a visitor who has accepted the day's terms, whatever day the page's clock says. */
export async function acceptTerms(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const read = Storage.prototype.getItem;
    Storage.prototype.getItem = function (key) {
      return key === 'disclaimerAcceptedOn' ? new Date().toDateString() : read.call(this, key);
    };
  });
}
