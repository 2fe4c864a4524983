import { test as base } from 'playwright/test';
import { type Portal, startPortal, waitForCharts } from './portal.ts';
import { acceptTerms } from './visitor.ts';

// Playwright's hook looks up stack frames in source maps at every step. Node runs these sources directly, so there are no maps.
if (process.env.PW_DISABLE_TS_ESM) Reflect.deleteProperty(Error, 'prepareStackTrace');

let visitorCount = 0;

/**
 * The portal's own `test`. All test files of a worker share one portal, and open its pages by relative URLs. Each test therefore
 * uses its own wallets and mailboxes, and compares figures with values that it read earlier. A test that kills a program or needs
 * an empty portal starts its own portal. The file of such a test sets `baseURL` to undefined, so that the shared portal does
 * not start.
 */
export const test = base.extend<{ acceptsTerms: boolean }, { sharedPortal: Portal }>({
  sharedPortal: [
    async ({ browserName: _ }, use) => {
      const portal = await startPortal();
      await waitForCharts(portal);
      await use(portal);
      await portal.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  baseURL: ({ sharedPortal }, use) => use(sharedPortal.url),
  acceptsTerms: [true, { option: true }],
  context: async ({ context, acceptsTerms }, use) => {
    if (acceptsTerms) await acceptTerms(context);
    await use(context);
  },
  // Each test has its own IP address, because rate limits apply per address.
  extraHTTPHeaders: async ({ extraHTTPHeaders }, use) => {
    visitorCount += 1;
    await use({ ...extraHTTPHeaders, 'X-Forwarded-For': `198.51.100.${visitorCount % 250}` });
  },
});
