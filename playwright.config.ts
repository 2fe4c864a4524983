import { defineConfig } from 'playwright/test';

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/global-setup.ts',
  outputDir: 'test-results',
  // Each worker has a portal that its test files share (e2e/test.ts).
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 240_000,
  // On a busy machine the portal may count as unhealthy for some seconds.
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    // Animations take up to a quarter of the processor time.
    contextOptions: { reducedMotion: 'reduce' },
    // A service worker would store the whole site in every test. The offline tests allow it.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
    // A trace of every test costs a quarter of the processor time, so traces are recorded only with PICTURES=on.
    trace: process.env.PICTURES === 'on' ? 'retain-on-failure' : 'off',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      // Root in a container cannot use the sandbox. The other flags stop requests that the browser itself makes.
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
