import { z } from 'zod';

/**
 * Event `change`: new response bodies by the path of their call. Each event has a version, which is also its SSE id. A
 * client that reconnects with a version that this API process still remembers gets only the bodies that changed after it.
 * Any other client gets all bodies. A body that grows with the number of stakers is only announced, because it takes
 * megabytes with ten thousand stakers.
 */
export const liveChange = z.object({
  /**
   * The random id of the API process, and the number of changes that it has sent. The id keeps a process from mistaking
   * another process's version for its own.
   */
  version: z.string().regex(/^[\da-f]{8}-\d{1,16}$/),
  bodies: z.record(z.string(), z.unknown()),
  /** Paths of calls with a new body, which the client should request. */
  announced: z.array(z.string()),
  /** Paths of calls that now return 503. */
  missing: z.array(z.string()),
});
export type LiveChange = z.infer<typeof liveChange>;

/**
 * Event `fresh`, the heartbeat. It is sent after every read of the chain or the market price, even if nothing changed. This lets
 * a page distinguish a quiet chain from an unreadable one.
 */
export const liveHeartbeat = z.object({
  /** The server's time. Ages are relative to it, since a visitor's clock may be wrong. */
  now: z.iso.datetime(),
  chain: z.object({ asOf: z.iso.datetime(), slot: z.int().nonnegative() }).nullable(),
  market: z.object({ asOf: z.iso.datetime() }).nullable(),
});
export type LiveHeartbeat = z.infer<typeof liveHeartbeat>;
