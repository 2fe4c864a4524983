import { Agent, get } from 'node:http';

// Sends requests in an even pace, whatever the answers take, and tells the parent how long they took.

const TICK_MS = 2;
const SOCKETS = 32;

/** What the parent asks for. */
export interface LoadOrder {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** How long answers took, in milliseconds. */
export interface Latencies {
  readonly requests: number;
  readonly failed: number;
  readonly median: number;
  readonly p99: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });

/** Milliseconds from sending the request to the end of its answer; null where it failed. */
function ask(url: string): Promise<number | null> {
  const sentAt = performance.now();
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - sentAt : null));
      response.on('error', () => resolve(null));
      response.resume();
    }).on('error', () => resolve(null));
  });
}

async function run({ url, perSecond, seconds }: LoadOrder): Promise<Latencies> {
  const asked: Promise<number | null>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      const due = Math.min(elapsed / 1_000, seconds) * perSecond;
      while (asked.length < due) asked.push(ask(url));
      if (elapsed < seconds * 1_000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const times = (await Promise.all(asked)).filter((time) => time !== null).sort((one, other) => one - other);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
  return { requests: asked.length, failed: asked.length - times.length, median: at(0.5), p99: at(0.99) };
}

process.on('message', async (order: LoadOrder) => {
  process.send?.(await run(order));
});
process.once('disconnect', () => process.exit());
