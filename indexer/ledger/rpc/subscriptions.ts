/**
 * Subscriptions over a websocket. Notifications of account changes and logs are sent immediately, whatever the commitment.
 * The notification for a signature is sent once its transaction has reached the commitment.
 */
import type { WebSocket } from 'ws';
import { NO_ACCOUNT } from '../account-index.ts';
import type { LedgerChain, LedgerTransaction } from '../chain.ts';
import { parseTransaction } from '../wire.ts';
import { encodeAccount, MAX_BASE58_BYTES, readAccountFormat } from './accounts.ts';
import {
  answerMessage,
  invalidParams,
  methodNotFound,
  type ReportError,
  RPC_ERROR,
  RpcError,
  stringifyJson,
} from './json-rpc.ts';
import { isReached, Param, readCommitment, slotAt, withContext } from './params.ts';

/** Per connection. */
export const MAX_SUBSCRIPTIONS = 1000;
/** A slow client is disconnected when more than this many bytes are waiting to be sent to it. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** web3.js sends this notification to keep the connection open. */
const PING = 'ping';
const SUBSCRIPTION_NAME = /^([a-z]+)(Subscribe|Unsubscribe)$/;

interface Announcer {
  /** Takes a function, so that `notify` also catches and reports errors in encoding the result. */
  readonly notify: (makeResult: () => unknown) => void;
  /** Like `notify`, and ends the subscription. */
  readonly finish: (makeResult: () => unknown) => void;
}

/** @returns a function that stops listening */
type StartListening = (announcer: Announcer) => () => void;

/** @throws {RpcError} -32602 */
type SubscriptionMethod = (chain: LedgerChain, params: Param) => StartListening;

function mentions({ wire, loadedAddresses }: LedgerTransaction, address: string): boolean {
  const parsed = parseTransaction(wire);
  return (
    (parsed.kind === 'parsed' && parsed.value.message.staticKeys.includes(address)) ||
    loadedAddresses.writable.includes(address) ||
    loadedAddresses.readonly.includes(address)
  );
}

/** Null if the filter matches every transaction. */
function readMentionedAddress(filter: Param): string | null {
  if (filter.value === 'all' || filter.value === 'allWithVotes') return null;
  const [addressParam] = filter.object().get('mentions').items(1);
  if (addressParam === undefined) throw invalidParams('params[0].mentions must contain one address');
  return addressParam.address();
}

/** By topic. A client calls `<topic>Subscribe` and `<topic>Unsubscribe`, and receives `<topic>Notification`. */
const SUBSCRIPTION_METHODS = new Map(
  Object.entries<SubscriptionMethod>({
    account(chain, params) {
      params.checkCount(2);
      const subscribed = params.get(0).address();
      const config = params.config(1);
      readCommitment(config);
      const format = readAccountFormat(config);
      return ({ notify }) =>
        chain.on('accountChange', (address, changedAccount) => {
          if (address !== subscribed) return;
          const account = changedAccount ?? NO_ACCOUNT;
          const isTooLong = account.data.length > MAX_BASE58_BYTES;
          const encoding = isTooLong ? 'base64' : format.encoding;
          notify(() => withContext(chain, encodeAccount(account, { ...format, encoding })));
        });
    },

    logs(chain, params) {
      params.checkCount(2);
      const mentionedAddress = readMentionedAddress(params.get(0));
      readCommitment(params.config(1));
      return ({ notify }) =>
        chain.on('transaction', (transaction) => {
          if (mentionedAddress !== null && !mentions(transaction, mentionedAddress)) return;
          const { signature, err, logs } = transaction;
          notify(() => withContext(chain, { err, logs, signature }));
        });
    },

    /** Notifies once, when the transaction has reached the commitment. */
    signature(chain, params) {
      params.checkCount(2);
      const signature = params.get(0).signature();
      const commitment = readCommitment(params.config(1));
      return ({ finish }) => {
        let storedTransaction = chain.transaction(signature);
        const check = (): void => {
          if (storedTransaction === null || !isReached(storedTransaction.slot, chain.clock(), commitment))
            return;
          const { err } = storedTransaction;
          finish(() => withContext(chain, { err }));
        };
        const unsubscribers = [
          chain.on('transaction', (transaction) => {
            if (transaction.signature !== signature) return;
            storedTransaction = transaction;
            check();
          }),
          chain.on('slot', check),
        ];
        check();
        return () => {
          for (const stop of unsubscribers) stop();
        };
      };
    },

    slot(chain, params) {
      params.checkCount(0);
      return ({ notify }) =>
        chain.on('slot', (clock) => {
          const { slot } = clock;
          notify(() => ({ parent: Math.max(0, slot - 1), root: slotAt(clock, 'finalized'), slot }));
        });
    },
  }),
);

