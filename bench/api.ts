import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchBackfill } from './api/backfill.ts';
import { openGrowingIndex } from './api/growing-index.ts';
import { startPortalApi } from './api/server-process.ts';
import { benchSpeed } from './api/speed.ts';
import { benchStreams } from './api/streams.ts';

/** Measures the API as a separate process: its cached calls, its event streams, and its latency during a backfill. */
export async function benchApi(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  try {
    const index = await openGrowingIndex(folder);
    const portal = await startPortalApi(index.env);
    const met: boolean[] = [];
    try {
      // Streams come first, because their memory is compared with that of an idle portal.
      met.push(await benchStreams(portal, index));
      const growing = index.grow();
      console.log('');
      met.push(await benchSpeed(portal, folder));
      await growing.stop();
    } finally {
      await portal.end();
      await index.close();
    }
    console.log('');
    met.push(await benchBackfill(folder));
    const areMet = met.every(Boolean);
    console.log(areMet ? '\nmet' : '\nMISSED');
    return areMet;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
