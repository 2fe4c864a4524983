import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** For tests: one JSON-RPC request as it arrived. */
export interface ArrivedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export type Answer = (
  calls: readonly ArrivedCall[],
  response: ServerResponse,
  request: IncomingMessage,
) => void;

/** For tests: an HTTP server on a free port of loopback that answers batches however the test likes. */
export interface HostileServer {
  readonly url: string;
  /** Batches that arrived. */
  readonly batches: (readonly ArrivedCall[])[];
  /** Changes the answer from now on. */
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

export async function startHostileServer(first: Answer): Promise<HostileServer> {
  let answer = first;
  const batches: (readonly ArrivedCall[])[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const calls: readonly ArrivedCall[] = JSON.parse(body);
      batches.push(calls);
      answer(calls, response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    batches,
    answerWith(next) {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers every call by its method's result. */
export function results(resultOf: (call: ArrivedCall) => unknown): Answer {
  return (calls, response) => {
    replyWith(
      response,
      calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(call) })),
    );
  };
}

/** Answers with JSON, whatever it is. */
export function replyWith(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

/** Answers as the node at a URL does, but for methods that get a JSON-RPC error of the given code. */
export function proxyTo(
  url: string,
  faultCodes: () => Readonly<Record<string, number>> = () => ({}),
): Answer {
  const forward = async (calls: readonly ArrivedCall[]): Promise<unknown> => {
    const codes = faultCodes();
    const sound = calls.filter(({ method }) => codes[method] === undefined);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sound),
    });
    const replies = sound.length === 0 ? [] : ((await response.json()) as unknown[]);
    const faults = calls.flatMap(({ id, method }) => {
      const code = codes[method];
      return code === undefined ? [] : [{ jsonrpc: '2.0', id, error: { code, message: 'as scripted' } }];
    });
    return [...replies, ...faults];
  };
  return (calls, response) => {
    forward(calls).then(
      (body) => replyWith(response, body),
      () => response.writeHead(502).end(),
    );
  };
}
