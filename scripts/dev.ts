import '../data/runtime/node-version.ts';
import { spawn } from 'node:child_process';
import { loadEnvFile } from '../data/config/read-config.ts';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { preflight } from './preflight.ts';
import { STOP_TIMEOUT_MS, stopChild } from './supervisor.ts';

const PROGRAMS = {
  ledger: ['indexer/ledger/main.ts'],
  indexer: ['--watch', '--watch-preserve-output', 'indexer/main.ts'],
  api: ['--watch', '--watch-preserve-output', 'api/main.ts', '--api-only'],
  site: ['node_modules/astro/bin/astro.mjs', 'dev'],
} as const;

/** Runs the portal for development: the indexer and the API restart when a file changes, and pages reload in the browser. */
await runMain('dev', async () => {
  loadEnvFile();
  const config = await preflight(process.env);
  const shutdown = installShutdown((message) => process.stdout.write(`${message}\n`));
  for (const [name, args] of Object.entries(PROGRAMS)) {
    if (name === 'ledger' && config.solana.kind !== 'embedded') continue;
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
    });
    child.once('exit', () => void shutdown.stop(EXIT.failure, `${name} ended`));
    shutdown.onStop(name, () => stopChild(child, STOP_TIMEOUT_MS));
  }
});
