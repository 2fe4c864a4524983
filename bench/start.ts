import { startPortal } from '../e2e/portal.ts';
import { withTempFolder } from './temp-folder.ts';

/** The longest time (s) until the whole portal is ready, on every start after the first. */
const MAX_SECONDS = 3;
const STARTS = 5;

async function secondsToReady(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const portal = await startPortal({ DATA_DIR: dataDir });
  const seconds = (performance.now() - startedAt) / 1_000;
  await portal.stop();
  return seconds;
}

export function benchStart(): Promise<boolean> {
  return withTempFolder(async (dataDir) => {
    const first = await secondsToReady(dataDir);
    const laterStarts: number[] = [];
    for (let start = 0; start < STARTS; start++) laterStarts.push(await secondsToReady(dataDir));
    const worst = Math.max(...laterStarts);
    process.stdout.write(`first start, empty store: ${first.toFixed(1)} s\n`);
    process.stdout.write(`later starts: ${laterStarts.map((seconds) => seconds.toFixed(1)).join(', ')} s\n`);
    process.stdout.write(
      `slowest as a share of the limit of ${MAX_SECONDS} s: ${(worst / MAX_SECONDS).toFixed(2)}\n`,
    );
    return worst <= MAX_SECONDS;
  });
}
