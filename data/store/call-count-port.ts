/** Counts calls across all replicas, for the per-minute limits. */
export interface CallCounts {
  /** Counts a call in its key's current window, or starts a window if there is none. Windows follow the store's clock. */
  add(key: string, windowMs: number): Promise<CallCount>;
}

export interface CallCount {
  /** Calls in the key's current window, including this one. */
  readonly calls: number;
  readonly endsInMs: number;
}
