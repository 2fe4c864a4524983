import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { toDecimalText } from '../../data/model/amounts.ts';
import { median } from '../growth/flatness.ts';
import { type GrowingIndex, IDENTITY } from './growing-index.ts';
import type { PortalProcess } from './server-process.ts';
import type { StreamOrder, StreamReport } from './stream-client.ts';

// Measures many open streams: the time until a change reaches all of them, and the memory that they use.

const STREAMS = 2_000;
const CHANGE_COUNT = 7;
/** The limit for the time from a commit until the last stream has received the change. */
const LIMIT_MS = 500;
/** The limit for the memory of all streams together. */
const LIMIT_MB = 60;
/** An allowance for files that a process has open besides the streams. */
const OTHER_FILES = 100;
const REPORT_TIMEOUT_MS = 20_000;
const SETTLE_MS = 2_000;
const COLLECTION_MS = 200;

async function sendOrder<T extends StreamReport['type']>(
  client: ChildProcess,
  order: StreamOrder | null,
  type: T,
): Promise<Extract<StreamReport, { type: T }>> {
  if (order) client.send(order);
  const signal = AbortSignal.timeout(REPORT_TIMEOUT_MS);
  const [report]: [StreamReport] = await (
    once(client, 'message', { signal }) as Promise<[StreamReport]>
  ).catch(() => {
    throw new Error(`The stream client did not report ${type} within ${REPORT_TIMEOUT_MS / 1_000} s.`);
  });
  if (report.type !== type) throw new Error(`The stream client reported ${report.type}, not ${type}.`);
  return report as Extract<StreamReport, { type: T }>;
}

/** Commits a change. @returns the milliseconds until the first and until the last stream has received it */
async function measureChange(
  client: ChildProcess,
  { index }: GrowingIndex,
): Promise<readonly [number, number]> {
  // No earlier message contains the new balance, so it identifies the change.
  const balance = toDecimalText(index.vaultBalanceAfterNext(), IDENTITY.decimals);
  await sendOrder(client, { type: 'watch', text: `"vaultBalance":"${balance}"` }, 'watching');
  const received = sendOrder(client, null, 'received');
  const committedAt = performance.timeOrigin + performance.now();
  await index.commitNext();
  const { first, last } = await received;
  return [first - committedAt, last - committedAt];
}

async function memoryAtRestMb(portal: PortalProcess): Promise<number | null> {
  await sleep(SETTLE_MS);
  portal.collectGarbage();
  await sleep(COLLECTION_MS);
  const bytes = await portal.memoryBytes();
  return bytes === null ? null : bytes / 1e6;
}

/** Whether the memory freed by closing the streams is within its limit. Code compiled meanwhile stays, so it is not counted. */
function isMemoryLimitMet(withStreamsMb: number | null, closedMb: number | null): boolean {
  if (withStreamsMb === null || closedMb === null) {
    console.log('memory: not reported by this system');
    return true;
  }
  const streamsMb = withStreamsMb - closedMb;
  const isMet = streamsMb <= LIMIT_MB;
  console.log(
    `memory after a garbage collection: ${withStreamsMb.toFixed(0)} MB, ${streamsMb.toFixed(0)} MB of it for the streams; ` +
      `limit ${LIMIT_MB} MB: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}

/** How many files a process may open; null if the system does not report it. */
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

/**
 * @returns whether changes reached all streams in time and the memory stayed within its limit. False if this system does not
 * allow enough open files.
 */
export async function benchStreams(portal: PortalProcess, growing: GrowingIndex): Promise<boolean> {
  const openFileMaximum = await openFileLimit();
  if (openFileMaximum !== null && openFileMaximum < STREAMS + OTHER_FILES) {
    console.log(
      `${STREAMS} streams: NOT MEASURED. A process may open ${openFileMaximum} files here. Run \`ulimit -n ${STREAMS + OTHER_FILES}\` first.`,
    );
    return false;
  }
  const client = fork(new URL('stream-client.ts', import.meta.url));
  const exit = once(client, 'exit');
  const closeClient = async () => {
    if (client.connected) client.disconnect();
    await exit;
  };
  try {
    await portal.untilLibrariesLoaded();
    const port = Number(new URL(portal.origin).port);
    const { streams, refusal } = await sendOrder(client, { type: 'open', port, streams: STREAMS }, 'opened');
    if (refusal !== null) throw new Error(`Only ${streams} of ${STREAMS} streams opened: ${refusal}`);
    const delays: (readonly [number, number])[] = [];
    while (delays.length < CHANGE_COUNT) delays.push(await measureChange(client, growing));
    const lastDelaysMs = delays.map(([, last]) => last);
    const isQuick = median(lastDelaysMs) <= LIMIT_MS;
    const firstDelaysText = delays.map(([first]) => first.toFixed(0)).join(', ');
    console.log(`${streams.toLocaleString('en')} streams, ${CHANGE_COUNT} changes of vault and stakes`);
    console.log(`  from the commit to the first stream: ${firstDelaysText} ms`);
    console.log(
      `  to the last: ${lastDelaysMs.map((ms) => ms.toFixed(0)).join(', ')} ms, median ${median(lastDelaysMs).toFixed(0)}; limit ${LIMIT_MS} ms: ${isQuick ? 'met' : 'MISSED'}`,
    );
    const withStreamsMb = await memoryAtRestMb(portal);
    await closeClient();
    return isMemoryLimitMet(withStreamsMb, await memoryAtRestMb(portal)) && isQuick;
  } finally {
    await closeClient();
  }
}
