import { Agent, get } from 'node:http';
import { median, quantile } from '../growth/flatness.ts';

// Sends requests at a constant rate, without waiting for earlier responses, and reports the response times to the parent.

const TICK_MS = 2;
const SOCKETS = 32;

export interface LoadRequest {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Latencies {
  readonly requests: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly latenciesMs: readonly number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });

/** Milliseconds until the end of the response, or null if the request failed. */
function timeRequest(url: string): Promise<number | null> {
  const sentAt = performance.now();
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - sentAt : null));
      response.on('error', () => resolve(null));
      response.resume();
    }).on('error', () => resolve(null));
  });
}

async function run({ url, perSecond, seconds }: LoadRequest): Promise<Latencies> {
  const pendingTimes: Promise<number | null>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      const dueCount = Math.min(elapsedMs / 1_000, seconds) * perSecond;
      while (pendingTimes.length < dueCount) pendingTimes.push(timeRequest(url));
      if (elapsedMs < seconds * 1_000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const latenciesMs = (await Promise.all(pendingTimes)).filter((time) => time !== null);
  const failed = pendingTimes.length - latenciesMs.length;
  return {
    requests: pendingTimes.length,
    failed,
    medianMs: median(latenciesMs),
    p99Ms: quantile(latenciesMs, 0.99),
    latenciesMs,
  };
}

process.on('message', async (request: LoadRequest) => {
  process.send?.(await run(request));
});
process.once('disconnect', () => process.exit());
