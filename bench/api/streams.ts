import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { vaultLiveBalance } from '../../data/contract/metrics.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { median } from '../growth/flatness.ts';
import { type GrowingIndex, IDENTITY } from './growing-index.ts';
import type { PortalProcess } from './server-process.ts';
import type { StreamOrder, StreamReport } from './stream-client.ts';

// Measures many open streams: the time until a change reaches all of them, and their memory.

const STREAMS = 2_000;
const CHANGES = 7;
/** The limit for the time from the commit to the last stream. */
const LIMIT_MS = 500;
/** The limit for the memory of all streams together. */
const LIMIT_MB = 60;
/** An allowance for files that a process has open besides the streams. */
const OTHER_FILES = 100;
const REPORT_TIMEOUT_MS = 20_000;
const SETTLE_MS = 2_000;

async function sendOrder<T extends StreamReport['type']>(
  client: ChildProcess,
  sent: StreamOrder | null,
  type: T,
): Promise<Extract<StreamReport, { type: T }>> {
  if (sent) client.send(sent);
  const signal = AbortSignal.timeout(REPORT_TIMEOUT_MS);
  const [report]: [StreamReport] = await (
    once(client, 'message', { signal }) as Promise<[StreamReport]>
  ).catch(() => {
    throw new Error(`The stream client did not report ${type} within ${REPORT_TIMEOUT_MS / 1_000} s.`);
  });
  if (report.type !== type) throw new Error(`The stream client reported ${report.type}, not ${type}.`);
  return report as Extract<StreamReport, { type: T }>;
}

/** Commits a change and waits until every stream has it. @returns milliseconds to the first and to the last */
async function measureChange(
  client: ChildProcess,
  { index }: GrowingIndex,
): Promise<readonly [number, number]> {
  // The new balance is in no earlier message, so it identifies the change.
  const balance = toDecimalText(index.vaultAfterNext(), IDENTITY.decimals);
  await sendOrder(client, { type: 'watch', text: `"vaultBalance":"${balance}"` }, 'watching');
  const received = sendOrder(client, null, 'received');
  const committedAt = performance.timeOrigin + performance.now();
  await index.commitNext();
  const { first, last } = await received;
  return [first - committedAt, last - committedAt];
}

async function memoryAtRest(portal: PortalProcess): Promise<number | null> {
  await sleep(SETTLE_MS);
  const bytes = await portal.memory();
  return bytes === null ? null : bytes / 1e6;
}

function isMemoryMet(idle: number | null, withStreams: number | null): boolean {
  if (idle === null || withStreams === null) {
    console.log('memory: not reported by this system');
    return true;
  }
  const more = withStreams - idle;
  const isMet = more <= LIMIT_MB;
  console.log(
    `memory: ${withStreams.toFixed(0)} MB, ${more.toFixed(0)} MB over the portal without streams; ` +
      `limit ${LIMIT_MB} MB: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}

/** How many files and sockets a process may have open, or null if the system does not report it. */
async function openFileLimit(): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -n']);
    const limit = stdout.trim();
    if (limit === 'unlimited') return Number.POSITIVE_INFINITY;
    return /^\d+$/.test(limit) ? Number(limit) : null;
  } catch {
    return null;
  }
}

/** @returns whether changes reached all streams in time, within the memory limit; false if the streams cannot be opened */
export async function benchStreams(portal: PortalProcess, growing: GrowingIndex): Promise<boolean> {
  const files = await openFileLimit();
  if (files !== null && files < STREAMS + OTHER_FILES) {
    console.log(
      `${STREAMS} streams: NOT MEASURED. A process may open ${files} files here. Run \`ulimit -n ${STREAMS + OTHER_FILES}\` first.`,
    );
    return false;
  }
  const client = fork(new URL('stream-client.ts', import.meta.url));
  try {
    await fetch(portal.origin + vaultLiveBalance.path);
    const idle = await memoryAtRest(portal);
    const port = Number(new URL(portal.origin).port);
    const { streams, refusal } = await sendOrder(client, { type: 'open', port, streams: STREAMS }, 'opened');
    if (refusal !== null) throw new Error(`Only ${streams} of ${STREAMS} streams opened: ${refusal}`);
    const spreads: (readonly [number, number])[] = [];
    while (spreads.length < CHANGES) spreads.push(await measureChange(client, growing));
    const lasts = spreads.map(([, last]) => last);
    const isQuick = median(lasts) <= LIMIT_MS;
    const firsts = spreads.map(([first]) => first.toFixed(0)).join(', ');
    console.log(`${streams.toLocaleString('en')} streams, ${CHANGES} changes of vault and stakes`);
    console.log(`  from the commit to the first stream: ${firsts} ms`);
    console.log(
      `  to the last: ${lasts.map((ms) => ms.toFixed(0)).join(', ')} ms, median ${median(lasts).toFixed(0)}; limit ${LIMIT_MS} ms: ${isQuick ? 'met' : 'MISSED'}`,
    );
    return isMemoryMet(idle, await memoryAtRest(portal)) && isQuick;
  } finally {
    client.disconnect();
    await once(client, 'exit');
  }
}
