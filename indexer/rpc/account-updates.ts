import { WebSocket } from 'ws';
import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';
import { endpointNames } from '../../data/config/endpoints.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { backoffDelayMs, pauseOrStop } from '../pause.ts';

/** Milliseconds without a message after which a socket counts as dead. A cluster begins a slot every 0.4 seconds. */
const SILENCE_TIMEOUT_MS = 10_000;
/** The longest pause (ms) before the next attempt to connect. */
const MAX_PAUSE_MS = 60_000;
/** The longest accepted message in bytes. The followed accounts are only a few hundred bytes long. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * The websocket URL of an endpoint. It is the same as the URL for requests, except for the scheme. If the URL has a port, as
 * for a node without a proxy, the websocket is on the next port. Source: web3.js, `makeWebsocketUrl`.
 */
export function subscriptionUrl(url: string): string {
  const websocket = new URL(url);
  websocket.protocol = websocket.protocol === 'https:' ? 'wss:' : 'ws:';
  if (websocket.port !== '') websocket.port = String(Number(websocket.port) + 1);
  return websocket.href;
}

/**
 * Subscribes to accounts at one endpoint after another until one accepts, and again when the connection ends. An update only
 * makes the indexer request the accounts sooner, so a silent or lying socket cannot falsify the stored data. A subscription to
 * slots serves as a heartbeat.
 * @param options.isTrusted whether to use the endpoint with this name
 * @param options.onChange called when an account may have changed, and when the subscription begins or ends
 */
export function followAccountUpdates(options: {
  readonly endpoints: readonly ConfiguredEndpoint[];
  readonly isTrusted: (name: string) => boolean;
  readonly addresses: readonly string[];
  readonly onChange: () => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}) {
  const { endpoints, isTrusted, addresses, onChange, log, signal } = options;
  const names = endpointNames(endpoints.map(({ url }) => url));
  const requests = [
    ...addresses.map((address) => ({
      method: 'accountSubscribe',
      params: [address, { commitment: 'confirmed', encoding: 'base64' }],
    })),
    { method: 'slotSubscribe', params: [] },
  ].map((request, id) => JSON.stringify({ jsonrpc: '2.0', id, ...request }));
  let isLive = false;

  const setLive = (isNowLive: boolean, endpoint: string | undefined): void => {
    if (isNowLive === isLive) return;
    isLive = isNowLive;
    if (isNowLive) log.info({ endpoint }, 'account changes are reported over a websocket');
    else if (!signal.aborted)
      log.warn({ endpoint }, 'the websocket ended; accounts are polled until it is back');
    onChange();
  };

  /** Resolves when the connection has ended. @returns whether it was live */
  const connect = (index: number): Promise<boolean> =>
    new Promise((resolve) => {
      const url = subscriptionUrl(endpoints[index]?.url ?? '');
      const socket = new WebSocket(url, {
        handshakeTimeout: SILENCE_TIMEOUT_MS,
        maxPayload: MAX_MESSAGE_BYTES,
      });
      const end = (): void => socket.terminate();
      const silence = setTimeout(end, SILENCE_TIMEOUT_MS);
      const confirmed = new Set<unknown>();
      let wasLive = false;
      signal.addEventListener('abort', end, { once: true });
      socket.on('open', () => {
        for (const request of requests) socket.send(request);
      });
      socket.on('message', (data) => {
        silence.refresh();
        if (!isTrusted(names[index] ?? '')) return end();
        const message = parseMessage(String(data));
        if (message.method === 'accountNotification') return onChange();
        if (message.method !== undefined) return;
        // All subscriptions are needed. If the node refuses one, the connection is closed.
        if (!('result' in message)) return end();
        confirmed.add(message.id);
        if (confirmed.size < requests.length) return;
        wasLive = true;
        setLive(true, names[index]);
      });
      // Errors need no handling here, because a close event follows each of them.
      socket.on('error', () => {});
      socket.on('close', () => {
        clearTimeout(silence);
        signal.removeEventListener('abort', end);
        setLive(false, names[index]);
        resolve(wasLive);
      });
    });

  const follow = async (): Promise<void> => {
    let failures = 0;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const index = attempt % endpoints.length;
      if (isTrusted(names[index] ?? '')) failures = (await connect(index)) ? 1 : failures + 1;
      await pauseOrStop(
        backoffDelayMs(Math.max(1, failures), Math.random, { longestMs: MAX_PAUSE_MS }),
        signal,
      );
    }
  };

  return {
    /** Whether a socket is currently reporting changes. If so, the accounts are read less often. */
    isLive: (): boolean => isLive,
    /** Resolves once the signal has aborted and the connection has ended. */
    ended: follow(),
  };
}

function parseMessage(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
