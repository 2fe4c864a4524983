import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../listen.ts';

/** What the model does with a question. */
export type ModelManner =
  | { readonly says: readonly string[] }
  | { readonly status: number }
  | { readonly does: 'hang' | 'hang-within' | 'garbage' | 'cut' | 'endless' };

export interface ModelPeer {
  readonly url: string;
  /** Bodies that it was asked with. */
  readonly asked: readonly Record<string, unknown>[];
  behave(manner: ModelManner): void;
  close(): Promise<void>;
}

const chunk = (content: string) =>
  `data: ${JSON.stringify({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })}\n\n`;

function answer(response: ServerResponse, manner: ModelManner): void {
  if ('status' in manner) {
    response.writeHead(manner.status, { 'Content-Type': 'application/json' });
    response.end('{"error":{"message":"no"}}');
    return;
  }
  if ('does' in manner && manner.does === 'hang') return;
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  if ('says' in manner) {
    for (const part of manner.says) response.write(chunk(part));
    response.end('data: [DONE]\n\n');
    return;
  }
  if (manner.does === 'garbage') response.end('data: {"choices":[{]\n\ndata: <html>\n\n');
  if (manner.does === 'hang-within') response.write(chunk('The lock is '));
  if (manner.does === 'cut') {
    response.write(chunk('The lock is '));
    setImmediate(() => response.destroy());
  }
  if (manner.does === 'endless') {
    const go = () => {
      while (!response.destroyed && response.write(chunk('word '.repeat(50))));
    };
    response.on('drain', go);
    go();
  }
}

/** A server of the OpenAI chat API on a free loopback port, as wrong as it is told to be. */
export async function startModelPeer(): Promise<ModelPeer> {
  let manner: ModelManner = { says: [] };
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += String(data);
    });
    request.on('end', () => {
      asked.push(JSON.parse(body));
      answer(response, manner);
    });
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    behave: (next) => {
      manner = next;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
