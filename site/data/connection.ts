import { atom } from 'nanostores';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { networkHealth } from '../../data/contract/network.ts';

// The page's connection to the portal. All indicators read `$streamState` and `$network`, so they do not contradict each
// other.

/**
 * `connecting`: the first attempt after the page opens or is shown again. `live`: messages arrive. `reconnecting`: no
 * messages arrive. A page without live figures has no stream and stays `connecting`.
 */
export type StreamState = 'connecting' | 'live' | 'reconnecting';

export const $streamState = atom<StreamState>('connecting');

export type NetworkHealth = ResponseOf<typeof networkHealth>;

export interface NetworkState {
  readonly status: NetworkHealth['status'];
  /** Whether the last read succeeded. */
  readonly isReachable: boolean;
  /** The number of errors in the report, plus the page's failed reads after it. */
  readonly errorCount: number;
  /** The last report; null before the first one. */
  readonly health: NetworkHealth | null;
}

/** Null until the first read. */
export const $network = atom<NetworkState | null>(null);

type HealthRead = Omit<NetworkState, 'status'>;

/** While the stream is down, a page is at best `degraded`, even if the last report says `healthy`. */
function statusOf({ isReachable, health }: HealthRead): NetworkState['status'] {
  if (!isReachable || health === null) return 'offline';
  const isDelayed = health.status === 'healthy' && $streamState.get() === 'reconnecting';
  return isDelayed ? 'degraded' : health.status;
}

function setNetwork(healthRead: HealthRead): void {
  $network.set({ ...healthRead, status: statusOf(healthRead) });
}

export function recordHealth(health: NetworkHealth): void {
  setNetwork({ isReachable: true, errorCount: health.errorCount, health });
}

/** Records a failed read of the report: the state becomes offline, with one more error. */
export function recordUnreachable(): void {
  const { errorCount = 0, health = null } = $network.get() ?? {};
  setNetwork({ isReachable: false, errorCount: errorCount + 1, health });
}

export function setStreamState(state: StreamState): void {
  if (state === $streamState.get()) return;
  $streamState.set(state);
  const healthRead = $network.get();
  if (healthRead) setNetwork(healthRead);
}
