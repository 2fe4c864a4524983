import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** An address that always points to the current primary, as an operator's virtual IP address does. */
export interface FailoverAddress {
  readonly port: number;
  /** Makes the address lead to this server, and closes the connections to the previous server. */
  moveTo(socketFolder: string): void;
  close(): Promise<void>;
}

export async function startFailoverAddress(socketFolder: string): Promise<FailoverAddress> {
  let folder = socketFolder;
  const openSockets = new Set<Socket>();
  const endAll = () => {
    for (const socket of openSockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(join(folder, '.s.PGSQL.5432'));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      openSockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        openSockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(next) {
      folder = next;
      endAll();
    },
    async close() {
      server.close();
      endAll();
      await once(server, 'close');
    },
  };
}
