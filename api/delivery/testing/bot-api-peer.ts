import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../listen.ts';

interface BotCall {
  readonly path: string;
  readonly body: unknown;
}

/** A Telegram response; `cut` ends the connection, `hang` never responds. */
export type PeerAnswer = { readonly status: number; readonly body: unknown } | 'cut' | 'hang';

export interface BotApiPeer {
  readonly url: string;
  readonly calls: readonly BotCall[];
  callsOf(method: string): readonly unknown[];
  /** Sets the responses to the next calls. Later calls succeed. */
  answerNext(...answers: readonly PeerAnswer[]): void;
  /** Sets the response to one method from now on; null restores the default. */
  answerAlways(method: string, answer: PeerAnswer | Promise<PeerAnswer> | null): void;
  /** Simulates a message to the bot, and returns the update's id. Pending `getUpdates` calls get the update at once. */
  sendToBot(message: Readonly<Record<string, unknown>>): number;
  /** Waits until this many calls have arrived in total. */
  waitForCalls(times: number): Promise<void>;
  waitForCallsOf(method: string, times: number): Promise<void>;
  close(): Promise<void>;
}

export const errorAnswer = (status: number, description: string, parameters?: object): PeerAnswer => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters && { parameters }) },
});

export const okAnswer = (result: unknown): PeerAnswer => ({ status: 200, body: { ok: true, result } });

const METHOD = /\/([A-Za-z]+)$/;
const methodOf = ({ path }: BotCall) => METHOD.exec(path)?.[1] ?? '';

interface Update {
  readonly update_id: number;
  readonly message: unknown;
}

export async function startBotApiPeer(): Promise<BotApiPeer> {
  const calls: BotCall[] = [];
  const answers: PeerAnswer[] = [];
  const answersByMethod = new Map<string, PeerAnswer | Promise<PeerAnswer>>();
  const callChecks = new Set<() => void>();
  const updateWaiters = new Set<() => void>();
  let updates: Update[] = [];
  let updateCount = 0;

  const results: Readonly<Record<string, () => unknown>> = {
    getMe: () => ({ id: 123456, is_bot: true, first_name: 'BlackDuck', username: 'blackduck_test_bot' }),
    getChat: () => ({ id: -100, type: 'supergroup', title: 'Team' }),
    getChatMember: () => ({ status: 'member', user: { id: 123456, is_bot: true, first_name: 'BlackDuck' } }),
    getWebhookInfo: () => ({ url: '', has_custom_certificate: false, pending_update_count: updates.length }),
  };
  const sentMessage = () => ({ message_id: calls.length, date: 0, chat: { id: -1, type: 'group' } });

  /** Returns the updates from the requested offset onward. If there are none, waits for one, up to the requested timeout. */
  async function readUpdates(body: unknown, isDisconnected: () => boolean): Promise<readonly Update[]> {
    const { offset = 0, timeout = 0 } = body as { offset?: number; timeout?: number };
    updates = updates.filter(({ update_id: id }) => id >= offset);
    if (updates.length === 0 && timeout > 0) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          updateWaiters.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, timeout * 1_000);
        updateWaiters.add(wake);
      });
    }
    return isDisconnected() ? [] : updates.filter(({ update_id: id }) => id >= offset);
  }

  const server = createServer((request, response) => {
    void (async () => {
      const call = { path: request.url ?? '', body: await json(request) };
      const method = methodOf(call);
      calls.push(call);
      for (const check of callChecks) check();
      const answer = await (answers.shift() ?? answersByMethod.get(method));
      if (answer === 'hang') return;
      if (answer === 'cut') return request.socket.destroy();
      const result = async () =>
        method === 'getUpdates'
          ? await readUpdates(call.body, () => response.destroyed)
          : (results[method] ?? sentMessage)();
      const { status, body } = answer ?? { status: 200, body: { ok: true, result: await result() } };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    })();
  });
  const port = await listen(server, '127.0.0.1', 0);

  const waitUntil = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!condition()) return;
        callChecks.delete(check);
        resolve();
      };
      callChecks.add(check);
      check();
    });
  const callsOf = (method: string) =>
    calls.filter((call) => methodOf(call) === method).map(({ body }) => body);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    callsOf,
    answerNext: (...next) => void answers.push(...next),
    answerAlways: (method, answer) => {
      if (answer === null) answersByMethod.delete(method);
      else answersByMethod.set(method, answer);
    },
    sendToBot: (message) => {
      updateCount += 1;
      updates.push({ update_id: updateCount, message });
      for (const wake of [...updateWaiters]) wake();
      return updateCount;
    },
    waitForCalls: (times) => waitUntil(() => calls.length >= times),
    waitForCallsOf: (method, times) => waitUntil(() => callsOf(method).length >= times),
    close: () => {
      for (const wake of [...updateWaiters]) wake();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
