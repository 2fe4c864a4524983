import * as PATHS from '../../data/contract/paths.ts';
import { applyChange } from './apply-change.ts';
import { dispatchLiveChange } from './live-change-event.ts';
import { $streamState, createLiveStream, type StreamState } from './live-stream.ts';
import { queryClient } from './query-client.ts';
import { serverClock } from './server-clock.ts';
import { $lastReads, $newestSlot, $pollIntervals, lastReadsOf } from './source-freshness.ts';
import { startStoredFigures } from './stored-figures.ts';
import { $now } from './ticking-clock.ts';

/** Milliseconds until a hidden tab closes its connection. Browsers allow six connections to a server over HTTP/1.1. */
const HIDDEN_GRACE = 60_000;

let started = false;

/** Runs part of the work in a task of its own, so that the browser can handle input in between. */
const defer = (task: () => void) => void setTimeout(task);

/** Polls begin with a read at once: a figure that no read confirms must not seem as fresh as a polled one. */
function setState(state: StreamState): void {
  if (state === 'live') $pollIntervals.set({});
  else void queryClient.invalidateQueries({ refetchType: 'none' });
  defer(() => $streamState.set(state));
}

/** Opens the page's event stream. Every island calls this; only the first call has an effect. */
export function startPageStream(): void {
  if (started) return;
  started = true;
  startStoredFigures();

  const stream = createLiveStream({
    connect: (since) =>
      new EventSource(since === null ? PATHS.live : `${PATHS.live}?${PATHS.liveSince}=${since}`),
    onChange: (change) => {
      applyChange(queryClient, change);
      defer(() => dispatchLiveChange(change));
    },
    onFresh: (fresh) => {
      // First, because the ages of figures depend on the clock.
      if (serverClock.sync(Date.parse(fresh.now))) $now.set(serverClock.now());
      $lastReads.set(lastReadsOf(fresh));
      $newestSlot.set(fresh.chain?.slot ?? null);
    },
    onState: setState,
    random: Math.random,
  });

  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => {
    stream.stop();
    setState('reconnecting');
  };
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(pause, HIDDEN_GRACE);
    else stream.start();
  });
  // An open connection keeps a page out of the back-forward cache.
  window.addEventListener('pagehide', pause);
  window.addEventListener('pageshow', () => stream.start());
  stream.start();
}
