/** What to call when another program, or this one, committed something. All listeners return at once, and throw nothing. */
export interface WakeUpListeners {
  /** The index has another data version. */
  readonly onIndexChanged: () => void;
  /** Deliveries were queued. */
  readonly onQueued: () => void;
  /** Notifications arrive from now on. Those from before the connection are missing. */
  readonly onConnected: () => void;
  /** No notifications arrive until the next `onConnected`. */
  readonly onLost: (error: unknown) => void;
}

/** Notifications of commits, on a connection of its own that is opened again by itself. */
export interface WakeUps {
  /** Whether notifications arrive. Otherwise look for changes often. */
  isConnected(): boolean;
  close(): Promise<void>;
}