export function serveSubscriptions(socket: WebSocket, chain: LedgerChain, report: ReportError): void {
  /** By subscription id. */
  const unsubscribers = new Map<number, () => void>();
  let lastId = 0;
  let unanswered = 0;
  let answerQueue = Promise.resolve();

  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text);
    if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
  };

  const end = (id: number): boolean => {
    const stop = unsubscribers.get(id);
    unsubscribers.delete(id);
    stop?.();
    return stop !== undefined;
  };

  const begin = (topic: string, id: number, startListening: StartListening): void => {
    if (!unsubscribers.has(id)) return;
    const notify = (makeResult: () => unknown): void => {
      if (!unsubscribers.has(id)) return;
      const method = `${topic}Notification`;
      try {
        send(stringifyJson({ jsonrpc: '2.0', method, params: { result: makeResult(), subscription: id } }));
      } catch (error) {
        report(method, error);
      }
    };
    const stop = startListening({
      notify,
      finish(makeResult) {
        notify(makeResult);
        end(id);
      },
    });
    // If a signature's transaction has already reached the commitment, `finish` has ended the subscription.
    if (unsubscribers.has(id)) unsubscribers.set(id, stop);
    else stop();
  };

  /**
   * Runs one call. A new subscription is added to `starters` and starts after the reply, because the client must first receive
   * its id.
   */
  const call = (starters: (() => void)[], method: string, params: Param): unknown => {
    if (method === PING) return null;
    const [, topic = '', action] = SUBSCRIPTION_NAME.exec(method) ?? [];
    const subscribe = SUBSCRIPTION_METHODS.get(topic);
    if (subscribe === undefined) throw methodNotFound(method);
    if (action === 'Unsubscribe') {
      params.checkCount(1);
      if (!end(params.get(0).integer())) throw invalidParams('Invalid subscription id.');
      return true;
    }
    if (unsubscribers.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(
        RPC_ERROR.invalidRequest,
        `A connection can have at most ${MAX_SUBSCRIPTIONS} subscriptions`,
      );
    }
    const startListening = subscribe(chain, params);
    lastId += 1;
    const id = lastId;
    unsubscribers.set(id, () => undefined);
    starters.push(() => begin(topic, id, startListening));
    return id;
  };

  const answer = async (text: string): Promise<void> => {
    if (socket.readyState !== socket.OPEN) return;
    const starters: (() => void)[] = [];
    const reply = await answerMessage(
      text,
      (method, params) => call(starters, method, new Param(params)),
      report,
    );
    if (reply !== null) send(reply);
    for (const start of starters) start();
  };

  socket.on('message', (data) => {
    // The socket is paused while a message is unanswered. Otherwise the replies to a fast client would fill up the memory.
    socket.pause();
    unanswered += 1;
    answerQueue = answerQueue
      .then(() => answer(String(data)))
      .catch((error: unknown) => {
        report('websocket', error);
        socket.terminate();
      })
      .finally(() => {
        unanswered -= 1;
        if (unanswered === 0) socket.resume();
      });
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    for (const id of [...unsubscribers.keys()]) end(id);
  });
}
