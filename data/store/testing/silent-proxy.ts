import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

export interface SilentProxy {
  readonly port: number;
  /**
   * While silent, the proxy accepts connections and drops all data, like a network that drops packets. Dropped data stays
   * lost.
   */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

export async function startSilentProxy(target: NetConnectOpts): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((inward) => {
    const outward = connect(target);
    for (const [from, to] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => !isSilent && to.write(data));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    silence: (silent) => {
      isSilent = silent;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
