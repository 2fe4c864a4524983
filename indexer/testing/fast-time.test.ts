import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { speedUpTime } from './fast-time.ts';

const FACTOR = 50;

function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('makes time pass faster by the given factor', async () => {
  const { real, restore } = speedUpTime(FACTOR);
  onTestFinished(restore);
  const [start, realStart] = [performance.now(), real.now()];
  await new Promise((resolve) => setTimeout(resolve, 20 * FACTOR));
  const [fastElapsed, realElapsed] = [performance.now() - start, real.now() - realStart];
  expect(fastElapsed).toBeGreaterThanOrEqual(19 * FACTOR);
  expect(fastElapsed).toBeLessThanOrEqual(realElapsed * FACTOR);
});

it('does not count time while the process is blocked, so its own server answers before a timeout', async () => {
  const server = createServer((_request, response) => response.end('answer'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { restore } = speedUpTime(FACTOR);
  onTestFinished(restore);
  const timeout = new Promise((resolve) => setTimeout(resolve, 250 * FACTOR, 'timeout'));
  const { port } = server.address() as AddressInfo;
  const answer = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
  block(300);
  expect(await Promise.race([answer, timeout])).toBe('answer');
});
