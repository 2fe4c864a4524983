import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchBackfill } from './api/backfill.ts';
import { openGrowingIndex } from './api/growing-index.ts';
import { startPortalApi } from './api/server-process.ts';
import { benchSpeed } from './api/speed.ts';
import { benchStreams } from './api/streams.ts';

/**
 * The API as it runs, in a process of its own over a real index: its cached calls, its streams, and what a backfill
 * does to it. True where every limit was held.
 */
export async function benchApi(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  try {
    const index = await openGrowingIndex(folder);
    const portal = await startPortalApi(index.env);
    const held: boolean[] = [];
    try {
      // The streams first, while the portal holds nothing but itself.
      held.push(await benchStreams(portal, index));
      const growing = index.grow();
      console.log('');
      held.push(await benchSpeed(portal, folder));
      await growing.stop();
    } finally {
      await portal.end();
      await index.close();
    }
    console.log('');
    held.push(await benchBackfill(folder));
    const all = held.every((one) => one);
    console.log(all ? '\nheld' : '\nMISSED');
    return all;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
