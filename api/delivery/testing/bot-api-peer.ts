import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the Bot API is asked. */
export interface BotCall {
  readonly path: string;
  readonly body: unknown;
}

/** How it answers: as Telegram does, with a status and words; `cut` ends the connection, `hang` never answers. */
export type BotAnswer = { readonly status: number; readonly body: unknown } | 'cut' | 'hang';

/** For tests: a Bot API server over real HTTP. */
export interface BotApiPeer {
  readonly url: string;
  readonly calls: readonly BotCall[];
  /** Answers for the next calls; after them it takes every message. */
  answerNext(...answers: readonly BotAnswer[]): void;
  /** Waits until it was called so often. */
  isCalled(times: number): Promise<void>;
  close(): Promise<void>;
}

export async function startBotApiPeer(): Promise<BotApiPeer> {
  const calls: BotCall[] = [];
  const answers: BotAnswer[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void (async () => {
      calls.push({ path: request.url ?? '', body: await json(request) });
      for (const tell of waiting) tell();
      const taken = {
        ok: true,
        result: { message_id: calls.length, date: 0, chat: { id: -1, type: 'group' } },
      };
      const answer = answers.shift() ?? { status: 200, body: taken };
      if (answer === 'hang') return;
      if (answer === 'cut') return request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answerNext: (...next) => void answers.push(...next),
    isCalled: (times) =>
      new Promise((resolve) => {
        const look = () => {
          if (calls.length < times) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
