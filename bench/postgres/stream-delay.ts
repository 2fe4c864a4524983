import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { live } from '../../data/contract/paths.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { IDENTITY } from '../api/growing-index.ts';
import type { PortalProcess } from '../api/server-process.ts';
import type { Growth } from '../growth/filled-index.ts';
import { median, quantile } from '../growth/flatness.ts';

const CHANGES = 200;
const WARM_UP_CHANGES = 10;
/** The longest pause (ms) between two changes. Pauses vary, so that changes happen at different times after a poll. */
const LONGEST_PAUSE_MS = 200;
const TIMEOUT_MS = 30_000;

async function openStream({ origin }: PortalProcess) {
  const call = get(origin + live);
  const [response]: [IncomingMessage] = await (once(call, 'response') as Promise<[IncomingMessage]>);
  if (response.statusCode !== 200) throw new Error(`${live} responded with ${response.statusCode}.`);
  let received = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  return {
    async untilReceived(text: string): Promise<void> {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      while (!received.includes(text)) await once(response, 'data', { signal });
      received = '';
    },
    close: () => call.destroy(),
  };
}

/** @returns the milliseconds from the end of a commit until the last API has sent the change */
export async function measureStreams(
  apis: readonly PortalProcess[],
  { commitNext, vaultBalanceAfterNext }: Growth,
): Promise<{ readonly medianMs: number; readonly p99Ms: number }> {
  const streams = await Promise.all(apis.map(openStream));
  const delays: number[] = [];
  for (let change = 0; change < WARM_UP_CHANGES + CHANGES; change += 1) {
    // No earlier message contains the new balance, so it identifies the change.
    const text = `"vaultBalance":"${toDecimalText(vaultBalanceAfterNext(), IDENTITY.decimals)}"`;
    const received = Promise.all(streams.map(({ untilReceived }) => untilReceived(text)));
    const [committedAt, receivedAt] = await Promise.all([
      commitNext().then(() => performance.now()),
      received.then(() => performance.now()),
    ]);
    if (change >= WARM_UP_CHANGES) delays.push(receivedAt - committedAt);
    await pause(Math.random() * LONGEST_PAUSE_MS);
  }
  for (const stream of streams) stream.close();
  return { medianMs: median(delays), p99Ms: quantile(delays, 0.99) };
}
