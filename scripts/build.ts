import '../data/runtime/node-version.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { buildApiIfStale } from './build-api.ts';
import { buildSiteIfStale } from './build-site.ts';

await runMain('build', async () => {
  const shutdown = installShutdown((message) => process.stderr.write(`${message}\n`));
  await buildApiIfStale();
  process.stdout.write((await buildSiteIfStale(shutdown.signal)) ? 'Site built.\n' : 'Site is up to date.\n');
  await shutdown.stop();
});
