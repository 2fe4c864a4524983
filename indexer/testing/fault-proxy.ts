import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson, stringifyJson } from '../ledger/rpc/json.ts';
import { type BatchCall, breakReplies, type Reply } from './broken-replies.ts';
import type { Fault, FaultSchedule } from './fault-schedule.ts';
import type { LedgerNode } from './ledger-node.ts';

/** For tests: a Solana endpoint over real HTTP that has faults, and passes on what a node answers. */
export interface FaultProxy {
  readonly url: string;
  /** Faults that requests have met, by kind. */
  readonly met: ReadonlyMap<Fault['kind'], number>;
  /** Requests are told as they arrive. */
  onRequest(listener: () => void): void;
  /** Ends the faults: what hangs breaks off, and the node catches up. */
  heal(): void;
  close(): Promise<void>;
}

const SLOTS_BEHIND = 6;

export async function startFaultProxy(
  node: Pick<LedgerNode, 'url' | 'fallBehind' | 'catchUp'>,
  schedule: FaultSchedule,
): Promise<FaultProxy> {
  const met = new Map<Fault['kind'], number>();
  const hanging = new Set<ServerResponse>();
  const listeners: (() => void)[] = [];
  let isHealed = false;

  const forward = async (body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(node.url, { method: 'POST', headers, body });
    return await response.text();
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readText(request);
    for (const listener of listeners) listener();
    const fault = schedule.next();
    if (!isHealed && fault?.kind === 'stale') node.fallBehind(fault.form % SLOTS_BEHIND);
    else node.catchUp();
    if (!fault) return reply(response, 200, await forward(body));
    met.set(fault.kind, (met.get(fault.kind) ?? 0) + 1);
    if (refuse(response, fault)) return;
    if (fault.kind === 'hang') {
      hanging.add(response);
      response.once('close', () => hanging.delete(response));
      return;
    }
    const text = withFault(body, await forward(body), fault);
    if (fault.kind !== 'reset-in-body') return reply(response, 200, text);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.destroy());
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    met,
    onRequest: (listener) => void listeners.push(listener),
    heal() {
      isHealed = true;
      schedule.end();
      node.catchUp();
      for (const response of hanging) response.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, text: string, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/** Refuses a request by HTTP or by hanging up, where that is its fault. */
function refuse(response: ServerResponse, { kind, form }: Fault): boolean {
  if (kind === 'reset') response.destroy();
  else if (kind === 'server-error') reply(response, [500, 502, 503, 504][form % 4] ?? 500, 'out of order');
  else if (kind === 'rate-limit') reply(response, 429, 'too many requests');
  else if (kind === 'rate-limit-for-a-second') reply(response, 429, 'wait', { 'retry-after': '1' });
  else if (kind === 'rate-limit-until-a-date') {
    reply(response, 429, 'wait', { 'retry-after': new Date(Date.now() + 2_000).toUTCString() });
  } else if (kind === 'not-json') reply(response, 200, '<!doctype html><title>Be right back</title>');
  else return false;
  return true;
}

/** What the node answered, with the fault worked in. */
function withFault(asked: string, answered: string, fault: Fault): string {
  if (fault.kind === 'truncated-json') return answered.slice(0, Math.floor(answered.length * 0.7));
  const [calls, replies] = [parseJson(asked), parseJson(answered)];
  if (!Array.isArray(calls) || !Array.isArray(replies)) return answered;
  return stringifyJson(withEnvelope(breakReplies(calls as BatchCall[], replies as Reply[], fault)));
}

function withEnvelope(broken: readonly Reply[] | Reply): unknown {
  const whole = (one: Reply) => ({ jsonrpc: '2.0', ...one });
  return Array.isArray(broken) ? broken.map(whole) : whole(broken as Reply);
}
