import type { LIVE_PATH as DeclaredPath, LIVE_SINCE as DeclaredSince } from '../../data/contract/live.ts';
import { applyChange } from './apply-change.ts';
import { announceChange } from './change-news.ts';
import { createLiveStream } from './live-stream.ts';
import { queryClient } from './query-client.ts';
import { serverClock } from './server-clock.ts';
import { $lastReads, $newestSlot, lastReadsOf } from './source-freshness.ts';
import { $streamState, type StreamState } from './stream-state.ts';
import { $now } from './ticking-clock.ts';

// Named by its type alone: the declaring module would bring its schemas into the browser.
const LIVE_PATH: typeof DeclaredPath = '/api/live';
const LIVE_SINCE: typeof DeclaredSince = 'since';

/** A hidden tab gives its connection back after so long: browsers allow only six to one server over HTTP/1.1. */
const HIDDEN_GRACE = 60_000;

let started = false;

/**
 * Does a part of what a message asks for in a task of its own, after those asked for before: a first message brings
 * every figure, and a touch is answered between two tasks.
 */
const next = (task: () => void) => void setTimeout(task);

function tellState(state: StreamState): void {
  next(() => $streamState.set(state));
}

/** Opens the page's one event stream; called by every island, it acts for the first. */
export function startPageStream(): void {
  if (started) return;
  started = true;

  const stream = createLiveStream({
    connect: (heldVersion) =>
      new EventSource(heldVersion === null ? LIVE_PATH : `${LIVE_PATH}?${LIVE_SINCE}=${heldVersion}`),
    onChange: (change) => {
      applyChange(queryClient, change);
      next(() => announceChange(change));
    },
    onFresh: (fresh) => {
      // Before the reads, whose ages are counted by it.
      if (serverClock.hear(Date.parse(fresh.now))) $now.set(serverClock.now());
      $lastReads.set(lastReadsOf(fresh));
      $newestSlot.set(fresh.chain?.slot ?? null);
    },
    onState: tellState,
    random: Math.random,
  });

  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => {
    stream.stop();
    tellState('reconnecting');
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
