import '../data/runtime/node-version.ts';
import { existsSync } from 'node:fs';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { runMain } from '../data/runtime/shutdown.ts';
import { findOrInstallChromium } from './browser.ts';
import { buildSiteIfStale } from './build-site.ts';
import { endOfRun, type Tally } from './test-report.ts';
import { checkPasses, playwrightTally, vitestTally } from './test-tally.ts';

const ASTRO = 'node_modules/astro/bin/astro.mjs';
const fast = process.argv.includes('--fast');

/** Every check in turn; a failing one does not keep the rest from running. Ends with the line that counts them all. */
await runMain('test', async () => {
  const tallies: Tally[] = [];
  const phase = async (name: string, run: () => Promise<Tally>) => {
    process.stdout.write(`\n── ${name}\n`);
    tallies.push(await run());
  };

  if (!fast) await phase('types of pages', () => checkPasses(ASTRO, 'check'));
  // The content collections' types are generated; the check above has done so too.
  else if (!existsSync('.astro/types.d.ts')) await phase('content types', () => checkPasses(ASTRO, 'sync'));
  await phase('types', () => checkPasses('node_modules/typescript7/bin/tsc', '-p', '.'));
  await phase('lint', () =>
    checkPasses('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  );
  await phase('unit and contract tests', vitestTally);
  if (!fast) {
    await phase('browser tests', async () => {
      try {
        process.env.CHROMIUM_PATH = findOrInstallChromium();
        await buildSiteIfStale(new AbortController().signal);
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        process.stderr.write(`${failure}\n`);
        return { passed: 0, failures: [{ name: 'the browser and the built site', error: failure }] };
      }
      return playwrightTally();
    });
  }

  process.stdout.write(`\n${endOfRun(tallies)}\n`);
  const isSound = tallies.every(({ failures }) => failures.length === 0);
  process.exitCode = isSound && tallies.some(({ passed }) => passed > 0) ? EXIT.ok : EXIT.failure;
});
