import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIGURES } from '../../api/metrics/figures.ts';
import { OPENAPI_PATH } from '../../api/openapi/document.ts';
import { median } from '../growth/flatness.ts';
import { type LoadGenerator, loadGenerator } from '../load.ts';
import { writeAnswers } from './answers-file.ts';
import { type ServerProcess, startPeer } from './server-process.ts';

/** Every cached call against bare `node:http`, and against Express and Fastify reading SQLite, in one run. */

/** The portal answers at least this share of what bare `node:http` answers. */
const LIMIT = 0.6;
const ROUNDS = 2;
const ROUND_SECONDS = 1;
/** Calls that are measured again where they miss: other work on the machine can only make them look slower. */
const TRIES_AGAIN = 4;

/** Calls that are answered from memory. */
const PATHS: readonly string[] = [...FIGURES.map(({ call }) => call.path), OPENAPI_PATH];

interface Rate {
  readonly perSecond: number;
  /** Processor time of the server for a request, in microseconds. */
  readonly cpu: number;
}

async function measure(
  { name, origin, cpu }: ServerProcess,
  path: string,
  generate: LoadGenerator,
): Promise<Rate> {
  const before = await cpu();
  const { requests, perSecond, failed } = await generate(origin + path, ROUND_SECONDS);
  const used = (await cpu()) - before;
  if (failed > 0 || requests === 0) throw new Error(`${name}: ${failed} of ${requests} requests failed.`);
  return { perSecond, cpu: used / requests };
}

/** How the portal does against one peer: its share of the peer, by requests a second and by processor time. */
interface Share {
  readonly rate: number;
  readonly cpu: number;
}

interface Verdict {
  readonly path: string;
  readonly bytes: number;
  readonly portal: Rate;
  /** By peer, in the order of the peers. */
  readonly shares: readonly Share[];
}

const worse = ({ rate, cpu }: Share): number => Math.min(rate, cpu);

function isHeld({ shares: [bare, ...frameworks] }: Verdict): boolean {
  return bare !== undefined && worse(bare) >= LIMIT && frameworks.every((share) => worse(share) > 1);
}

async function judge(
  path: string,
  bytes: number,
  [portal, ...peers]: readonly [ServerProcess, ...ServerProcess[]],
  generate: LoadGenerator,
): Promise<Verdict> {
  const own: Rate[] = [];
  const theirs = peers.map((): Rate[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await measure(portal, path, generate));
    for (const [index, peer] of peers.entries()) theirs[index]?.push(await measure(peer, path, generate));
  }
  const middle = (rates: readonly Rate[]): Rate => ({
    perSecond: median(rates.map(({ perSecond }) => perSecond)),
    cpu: median(rates.map(({ cpu }) => cpu)),
  });
  return {
    path,
    bytes,
    portal: middle(own),
    shares: theirs.map((rates) => ({
      // Round by round, since what else the machine does changes slowly.
      rate: median(own.map(({ perSecond }, round) => perSecond / (rates[round]?.perSecond ?? Number.NaN))),
      cpu: middle(rates).cpu / middle(own).cpu,
    })),
  };
}

function printVerdict(verdict: Verdict): void {
  const { path, bytes, portal, shares } = verdict;
  const columns = shares.map(({ rate, cpu }) => `${rate.toFixed(2)} ${cpu.toFixed(2)}`.padStart(11));
  const rate = Math.round(portal.perSecond).toLocaleString('en').padStart(7);
  console.log(
    `  ${path.padEnd(30)} ${String(bytes).padStart(6)} ${rate} ${columns.join(' ')}  ${isHeld(verdict) ? 'held' : 'MISSED'}`,
  );
}

/** Measures every cached call of a portal. True where each held its limits. */
export async function benchSpeed(portal: ServerProcess, folder: string): Promise<boolean> {
  const { name, generate } = await loadGenerator();
  const answers = await Promise.all(
    PATHS.map(async (path) => {
      const response = await fetch(portal.origin + path);
      if (response.status !== 200) throw new Error(`${path} answers ${response.status}.`);
      return { path, body: await response.text() };
    }),
  );
  const texts = join(folder, 'answers.json');
  const rows = join(folder, 'answers.db');
  await writeFile(texts, JSON.stringify(answers));
  writeAnswers(rows, answers);
  const peers: ServerProcess[] = [];
  try {
    peers.push(await startPeer('node:http', 'bare-server.ts', [texts]));
    peers.push(await startPeer('Express', 'express-server.ts', [rows, ...PATHS]));
    peers.push(await startPeer('Fastify', 'fastify-server.ts', [rows, ...PATHS]));
    const [first = ''] = PATHS;
    for (const { origin } of [portal, ...peers]) await generate(origin + first, 1);
    console.log(`${name}, 64 connections, median of ${ROUNDS} rounds; the portal while its index grows`);
    console.log('the portal as a share of each peer, by requests a second and by processor time a request');
    console.log(
      `  ${'call'.padEnd(30)} ${'bytes'.padStart(6)} ${'req/s'.padStart(7)} ${peers.map((peer) => peer.name.padStart(11)).join(' ')}`,
    );
    let areHeld = true;
    let triesLeft = TRIES_AGAIN;
    for (const { path, body } of answers) {
      const bytes = Buffer.byteLength(body);
      let verdict = await judge(path, bytes, [portal, ...peers], generate);
      for (; triesLeft > 0 && !isHeld(verdict); triesLeft -= 1) {
        verdict = await judge(path, bytes, [portal, ...peers], generate);
      }
      printVerdict(verdict);
      areHeld = areHeld && isHeld(verdict);
    }
    console.log(
      `limits: ${LIMIT} of node:http, ahead of Express and Fastify: ${areHeld ? 'held' : 'MISSED'}`,
    );
    return areHeld;
  } finally {
    for (const peer of peers) await peer.end();
  }
}
