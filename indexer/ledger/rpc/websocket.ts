/** The websocket side: subscriptions, and every HTTP method besides. */
import type { WebSocket } from 'ws';
import type { LedgerChain } from '../chain.ts';
import { stringifyJson } from './json.ts';
import { answerMessage, type CallMethod, type ReportFault } from './json-rpc.ts';
import { checkCount, readInteger } from './params.ts';
import { INVALID_REQUEST, invalidParams, RpcError } from './rpc-error.ts';
import { SUBSCRIPTION_METHODS, type Subscription } from './subscription-methods.ts';

/** Subscriptions that one connection may hold. */
export const MOST_SUBSCRIPTIONS = 1000;
/** Bytes that may wait for a client that does not read; then it is cut off. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** Clients of both web3.js and kit send it as a notification to keep the connection open. */
const PING = 'ping';

const SUBSCRIPTION_NAME = /^([a-z]+)(Subscribe|Unsubscribe)$/;

/** A subscription that was accepted and begins once its id is on its way. */
interface Accepted {
  readonly topic: string;
  readonly id: number;
  readonly subscription: Subscription;
}

/** Serves one connection until it closes. */
export function serveWebSocket(
  socket: WebSocket,
  chain: LedgerChain,
  callMethod: CallMethod,
  report: ReportFault,
): void {
  /** What to do to stop each subscription that is held. */
  const held = new Map<number, () => void>();
  let lastId = 0;
  let isCutOff = false;
  /** Messages that came and are not answered yet, one after the other. */
  let unanswered = 0;
  let answers = Promise.resolve();

  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text);
    if (socket.bufferedAmount <= MOST_WAITING_BYTES) return;
    isCutOff = true;
    socket.terminate();
  };

  const end = (id: number): boolean => {
    const stop = held.get(id);
    held.delete(id);
    stop?.();
    return stop !== undefined;
  };

  const begin = ({ topic, id, subscription }: Accepted): void => {
    if (!held.has(id)) return;
    const notify = (makeResult: () => unknown): void => {
      if (!held.has(id)) return;
      try {
        send(
          stringifyJson({
            jsonrpc: '2.0',
            method: `${topic}Notification`,
            params: { result: makeResult(), subscription: id },
          }),
        );
      } catch (fault) {
        // The ledger announces while it commits: nothing that goes wrong here may reach it.
        report(`${topic}Notification`, fault);
      }
    };
    const stop = subscription.start({
      notify,
      finish(makeResult) {
        notify(makeResult);
        end(id);
      },
    });
    // A subscription may be over before it has begun: its signature was already there.
    if (held.has(id)) held.set(id, stop);
    else stop();
  };

  const call = (accepted: Accepted[], method: string, params: readonly unknown[]): unknown => {
    const [, topic = '', action] = SUBSCRIPTION_NAME.exec(method) ?? [];
    const subscribe = SUBSCRIPTION_METHODS.get(topic);
    if (method === PING) return null;
    if (subscribe === undefined) return callMethod(method, params);
    if (action === 'Unsubscribe') {
      checkCount(params, 1);
      if (!end(readInteger(params[0], 'params[0]'))) throw invalidParams('Invalid subscription id.');
      return true;
    }
    if (held.size >= MOST_SUBSCRIPTIONS) {
      throw new RpcError(INVALID_REQUEST, `A connection holds at most ${MOST_SUBSCRIPTIONS} subscriptions`);
    }
    const subscription = subscribe(chain, params);
    lastId += 1;
    const id = lastId;
    held.set(id, () => undefined);
    accepted.push({ topic, id, subscription });
    return id;
  };

  const answer = async (text: string): Promise<void> => {
    if (isCutOff) return;
    const accepted: Accepted[] = [];
    const reply = await answerMessage(text, (method, params) => call(accepted, method, params), report);
    if (reply !== null) send(reply);
    for (const subscription of accepted) begin(subscription);
  };

  socket.on('message', (data) => {
    // Read no more than is answered, or whoever sends faster than that fills the memory with replies half made.
    socket.pause();
    unanswered += 1;
    answers = answers
      .then(() => answer(String(data)))
      .catch((fault: unknown) => {
        report('websocket', fault);
        socket.terminate();
      })
      .finally(() => {
        unanswered -= 1;
        if (unanswered === 0) socket.resume();
      });
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    for (const id of [...held.keys()]) end(id);
  });
}
