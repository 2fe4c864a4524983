import { z } from 'zod';

/**
 * Event `change`: the new response bodies of the calls that changed, by path. Each event has a version, which is also its SSE
 * id. If a client reconnects with a version that this API process sent and still remembers, it gets only the bodies that
 * changed after that version. Any other client gets all bodies. A body that grows with the number of stakers is only announced:
 * with ten thousand stakers it takes megabytes.
 */
export const liveChange = z.object({
  /**
   * The random id of the API process, and the number of changes that it has sent. The id keeps a process from mistaking
   * another process's version for its own.
   */
  version: z.string().regex(/^[\da-f]{8}-\d{1,16}$/),
  bodies: z.record(z.string(), z.unknown()),
  /** Paths of calls that changed, for the client to request. */
  announced: z.array(z.string()),
  /** Paths of calls that now return 503. */
  missing: z.array(z.string()),
});
export type LiveChange = z.infer<typeof liveChange>;

/**
 * Event `fresh`, the heartbeat. It is sent whenever the chain or the market was read, even if nothing changed, so that a
 * page can distinguish a quiet chain from an unreadable one.
 */
export const liveHeartbeat = z.object({
  /** The server's time. Ages are relative to it, since a visitor's clock may be wrong. */
  now: z.iso.datetime(),
  chain: z.object({ asOf: z.iso.datetime(), slot: z.int().nonnegative() }).nullable(),
  market: z.object({ asOf: z.iso.datetime() }).nullable(),
});
export type LiveHeartbeat = z.infer<typeof liveHeartbeat>;
