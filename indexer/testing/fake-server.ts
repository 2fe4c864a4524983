import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';

export function endpointsAt(...urls: readonly string[]): readonly ConfiguredEndpoint[] {
  return urls.map((url) => ({ url, urlVariable: 'SOLANA_RPC_URLS', keyVariable: 'SOLANA_RPC_URLS' }));
}

export async function startHttpServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function postText(url: string, body: string, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
}

export interface ReceivedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export type Responder = (
  calls: readonly ReceivedCall[],
  response: ServerResponse,
  request: IncomingMessage,
) => void;

export type FakeServer = Awaited<ReturnType<typeof startFakeServer>>;

/** The responses to single requests. Each must contain one object, not a list. */
const singleCallResponses = new WeakSet<ServerResponse>();

/** An HTTP server that answers JSON-RPC batches, and single requests as batches of one. */
export async function startFakeServer(first: Responder) {
  let answer = first;
  const batches: (readonly ReceivedCall[])[] = [];
  const requestShapes: ('single' | 'array')[] = [];
  const server = await startHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const parsed: ReceivedCall | readonly ReceivedCall[] = JSON.parse(body);
      const calls = [parsed].flat();
      if (!Array.isArray(parsed)) singleCallResponses.add(response);
      requestShapes.push(Array.isArray(parsed) ? 'array' : 'single');
      batches.push(calls);
      answer(calls, response, request);
    });
  });
  return {
    ...server,
    batches,
    requestShapes,
    answerWith(next: Responder): void {
      answer = next;
    },
  };
}

export function respondWithReplies(replyTo: (call: ReceivedCall, index: number) => object): Responder {
  return (calls, response) => {
    const body = calls.map((call, index) => ({ jsonrpc: '2.0', id: call.id, ...replyTo(call, index) }));
    replyWith(response, body);
  };
}

export function respondWithResults(resultOf: (call: ReceivedCall) => unknown): Responder {
  return respondWithReplies((call) => ({ result: resultOf(call) }));
}

export function respondWithStatus(code: number, headers: Record<string, string> = {}, body = ''): Responder {
  return (_, response) => void response.writeHead(code, headers).end(body);
}

export function replyWith(response: ServerResponse, body: unknown): void {
  const isOne = singleCallResponses.has(response) && Array.isArray(body) && body.length === 1;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(isOne ? body[0] : body));
}

/** Forwards calls to the node at a URL. Calls to the methods in `errorCodes` get a JSON-RPC error with the given code instead. */
export function proxyTo(
  url: string,
  errorCodes: () => Readonly<Record<string, number>> = () => ({}),
): Responder {
  const forward = async (calls: readonly ReceivedCall[]): Promise<unknown> => {
    const codes = errorCodes();
    const forwarded = calls.filter(({ method }) => codes[method] === undefined);
    const response = await postText(url, JSON.stringify(forwarded));
    const replies = forwarded.length === 0 ? [] : ((await response.json()) as unknown[]);
    const errors = calls.flatMap(({ id, method }) => {
      const code = codes[method];
      return code === undefined ? [] : [{ jsonrpc: '2.0', id, error: { code, message: 'as scripted' } }];
    });
    return [...replies, ...errors];
  };
  return (calls, response) => {
    forward(calls).then(
      (body) => replyWith(response, body),
      () => response.writeHead(502).end(),
    );
  };
}
