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

/** Response times in milliseconds. */
export interface Latencies {
  readonly requests: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly latenciesMs: readonly number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });

/** Milliseconds until the end of the response, or null if the request failed. */
function send(url: string): Promise<number | null> {
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
  const sent: Promise<number | null>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      const due = Math.min(elapsed / 1_000, seconds) * perSecond;
      while (sent.length < due) sent.push(send(url));
      if (elapsed < seconds * 1_000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const latenciesMs = (await Promise.all(sent)).filter((time) => time !== null);
  const failed = sent.length - latenciesMs.length;
  return {
    requests: sent.length,
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
