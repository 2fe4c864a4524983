import type { BrowserContext } from 'playwright/test';

/** Makes every page of a context that of a visitor who has accepted the terms of the day already. */
export async function acceptTerms(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    try {
      localStorage.setItem('disclaimerAcceptedOn', new Date().toDateString());
    } catch {
      // A blank page has no storage.
    }
  });
}
