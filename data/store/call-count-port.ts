/** Counts calls for the limits per minute, across all replicas. */
export interface CallCounts {
  /**
   * Counts a call in the current window of its key. If the key has none, the call begins one. The store's clock measures the
   * windows.
   * @param windowMs the length of a window in milliseconds
   */
  add(key: string, windowMs: number): Promise<CallCount>;
}

export interface CallCount {
  /** Calls in the key's current window, including this one. */
  readonly calls: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}
