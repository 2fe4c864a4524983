import type { Connection } from '@solana/web3.js';

/** Members of web3.js that its types do not declare. */
interface Internals {
  readonly _rpcWebSocket: { setAutoReconnect(reconnect: boolean): void };
  _onSubscriptionStateChange(id: number, listener: (state: string) => void): () => void;
}
const internalsOf = (connection: Connection) => connection as unknown as Internals;

/** Resolves once the node has accepted the subscription. The node does not send earlier events. */
export function waitUntilSubscribed(connection: Connection, id: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = internalsOf(connection)._onSubscriptionStateChange(id, (state) => {
    if (state !== 'subscribed') return;
    stop();
    resolve();
  });
  return promise;
}

/** Stops the connection's socket from reconnecting forever to a closed ledger. The socket outlives the subscriptions. */
export function stopReconnecting(connection: Connection): void {
  internalsOf(connection)._rpcWebSocket.setAutoReconnect(false);
}
