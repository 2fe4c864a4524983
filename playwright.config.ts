import { defineConfig } from 'playwright/test';

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/global-setup.ts',
  outputDir: 'test-results',
  // Each worker has its own portal, which the worker's test files share (e2e/test.ts).
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 240_000,
  // On a busy machine, the portal may report itself as unhealthy for a few seconds.
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    // Animations use up to a quarter of the CPU time.
    contextOptions: { reducedMotion: 'reduce' },
    // A service worker would cache the whole site in every test. Only the offline tests allow service workers.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
    // Tracing every test uses a quarter of the CPU time, so traces are recorded only with PICTURES=on.
    trace: process.env.PICTURES === 'on' ? 'retain-on-failure' : 'off',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      // The sandbox does not work for root in a container. The other flags stop requests that the browser itself makes.
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
      ],
    },
  },
});
