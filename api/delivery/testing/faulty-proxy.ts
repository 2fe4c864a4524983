import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where and how an SMTP session breaks. `body`: in the middle of the message. `message`: after its end. */
export type ConnectionFault = {
  readonly at: 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'body' | 'message';
  /** `hang`: the connection stays open, but nothing more reaches the client. `cut`: the client's connection is reset. */
  readonly how: 'hang' | 'cut';
};

export interface FaultyProxy {
  readonly port: number;
  /** Breaks later sessions in this way; with null, they keep their connection. */
  loseConnectionsAt(fault: ConnectionFault | null): void;
  readonly lostCount: number;
  close(): Promise<void>;
}

const MESSAGE_END = '\r\n.\r\n';

export async function startFaultyProxy(target: number): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  let fault: ConnectionFault | null = null;
  let lostCount = 0;

  const server = createServer((client) => {
    const peer = connect(target, '127.0.0.1');
    const sessionFault = fault;
    let isLost = false;
    let recentText = '';
    let isInMessage = false;
    for (const socket of [client, peer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    const loseConnection = () => {
      isLost = true;
      lostCount += 1;
      if (sessionFault?.how === 'cut') client.resetAndDestroy();
    };
    if (sessionFault?.at === 'greeting') loseConnection();
    client.on('data', (chunk) => {
      if (sessionFault?.at === 'body' && isInMessage) {
        if (isLost) return;
        peer.write(chunk.subarray(0, chunk.length / 2));
        loseConnection();
        return;
      }
      recentText = (recentText + chunk.toString('latin1')).slice(-200);
      isInMessage ||= /(^|\n)DATA\r\n$/.test(recentText);
      const isFaultReached =
        sessionFault?.at === 'message'
          ? recentText.endsWith(MESSAGE_END)
          : sessionFault !== null && new RegExp(`(^|\\n)${sessionFault.at}[^\\n]*\\n`).test(recentText);
      // At a fault, the command still reaches the server, but the response does not reach the client.
      peer.write(chunk);
      if (!isLost && isFaultReached) loseConnection();
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
    loseConnectionsAt: (next) => {
      fault = next;
    },
    get lostCount() {
      return lostCount;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
