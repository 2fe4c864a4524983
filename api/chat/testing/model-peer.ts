import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../listen.ts';

type ModelBehavior =
  | { readonly says: readonly string[] }
  | { readonly status: number }
  | {
      readonly does:
        | 'hang'
        | 'hang-within'
        | 'garbage'
        | 'error-within'
        | 'cut'
        | 'endless'
        | 'endless-empty';
    };

export interface ModelPeer {
  readonly url: string;
  readonly requests: readonly { readonly key: string | undefined; readonly body: Record<string, unknown> }[];
  behave(behavior: ModelBehavior): void;
  cut(): void;
  close(): Promise<void>;
}

/** Source: https://platform.openai.com/docs/api-reference/chat-streaming */
const event = (choices: readonly object[], extraFields: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices, ...extraFields })}\n\n`;
const chunk = (content: string) => event([{ index: 0, delta: { content }, finish_reason: null }]);

function answer(response: ServerResponse, behavior: ModelBehavior): void {
  if ('status' in behavior) {
    response.writeHead(behavior.status, { 'Content-Type': 'application/json' });
    response.end('{"error":{"message":"no"}}');
    return;
  }
  if ('does' in behavior && behavior.does === 'hang') return;
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  if ('says' in behavior) {
    const start = event([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
    const stop = event([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    const usage = event([], { usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } });
    const text = [start, ...behavior.says.map(chunk), ': keep-alive\r\n', stop, usage].join('');
    const middle = Math.floor(text.length / 2);
    response.write(text.slice(0, middle));
    setImmediate(() => response.end(`${text.slice(middle)}data: [DONE]\r\n\r\n`));
    return;
  }
  if (behavior.does === 'garbage') response.end('data: {"choices":[{]\n\ndata: <html>\n\n');
  if (behavior.does === 'hang-within') response.write(chunk('The lock is '));
  if (behavior.does === 'error-within') {
    response.write(chunk('Your stake is locked for 180 days.'));
    response.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n');
  }
  if (behavior.does === 'cut') {
    response.write(chunk('The lock is '));
    setImmediate(() => response.destroy());
  }
  if (behavior.does === 'endless' || behavior.does === 'endless-empty') {
    const text = behavior.does === 'endless' ? chunk('word '.repeat(50)) : ': keep-alive\n\n';
    const writeUntilFull = () => {
      while (!response.destroyed && response.write(text));
    };
    response.on('drain', writeUntilFull);
    writeUntilFull();
  }
}

export async function startModelPeer(): Promise<ModelPeer> {
  let behavior: ModelBehavior = { says: [] };
  const requests: ModelPeer['requests'][number][] = [];
  const server = createServer(async (request, response) => {
    const body = Object(await json(request));
    requests.push({ key: request.headers.authorization, body });
    answer(response, behavior);
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave: (next) => {
      behavior = next;
    },
    cut: () => server.closeAllConnections(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
