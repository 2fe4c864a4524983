/** Counts calls towards the limits per minute, for all replicas together. */
export interface CallCounts {
  /**
   * Counts a call. A window begins with the first call of a key, and follows the store's clock.
   * @param windowMs the length of a window in milliseconds
   */
  add(key: string, windowMs: number): Promise<CallCount>;
}

export interface CallCount {
  /** Calls in the key's current window, with this one. */
  readonly calls: number;
  /** Milliseconds until the window ends. */
  readonly endsIn: number;
}
