import * as PATHS from '../../data/contract/paths.ts';
import { applyChange } from './apply-change.ts';
import {
  $network,
  type NetworkHealth,
  recordHealth,
  type StreamState,
  setStreamState,
} from './connection.ts';
import { figureKey, isFigureQuery } from './figure-query.ts';
import { dispatchLiveChange } from './live-change-event.ts';
import { createLiveStream } from './live-stream.ts';
import { queryClient } from './query-client.ts';
import { apiUrl } from './request.ts';
import { serverClock } from './server-clock.ts';
import { $lastReads, $newestSlot, $pollIntervals, $storedReads, lastReadsOf } from './source-freshness.ts';
import { startStoredFigures } from './stored-figures.ts';
import { $now } from './ticking-clock.ts';

/** Milliseconds until a hidden tab closes its connection. Browsers allow six connections to a server over HTTP/1.1. */
const HIDDEN_GRACE_MS = 60_000;

let hasStarted = false;

/** Runs a function in a separate task, so that the browser can handle input first. */
const defer = (task: () => void) => void setTimeout(task);

let lastState: StreamState = 'connecting';

function setState(state: StreamState): void {
  if (state === 'live') $pollIntervals.set({});
  // Makes polling begin with an immediate read of each figure. Otherwise an unconfirmed figure would look as fresh as a
  // polled one.
  if (state === 'reconnecting' && lastState !== state) {
    void queryClient.invalidateQueries({ predicate: isFigureQuery, refetchType: 'none' });
  }
  // The stream does not send every figure, so the page now reads from the server each figure that it shows from storage. From
  // now on, the note about stored figures ignores figures that no screen shows. They are read when a screen shows them.
  if (state === 'live' && lastState !== state) {
    for (const path of Object.keys($storedReads.get())) {
      const filters = { queryKey: figureKey(path), exact: true };
      void queryClient.invalidateQueries(filters);
      if (!queryClient.getQueryCache().find(filters)?.isActive()) $storedReads.setKey(path, undefined);
    }
  }
  lastState = state;
  defer(() => setStreamState(state));
}

/** Starts the stream. Every hook that needs the stream calls this; only the first call has an effect. */
export function startPageStream(): void {
  if (hasStarted) return;
  hasStarted = true;
  startStoredFigures();

  const stream = createLiveStream({
    connect: (since) =>
      new EventSource(apiUrl(since === null ? PATHS.live : `${PATHS.live}?${PATHS.liveSince}=${since}`)),
    onChange: (change) => {
      applyChange(queryClient, change);
      const health = change.bodies[PATHS.networkHealth];
      defer(() => {
        // The cast is safe, because the API's responses are tested against the contract.
        if (health) recordHealth(health as NetworkHealth);
        dispatchLiveChange(change);
      });
    },
    onHeartbeat: (heartbeat) => {
      // Syncs the clock first, because the ages of figures depend on it.
      if (serverClock.sync(Date.parse(heartbeat.now))) $now.set(serverClock.now());
      $lastReads.set(lastReadsOf(heartbeat));
      $newestSlot.set(heartbeat.chain?.slot ?? null);
    },
    onState: setState,
    isReachable: () => $network.get()?.isReachable !== false,
    random: Math.random,
  });

  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => {
    stream.stop();
    setState('connecting');
  };
  const followVisibility = () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(pause, HIDDEN_GRACE_MS);
    else stream.start();
  };
  document.addEventListener('visibilitychange', followVisibility);
  // An open connection may not notice for a long time that the network was lost.
  for (const type of ['offline', 'online']) addEventListener(type, () => stream.reconnect());
  // An open connection keeps a page out of the back-forward cache.
  window.addEventListener('pagehide', pause);
  window.addEventListener('pageshow', () => stream.start());
  stream.start();
  // A page that opens in the background gets no `visibilitychange` event until it is shown.
  followVisibility();
}
