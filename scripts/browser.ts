import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const DEBIAN_CHROMIUM = '/usr/bin/chromium';

function run(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function installed(): string | undefined {
  const candidates = [process.env.CHROMIUM_PATH, DEBIAN_CHROMIUM, chromium.executablePath()];
  return candidates.find((path) => path !== undefined && existsSync(path));
}

/**
 * Path of a Chromium for the browser tests, installed by whichever way works here if there is none; says what it did.
 * @throws {Error} saying what to install where none can be had.
 */
export function findOrInstallChromium(): string {
  const found = installed();
  if (found) return found;
  process.stdout.write('No Chromium found; installing one …\n');
  const asRoot = process.getuid?.() === 0;
  const installedByDebian =
    asRoot &&
    existsSync('/usr/bin/apt-get') &&
    run('apt-get', 'update') &&
    run('apt-get', 'install', '-y', 'chromium');
  if (!installedByDebian) run(process.execPath, 'node_modules/playwright/cli.js', 'install', 'chromium');
  const now = installed();
  if (!now) {
    throw new Error(
      'No Chromium for the browser tests. Install one (Debian: apt-get install chromium; elsewhere: npx playwright ' +
        'install chromium), or set CHROMIUM_PATH to yours.',
    );
  }
  process.stdout.write(`Chromium: ${now}\n`);
  return now;
}
