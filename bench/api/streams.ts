import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { vaultLiveBalance } from '../../data/contract/metrics.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { median } from '../growth/flatness.ts';
import { type GrowingIndex, IDENTITY } from './growing-index.ts';
import { openFileLimit } from './open-files.ts';
import type { PortalProcess } from './server-process.ts';
import type { StreamNews, StreamOrder } from './stream-client.ts';

/** Many open streams: how soon a change reaches all of them, and what they cost in memory. */

const STREAMS = 2_000;
const CHANGES = 7;
/** From the commit to the last stream that is told of it. */
const LIMIT_MS = 500;
/** Over the portal without streams. */
const LIMIT_MB = 60;
/** Files a process needs beside the streams. */
const OTHER_FILES = 100;
const WITHIN_MS = 20_000;
const SETTLE_MS = 2_000;

async function order<T extends StreamNews['type']>(
  client: ChildProcess,
  asked: StreamOrder | null,
  type: T,
): Promise<Extract<StreamNews, { type: T }>> {
  if (asked) client.send(asked);
  const signal = AbortSignal.timeout(WITHIN_MS);
  const [news]: [StreamNews] = await (once(client, 'message', { signal }) as Promise<[StreamNews]>).catch(
    () => {
      throw new Error(`The streams were not ${type} within ${WITHIN_MS / 1_000} s.`);
    },
  );
  if (news.type !== type) throw new Error(`The client of the streams told ${news.type}, not ${type}.`);
  return news as Extract<StreamNews, { type: T }>;
}

/** Commits a change and waits until every stream was told. @returns milliseconds to the first and to the last */
async function spread(client: ChildProcess, { index }: GrowingIndex): Promise<readonly [number, number]> {
  // The vault's balance after the commit stands in no answer before it.
  const balance = toDecimalText(index.vaultAfterMore(), IDENTITY.decimals);
  await order(client, { type: 'watch', text: `"vaultBalance":"${balance}"` }, 'watching');
  const told = order(client, null, 'told');
  const committedAt = performance.timeOrigin + performance.now();
  await index.commitMore();
  const { first, last } = await told;
  return [first - committedAt, last - committedAt];
}

async function memoryAtRest(portal: PortalProcess): Promise<number | null> {
  await sleep(SETTLE_MS);
  const bytes = await portal.memory();
  return bytes === null ? null : bytes / 1e6;
}

function isLean(idle: number | null, withStreams: number | null): boolean {
  if (idle === null || withStreams === null) {
    console.log('memory: this system does not tell it');
    return true;
  }
  const more = withStreams - idle;
  const held = more <= LIMIT_MB;
  console.log(
    `memory: ${withStreams.toFixed(0)} MB, ${more.toFixed(0)} MB over the portal without streams; ` +
      `limit ${LIMIT_MB} MB: ${held ? 'held' : 'MISSED'}`,
  );
  return held;
}

/** True where a change reached all streams in time, and they took little memory. False where they cannot be opened. */
export async function benchStreams(portal: PortalProcess, growing: GrowingIndex): Promise<boolean> {
  const files = await openFileLimit();
  if (files !== null && files < STREAMS + OTHER_FILES) {
    console.log(
      `${STREAMS} streams: NOT MEASURED. A process may open ${files} files here, and ${STREAMS + OTHER_FILES} are ` +
        `needed: run \`ulimit -n ${STREAMS + OTHER_FILES}\` in this shell first.`,
    );
    return false;
  }
  const client = fork(new URL('stream-client.ts', import.meta.url));
  try {
    await fetch(portal.origin + vaultLiveBalance.path);
    const idle = await memoryAtRest(portal);
    const port = Number(new URL(portal.origin).port);
    const { streams, refusal } = await order(client, { type: 'open', port, streams: STREAMS }, 'opened');
    if (refusal !== null) throw new Error(`Only ${streams} of ${STREAMS} streams opened: ${refusal}`);
    const spreads: (readonly [number, number])[] = [];
    while (spreads.length < CHANGES) spreads.push(await spread(client, growing));
    const lasts = spreads.map(([, last]) => last);
    const isQuick = median(lasts) <= LIMIT_MS;
    const firsts = spreads.map(([first]) => first.toFixed(0)).join(', ');
    console.log(`${streams.toLocaleString('en')} streams, ${CHANGES} changes of vault and stakes`);
    console.log(`  from the commit to the first stream: ${firsts} ms`);
    console.log(
      `  to the last: ${lasts.map((ms) => ms.toFixed(0)).join(', ')} ms, median ${median(lasts).toFixed(0)}; limit ${LIMIT_MS} ms: ${isQuick ? 'held' : 'MISSED'}`,
    );
    return isLean(idle, await memoryAtRest(portal)) && isQuick;
  } finally {
    client.disconnect();
    await once(client, 'exit');
  }
}
