import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the benchmark asks a server's process, and what that answers. */
export type ServerMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** Processor time used since the process started, in microseconds. */
  | { readonly type: 'cpu'; readonly microseconds: number };

/** Listens on a free loopback port, tells the parent, and reports the processor time used whenever it asks. */
export async function serveMeasured(server: Server): Promise<void> {
  const send = (message: ServerMessage) => process.send?.(message);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({ type: 'cpu', microseconds: user + system });
  });
  process.once('disconnect', () => process.exit());
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  send({ type: 'listening', port: address.port });
}
