import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where an SMTP session loses its connection: at the greeting, at a command, within the message or after it. */
export type LineFault = {
  readonly at: 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'body' | 'message';
  /** `hang`: both ends stay open but receive nothing; `cut`: the client's end is reset. */
  readonly how: 'hang' | 'cut';
};

/** A proxy between a client and an SMTP server that can drop or stall the connection. */
export interface LineProxy {
  readonly port: number;
  /** From now on, every session loses its connection; null restores the default. */
  lose(fault: LineFault | null): void;
  /** How many sessions lost their connection. */
  readonly lost: number;
  close(): Promise<void>;
}

const MESSAGE_END = '\r\n.\r\n';

export async function startLineProxy(target: number): Promise<LineProxy> {
  const sockets = new Set<Socket>();
  let fault: LineFault | null = null;
  let lost = 0;

  const server = createServer((client) => {
    const peer = connect(target, '127.0.0.1');
    const sessionFault = fault;
    let isLost = false;
    let recent = '';
    let isMessage = false;
    for (const socket of [client, peer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    const loseLine = () => {
      isLost = true;
      lost += 1;
      if (sessionFault?.how === 'cut') client.resetAndDestroy();
    };
    if (sessionFault?.at === 'greeting') loseLine();
    client.on('data', (chunk) => {
      if (sessionFault?.at === 'body' && isMessage) {
        if (isLost) return;
        peer.write(chunk.subarray(0, chunk.length / 2));
        loseLine();
        return;
      }
      recent = (recent + chunk.toString('latin1')).slice(-200);
      isMessage ||= /(^|\n)DATA\r\n$/.test(recent);
      const isReached =
        sessionFault?.at === 'message'
          ? recent.endsWith(MESSAGE_END)
          : sessionFault !== null && new RegExp(`(^|\\n)${sessionFault.at}[^\\n]*\\n`).test(recent);
      // The command still arrives, but its response does not.
      peer.write(chunk);
      if (!isLost && isReached) loseLine();
    });
    peer.on('data', (chunk) => {
      if (!isLost) client.write(chunk);
    });
    peer.on('end', () => {
      if (!isLost) client.end();
    });
    client.on('end', () => peer.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: (next) => {
      fault = next;
    },
    get lost() {
      return lost;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
