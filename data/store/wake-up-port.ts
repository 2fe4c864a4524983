import type { ChangedPart } from './rules/record-changes.ts';

/**
 * Functions that are called after a commit by any program, including this one, and when the connection opens or fails. They
 * must return at once and not throw.
 */
export interface WakeUpListeners {
  readonly onIndexChanged: () => void;
  readonly onQueued: () => void;
  /** Data that the team sees has changed. Also called for every part after `onConnected`. */
  readonly onChanged: (part: ChangedPart) => void;
  /** Notifications arrive from now on. Earlier ones may have been missed. */
  readonly onConnected: () => void;
  /** No notifications arrive until the next `onConnected`. */
  readonly onLost: (error: unknown) => void;
}

/** Notifications of commits, over a separate connection that reconnects automatically. */
export interface WakeUps {
  /** Whether notifications arrive. If not, the caller must check for changes often. */
  isConnected(): boolean;
  close(): Promise<void>;
}
