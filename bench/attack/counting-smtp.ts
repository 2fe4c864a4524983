import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** An SMTP server that stores no emails, but counts how often each email arrived. */
interface CountingSmtp {
  readonly port: number;
  /** How often each email arrived, by Message-ID without angle brackets. */
  readonly arrivals: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const MESSAGE_ID = /^Message-ID:\s*<([^>]+)>/im;
const REPLIES: Readonly<Record<string, string>> = { DATA: '354 Go on', QUIT: '221 Bye' };

/**
 * The package `smtp-server` makes each client wait 100 ms, so it accepts at most 40 emails a second. This server implements
 * only what the portal's client needs.
 */
export async function startCountingSmtp(onMail = () => {}): Promise<CountingSmtp> {
  const arrivals = new Map<string, number>();
  const openSockets = new Set<Socket>();

  function count(message: readonly string[]): void {
    const id = MESSAGE_ID.exec(message.join('\n'))?.[1] ?? '';
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
    onMail();
  }

  const server = createServer((socket) => {
    openSockets.add(socket);
    socket.once('close', () => openSockets.delete(socket));
    const reply = (line: string) => void (socket.writable && socket.write(`${line}\r\n`));
    /** The lines of the message that is being received; null between messages. A message that is cut off does not count. */
    let message: string[] | null = null;
    const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
    // Killed clients reset their connections. The readline interface emits the socket's errors again.
    for (const source of [socket, lines]) source.on('error', () => {});
    lines.on('line', (line) => {
      if (message === null) {
        const command = line.slice(0, 4).toUpperCase();
        if (command === 'DATA') message = [];
        reply(REPLIES[command] ?? '250 OK');
        if (command === 'QUIT') socket.end();
      } else if (line === '.') {
        count(message);
        message = null;
        reply('250 Counted');
      } else message.push(line);
    });
    reply('220 attack.example');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    arrivals,
    async close() {
      server.close();
      for (const socket of openSockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
