/** Counts calls for the limits per minute, across all replicas. */
export interface CallCounts {
  /**
   * Counts a call. A window begins with the first call of a key. The store's clock measures the window.
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
