import '../data/runtime/node-version.ts';
import { runMain } from '../data/runtime/shutdown.ts';
import { buildSiteIfStale } from './build-site.ts';

await runMain('build', async () => {
  process.stdout.write((await buildSiteIfStale()) ? 'Site built.\n' : 'Site is up to date.\n');
});
