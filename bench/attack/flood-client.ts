import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { CALLS } from '../../data/contract/calls.ts';
import { type FloodKind, type FloodRequest, type FloodWallet, floodRequest } from './flood-requests.ts';

// Repeats one call as fast as the portal answers, from several addresses, and reports the answers to the parent process.

const CHUNK = Buffer.alloc(65_536, 'x');

export interface FloodOrder {
  readonly port: number;
  readonly call: { readonly method: string; readonly path: string };
  readonly flood: FloodKind;
  readonly milliseconds: number;
  readonly addresses: number;
  readonly connectionsPerAddress: number;
  readonly wallet: FloodWallet;
}

export interface FloodReport {
  /** How often the portal gave each answer: a status with its error code, or `cut` if the connection broke. */
  readonly answers: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

/** Counters, so that no address or body is used twice. */
let [addressCount, requestCount] = [0, 0];

function fill(call: ReturnType<typeof request>, bytes: number): void {
  let bytesLeft = bytes;
  const writeMore = () => {
    while (bytesLeft > 0 && !call.destroyed) {
      bytesLeft -= CHUNK.length;
      if (!call.write(CHUNK)) {
        call.once('drain', writeMore);
        return;
      }
    }
    call.end();
  };
  writeMore();
}

function send(
  { port, call }: FloodOrder,
  agent: Agent,
  address: string,
  { path, headers, body, filler }: FloodRequest,
): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path, method: call.method, agent };
    const outgoingRequest = request(
      { ...options, headers: { ...headers, 'X-Forwarded-For': address } },
      (response) => {
        text(response).then(
          (answer) => {
            const code = /"code":"([\w-]+)"/.exec(answer)?.[1];
            resolve(code === undefined ? String(response.statusCode) : `${response.statusCode} ${code}`);
            // If the request was refused before its whole body was sent, the rest is not sent.
            if (!outgoingRequest.writableFinished) outgoingRequest.destroy();
          },
          () => resolve('cut'),
        );
      },
    );
    outgoingRequest.on('error', () => resolve('cut'));
    outgoingRequest.write(body);
    if (filler > 0) fill(outgoingRequest, filler);
    else outgoingRequest.end();
  });
}

async function run(order: FloodOrder): Promise<FloodReport> {
  const call = CALLS.find(({ method, path }) => method === order.call.method && path === order.call.path);
  if (call === undefined) throw new Error(`There is no call ${order.call.method} ${order.call.path}.`);
  const until = performance.now() + order.milliseconds;
  const answers: Record<string, number> = {};
  let slowestMs = 0;
  const runClient = async (agent: Agent, address: string) => {
    // Each connection sends at least one request, even in a very short flood.
    do {
      requestCount += 1;
      const nextRequest = floodRequest(call, order.flood, requestCount, order.wallet);
      const sentAt = performance.now();
      const answer = await send(order, agent, address, nextRequest);
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      answers[answer] = (answers[answer] ?? 0) + 1;
    } while (performance.now() < until);
  };
  await Promise.all(
    Array.from({ length: order.addresses }, async () => {
      addressCount += 1;
      // Each address is in a separate network.
      const [high, low] = [(addressCount >> 8) & 255, addressCount & 255];
      const agent = new Agent({ keepAlive: true, localAddress: `127.${1 + (high % 254)}.${low}.1` });
      const clients = Array.from({ length: order.connectionsPerAddress }, () =>
        runClient(agent, `10.${high}.${low}.1`),
      );
      await Promise.all(clients);
      agent.destroy();
    }),
  );
  return { answers, slowestMs };
}

process.on('message', async (order: FloodOrder) => {
  process.send?.(await run(order));
});
process.once('disconnect', () => process.exit());
