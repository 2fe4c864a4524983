import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { FIGURES } from '../../api/metrics/figures.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { median } from '../growth/flatness.ts';
import { type LoadGenerator, loadGenerator } from '../load.ts';
import type { StoredResponse } from './peer-server.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

// Compares the portal's cached calls with bare `node:http`, and with Express and Fastify reading from SQLite, in one run.

/** The portal's minimum rate, as a share of the rate of bare `node:http`. */
const MIN_SHARE = 0.6;
const ROUNDS = 2;
const ROUND_SECONDS = 1;
/** How many times a measurement may be repeated, because other work on the machine can slow the portal down. */
const MAX_RETRIES = 4;

const CACHED_PATHS: readonly string[] = [...FIGURES.map(({ call }) => call.path), PATHS.openApi];

interface Rate {
  readonly perSecond: number;
  /** The server's CPU time per request, in microseconds. */
  readonly cpuMicroseconds: number;
}

async function measure(
  { name, origin, cpuMicroseconds }: ServerProcess,
  path: string,
  generate: LoadGenerator,
): Promise<Rate> {
  const before = await cpuMicroseconds();
  const { requests, perSecond, failed } = await generate(origin + path, ROUND_SECONDS);
  const usedMicroseconds = (await cpuMicroseconds()) - before;
  if (failed > 0 || requests === 0) throw new Error(`${name}: ${failed} of ${requests} requests failed.`);
  return { perSecond, cpuMicroseconds: usedMicroseconds / requests };
}

/** The portal's rate and efficiency, relative to another server's. Above 1, the portal is better. */
interface Share {
  readonly rate: number;
  readonly cpu: number;
}

interface Verdict {
  readonly path: string;
  readonly bytes: number;
  readonly portal: Rate;
  /** One for each of the other servers, in the same order. */
  readonly shares: readonly Share[];
}

const worseShare = ({ rate, cpu }: Share): number => Math.min(rate, cpu);

function isMet({ shares: [bare, ...frameworks] }: Verdict): boolean {
  return (
    bare !== undefined && worseShare(bare) >= MIN_SHARE && frameworks.every((share) => worseShare(share) > 1)
  );
}

async function judge(
  path: string,
  bytes: number,
  [portal, ...peers]: readonly [ServerProcess, ...ServerProcess[]],
  generate: LoadGenerator,
): Promise<Verdict> {
  const portalRates: Rate[] = [];
  const peerRates = peers.map((): Rate[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    portalRates.push(await measure(portal, path, generate));
    for (const [index, peer] of peers.entries()) peerRates[index]?.push(await measure(peer, path, generate));
  }
  const medianOf = (rates: readonly Rate[]): Rate => ({
    perSecond: median(rates.map(({ perSecond }) => perSecond)),
    cpuMicroseconds: median(rates.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  });
  return {
    path,
    bytes,
    portal: medianOf(portalRates),
    shares: peerRates.map((rates) => ({
      // The ratio is computed within each round, because the load from other work hardly changes in that time.
      rate: median(
        portalRates.map(({ perSecond }, round) => perSecond / (rates[round]?.perSecond ?? Number.NaN)),
      ),
      cpu: medianOf(rates).cpuMicroseconds / medianOf(portalRates).cpuMicroseconds,
    })),
  };
}

function printVerdict(verdict: Verdict): void {
  const { path, bytes, portal, shares } = verdict;
  const columns = shares.map(({ rate, cpu }) => `${rate.toFixed(2)} ${cpu.toFixed(2)}`.padStart(11));
  const rate = Math.round(portal.perSecond).toLocaleString('en').padStart(7);
  console.log(
    `  ${path.padEnd(30)} ${String(bytes).padStart(6)} ${rate} ${columns.join(' ')}  ${isMet(verdict) ? 'met' : 'MISSED'}`,
  );
}

function writeResponses(file: string, responses: readonly StoredResponse[]): void {
  const client = new Database(file);
  client.pragma('journal_mode = wal');
  client.exec('create table responses (path text primary key, body text not null) without rowid');
  const insert = client.prepare('insert into responses values (?, ?)');
  for (const { path, body } of responses) insert.run(path, body);
  client.close();
}

export async function benchSpeed(portal: ServerProcess, folder: string): Promise<boolean> {
  const { name, generate } = await loadGenerator();
  const responses = await Promise.all(
    CACHED_PATHS.map(async (path) => {
      const response = await fetch(portal.origin + path);
      if (response.status !== 200) throw new Error(`${path} responded with ${response.status}.`);
      return { path, body: await response.text() };
    }),
  );
  const textFile = join(folder, 'responses.json');
  const databaseFile = join(folder, 'responses.db');
  await writeFile(textFile, JSON.stringify(responses));
  writeResponses(databaseFile, responses);
  const peers: ServerProcess[] = [];
  try {
    peers.push(await startServerProcess('node:http', 'peer-server.ts', ['bare', textFile]));
    peers.push(
      await startServerProcess('Express', 'peer-server.ts', ['express', databaseFile, ...CACHED_PATHS]),
    );
    peers.push(
      await startServerProcess('Fastify', 'peer-server.ts', ['fastify', databaseFile, ...CACHED_PATHS]),
    );
    const [firstPath = ''] = CACHED_PATHS;
    for (const { origin } of [portal, ...peers]) await generate(origin + firstPath, 1);
    console.log(`${name}, 64 connections, median of ${ROUNDS} rounds; the portal while its index grows`);
    console.log('the portal as a share of each peer, by requests per second and by CPU time per request');
    console.log(
      `  ${'call'.padEnd(30)} ${'bytes'.padStart(6)} ${'req/s'.padStart(7)} ${peers.map((peer) => peer.name.padStart(11)).join(' ')}`,
    );
    let areMet = true;
    let retriesLeft = MAX_RETRIES;
    for (const { path, body } of responses) {
      const bytes = Buffer.byteLength(body);
      let verdict = await judge(path, bytes, [portal, ...peers], generate);
      for (; retriesLeft > 0 && !isMet(verdict); retriesLeft -= 1) {
        verdict = await judge(path, bytes, [portal, ...peers], generate);
      }
      printVerdict(verdict);
      areMet = areMet && isMet(verdict);
    }
    console.log(
      `limits: ${MIN_SHARE} of node:http, ahead of Express and Fastify: ${areMet ? 'met' : 'MISSED'}`,
    );
    return areMet;
  } finally {
    for (const peer of peers) await peer.end();
  }
}
