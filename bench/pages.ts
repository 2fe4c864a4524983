import { installShutdown } from '../data/runtime/shutdown.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import { startServerProcess } from './api/server-process.ts';
import { median } from './growth/flatness.ts';
import { loadGenerator } from './load.ts';

const ROUNDS = 3;
const ROUND_SECONDS = 2;
/** Maximum CPU time to serve a page from memory, as a share of the time with express.static. */
const MAX_TIME_SHARE = 0.5;

/**
 * Serves the uncompressed home page from memory, as the portal does, and with express.static. Compares the CPU time per
 * request.
 */
export async function benchPages(): Promise<boolean> {
  await buildSiteIfStale(installShutdown(console.error).signal);
  const { name, generate } = await loadGenerator();
  const servers = [
    await startServerProcess('from memory', 'peer-server.ts', ['memory']),
    await startServerProcess('express.static', 'peer-server.ts', ['static']),
  ];
  try {
    for (const { origin } of servers) await generate(`${origin}/`, ROUND_SECONDS);
    const rates: number[][] = servers.map(() => []);
    const times: number[][] = servers.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { origin, cpuMicroseconds }] of servers.entries()) {
        const before = await cpuMicroseconds();
        const { requests, perSecond } = await generate(`${origin}/`, ROUND_SECONDS);
        rates[index]?.push(perSecond);
        times[index]?.push(((await cpuMicroseconds()) - before) / requests);
      }
    }
    console.log(`${name}, 64 connections, the home page, median of ${ROUNDS} rounds`);
    for (const [index, server] of servers.entries()) {
      const rate = median(rates[index] ?? []).toFixed(0);
      const time = median(times[index] ?? []).toFixed(0);
      console.log(`${server.name}: ${rate} requests/s, ${time} µs of CPU time each`);
    }
    const [memoryTime = 0, staticTime = 0] = times.map(median);
    const isMet = memoryTime / staticTime <= MAX_TIME_SHARE;
    console.log(
      `share ${(memoryTime / staticTime).toFixed(2)}, limit ${MAX_TIME_SHARE}: ${isMet ? 'met' : 'MISSED'}`,
    );
    return isMet;
  } finally {
    for (const server of servers) await server.end();
  }
}
