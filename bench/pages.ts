import { installShutdown } from '../data/runtime/shutdown.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import { startPeer } from './api/server-process.ts';
import { median } from './growth/flatness.ts';
import { loadGenerator } from './load.ts';

const ROUNDS = 3;
const ROUND_SECONDS = 2;
/** The limit for a page's processor time from memory, as a share of its time with express.static. */
const LIMIT = 0.5;

/** Compares the uncompressed home page from memory, as the portal serves it, with express.static in one run. */
export async function benchPages(): Promise<boolean> {
  await buildSiteIfStale(installShutdown(console.error).signal);
  const { name, generate } = await loadGenerator();
  const servers = [
    await startPeer('from memory', 'peer-server.ts', ['memory']),
    await startPeer('express.static', 'peer-server.ts', ['static']),
  ];
  try {
    for (const { origin } of servers) await generate(`${origin}/`, ROUND_SECONDS);
    const rates: number[][] = servers.map(() => []);
    const times: number[][] = servers.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { origin, cpu }] of servers.entries()) {
        const before = await cpu();
        const { requests, perSecond } = await generate(`${origin}/`, ROUND_SECONDS);
        rates[index]?.push(perSecond);
        times[index]?.push(((await cpu()) - before) / requests);
      }
    }
    console.log(`${name}, 64 connections, the home page, median of ${ROUNDS} rounds`);
    for (const [index, server] of servers.entries()) {
      const rate = median(rates[index] ?? []).toFixed(0);
      const time = median(times[index] ?? []).toFixed(0);
      console.log(`${server.name}: ${rate} requests/s, ${time} µs of processor time each`);
    }
    const [memory = 0, disk = 0] = times.map(median);
    const isMet = memory / disk <= LIMIT;
    console.log(`share ${(memory / disk).toFixed(2)}, limit ${LIMIT}: ${isMet ? 'met' : 'MISSED'}`);
    return isMet;
  } finally {
    for (const server of servers) await server.end();
  }
}
