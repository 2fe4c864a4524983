import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** The paths of Debian's browsers. The headless shell comes first, because it runs the browser tests in half the time. */
const DEBIAN_CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function findChromium(): string | undefined {
  const candidates = [process.env.CHROMIUM_PATH, ...DEBIAN_CHROMIUMS, chromium.executablePath()];
  return candidates.find((path) => path !== undefined && existsSync(path));
}

/**
 * Returns the path of a Chromium for the browser tests, and installs one if there is none.
 * @throws {Error} if the installation fails; the message says what to install
 */
export function findOrInstallChromium(): string {
  const existingPath = findChromium();
  if (existingPath) return existingPath;
  process.stdout.write('No Chromium found; installing one …\n');
  const isRoot = process.getuid?.() === 0;
  const isInstalledByApt =
    isRoot &&
    existsSync('/usr/bin/apt-get') &&
    run('apt-get', 'update') &&
    run('apt-get', 'install', '-y', 'chromium-headless-shell');
  if (!isInstalledByApt) run(process.execPath, 'node_modules/playwright/cli.js', 'install', 'chromium');
  const installedPath = findChromium();
  if (!installedPath) {
    throw new Error(
      'No Chromium was found for the browser tests. Install one (Debian: apt-get install chromium-headless-shell; elsewhere: ' +
        'npx playwright install chromium), or set CHROMIUM_PATH.',
    );
  }
  process.stdout.write(`Chromium: ${installedPath}\n`);
  return installedPath;
}
