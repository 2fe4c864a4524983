import { atom } from 'nanostores';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { networkHealth } from '../../data/contract/network.ts';

// All connection indicators read `$streamState` and `$network`, so that they do not contradict each other.

/**
 * `connecting`: the first attempt after the page opens or is shown again. `live`: messages arrive. `reconnecting`: no
 * messages arrive. A page without live figures has no stream and stays `connecting`.
 */
export type StreamState = 'connecting' | 'live' | 'reconnecting';

export const $streamState = atom<StreamState>('connecting');

export type NetworkHealth = ResponseOf<typeof networkHealth>;

export interface NetworkState {
  readonly status: NetworkHealth['status'];
  /** Whether the last read of the report succeeded. */
  readonly isReachable: boolean;
  /** The number of errors in the last report, plus the number of reads that have failed since. */
  readonly errorCount: number;
  /** The last report; null before the first one. */
  readonly health: NetworkHealth | null;
}

/** Null until the first read. */
export const $network = atom<NetworkState | null>(null);

type HealthRead = Omit<NetworkState, 'status'>;

/** While the stream is down, a page's status is at best `degraded`, even if the last report says `healthy`. */
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
