import { onLiveChange } from '../../data/change-news.ts';
import { request } from '../../data/request.ts';
import { afterFailure, type NetworkHealth, type NetworkState, stateOf } from './network-state.ts';

const PATH = '/api/network/health';
/** Milliseconds between two reads. */
const INTERVAL = 30_000;

/**
 * Reads the network's health at once and every 30 seconds, and tells each state. What the event stream brings counts as
 * a read. A hidden page rests, and reads again when it is seen.
 */
export function watchNetwork(onState: (state: NetworkState) => void): void {
  let state: NetworkState | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = (next: NetworkState) => {
    state = next;
    onState(next);
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(read, INTERVAL);
  };

  async function read(): Promise<void> {
    clearTimeout(timer);
    try {
      const response = await request('GET', PATH, { signal: AbortSignal.timeout(INTERVAL) });
      const health: NetworkHealth = await response.json();
      tell(stateOf(health));
    } catch {
      tell(afterFailure(state));
    }
  }

  onLiveChange(({ bodies }) => {
    const health = bodies[PATH];
    // The portal's own API keeps its contract.
    if (health) tell(stateOf(health as NetworkHealth));
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) void read();
  });
  void read();
}
