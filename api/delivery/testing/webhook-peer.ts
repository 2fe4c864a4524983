import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { listen } from '../../listen.ts';

interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `cut` ends the connection, `hang` never responds. */
type WebhookAnswer =
  | { readonly status: number; readonly body?: string; readonly location?: string }
  | 'cut'
  | 'hang';

export interface WebhookPeer {
  readonly port: number;
  readonly url: string;
  readonly received: readonly ReceivedEvent[];
  /** Sets the next answers. Every later event is answered with 200. */
  answerNext(...answers: readonly WebhookAnswer[]): void;
  waitForEvents(times: number): Promise<void>;
  close(): Promise<void>;
}

export async function startWebhookPeer(port = 0): Promise<WebhookPeer> {
  const received: ReceivedEvent[] = [];
  const answers: WebhookAnswer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      received.push({ headers: request.headers, body: await text(request) });
      const answer = answers.shift() ?? { status: 200 };
      if (answer === 'hang') return;
      if (answer === 'cut') return request.socket.destroy();
      const { status, body = '', location } = answer;
      response.writeHead(status, location === undefined ? {} : { location });
      response.end(body);
    })();
  });
  const ownPort = await listen(server, '127.0.0.1', port);
  return {
    port: ownPort,
    url: `http://127.0.0.1:${ownPort}/hook`,
    received,
    answerNext: (...next) => void answers.push(...next),
    waitForEvents: async (times) =>
      void (await vi.waitUntil(() => received.length >= times, { timeout: 60_000, interval: 5 })),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
