import { type Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HttpCall {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws {Error} on a status other than 200 */
export function sendCall(agent: Agent, port: number, { path, body, headers = {} }: HttpCall): Promise<void> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const clientRequest = request({
    agent,
    host: '127.0.0.1',
    port,
    path,
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      ...(json !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(json),
      }),
    },
  });
  clientRequest.on('response', (response) => {
    text(response).then((responseText) => {
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${path} responded with ${response.statusCode}: ${responseText.slice(0, 200)}`));
    }, reject);
  });
  clientRequest.on('error', reject);
  clientRequest.end(json);
  return promise;
}
