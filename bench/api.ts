import { benchBackfill } from './api/backfill.ts';
import { openGrowingIndex } from './api/growing-index.ts';
import { startPortalApi } from './api/server-process.ts';
import { benchSpeed } from './api/speed.ts';
import { benchStreams } from './api/streams.ts';
import { withTempFolder } from './temp-folder.ts';

export function benchApi(): Promise<boolean> {
  return withTempFolder(async (folder) => {
    const index = await openGrowingIndex(folder);
    const portal = await startPortalApi(index.env);
    const outcomes: boolean[] = [];
    try {
      // The index starts to grow only after the streams are measured, so that no other changes reach them.
      outcomes.push(await benchStreams(portal, index));
      const growing = index.grow();
      console.log('');
      outcomes.push(await benchSpeed(portal, folder));
      await growing.stop();
    } finally {
      await portal.end();
      await index.close();
    }
    console.log('');
    outcomes.push(await benchBackfill(folder));
    const areMet = outcomes.every(Boolean);
    console.log(areMet ? '\nmet' : '\nMISSED');
    return areMet;
  });
}
