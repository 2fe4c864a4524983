import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerMessage } from './api/measured-server.ts';
import { type LoadGenerator, loadGenerator } from './load.ts';

/** `GET /api/vault/live-balance` against bare `node:http` with the same bytes, in one run. */

const PATH = '/api/vault/live-balance';
/** The portal answers at least this share of what bare `node:http` answers. */
const LIMIT = 0.5;
const ROUNDS = 4;
const ROUND_SECONDS = 2;

interface Contender {
  readonly name: string;
  readonly child: ChildProcess;
  readonly url: string;
  readonly perSecond: number[];
  readonly cpuPerRequest: number[];
}

async function nextMessage<T extends ServerMessage['type']>(
  child: ChildProcess,
  type: T,
): Promise<Extract<ServerMessage, { type: T }>> {
  const [message]: [ServerMessage] = await Promise.race([
    once(child, 'message') as Promise<[ServerMessage]>,
    once(child, 'exit').then(() => {
      throw new Error('A server of the benchmark ended before it answered.');
    }),
  ]);
  if (message.type !== type) throw new Error(`A server of the benchmark sent ${message.type}, not ${type}.`);
  return message as Extract<ServerMessage, { type: T }>;
}

async function start(name: string, program: string, args: readonly string[] = []): Promise<Contender> {
  const child = fork(new URL(`./api/${program}`, import.meta.url), args);
  const { port } = await nextMessage(child, 'listening');
  return { name, child, url: `http://127.0.0.1:${port}${PATH}`, perSecond: [], cpuPerRequest: [] };
}

async function cpuOf({ child }: Contender): Promise<number> {
  child.send('cpu');
  return (await nextMessage(child, 'cpu')).microseconds;
}

async function measure(contender: Contender, generate: LoadGenerator): Promise<void> {
  const before = await cpuOf(contender);
  const { requests, perSecond, failed } = await generate(contender.url, ROUND_SECONDS);
  const after = await cpuOf(contender);
  if (failed > 0) throw new Error(`${contender.name}: ${failed} of ${requests} requests failed.`);
  contender.perSecond.push(perSecond);
  contender.cpuPerRequest.push((after - before) / requests);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Share of the peer that the portal reaches, in requests a second and in processor time a request. */
function shares(portal: Contender, peer: Contender): { readonly rate: number; readonly cpu: number } {
  // Round by round, since what else the machine does changes slowly.
  const rate = median(portal.perSecond.map((value, round) => value / (peer.perSecond[round] ?? Number.NaN)));
  return { rate, cpu: median(peer.cpuPerRequest) / median(portal.cpuPerRequest) };
}

function printContender({ name, perSecond, cpuPerRequest }: Contender): void {
  const rate = Math.round(median(perSecond)).toLocaleString('en').padStart(8);
  console.log(
    `  ${name.padEnd(44)} ${rate} req/s  ${median(cpuPerRequest).toFixed(1).padStart(6)} µs CPU/req`,
  );
}

/** The body and all headers of the portal's answer, for the peers to send. */
async function answerOf(portal: Contender): Promise<{ body: string; headers: string[] }> {
  const response = await fetch(portal.url);
  // Node adds these itself, to every server's answers.
  const added = new Set(['connection', 'date', 'keep-alive']);
  const headers = [...response.headers].filter(([name]) => !added.has(name)).flat();
  return { body: await response.text(), headers };
}

/** Runs the benchmark. True where the portal held the limit, by the harder peer and the worse of both measures. */
export async function benchApi(): Promise<boolean> {
  const { name, generate } = await loadGenerator();
  const contenders: Contender[] = [];
  try {
    const portal = await start('the portal', 'portal-server.ts');
    contenders.push(portal);
    const { body, headers } = await answerOf(portal);
    const length = String(Buffer.byteLength(body));
    const plain = {
      body,
      headers: ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length],
    };
    const bare = await start('node:http, same body', 'bare-server.ts', [JSON.stringify(plain)]);
    contenders.push(bare);
    const dressed = await start('node:http, same body and same headers', 'bare-server.ts', [
      JSON.stringify({ body, headers }),
    ]);
    contenders.push(dressed);

    for (const contender of contenders) await generate(contender.url, 1);
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of contenders) await measure(contender, generate);
    }

    console.log(`GET ${PATH}, ${length} bytes, ${name}, 64 connections, median of ${ROUNDS} rounds`);
    contenders.forEach(printContender);
    const whole = shares(portal, dressed);
    console.log(
      `of node:http with the same headers: ${whole.rate.toFixed(2)} by rate, ${whole.cpu.toFixed(2)} by CPU`,
    );
    const { rate, cpu } = shares(portal, bare);
    const held = Math.min(rate, cpu) >= LIMIT;
    console.log(
      `of node:http: ${rate.toFixed(2)} by rate, ${cpu.toFixed(2)} by CPU; limit ${LIMIT}: ${held ? 'held' : 'MISSED'}`,
    );
    return held;
  } finally {
    for (const { child } of contenders) child.disconnect();
  }
}
