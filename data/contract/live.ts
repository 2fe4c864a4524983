import { z } from 'zod';

/**
 * Event `change`: the new bodies of the calls that changed, by path. The first message of a connection contains all calls;
 * after a reconnect, only those that changed, if the server knows them. The SSE id is the snapshot's version. Bodies that
 * grow with the number of stakers are announced instead: with ten thousand stakers they are megabytes long.
 */
export const liveChange = z.object({
  version: z.int().nonnegative(),
  bodies: z.record(z.string(), z.unknown()),
  /** Paths of calls that changed, for the client to request. */
  announced: z.array(z.string()),
  /** Paths of calls that return 503 now. */
  missing: z.array(z.string()),
});
export type LiveChange = z.infer<typeof liveChange>;

/**
 * Event `fresh`: a source was read, even without a change, so that a page can distinguish a quiet chain from a stale one.
 * It is the heartbeat.
 */
export const liveFresh = z.object({
  /** The server's time. Ages are relative to it, since a visitor's clock may be wrong. */
  now: z.iso.datetime(),
  chain: z.object({ asOf: z.iso.datetime(), slot: z.int().nonnegative() }).nullable(),
  market: z.object({ asOf: z.iso.datetime() }).nullable(),
});
export type LiveFresh = z.infer<typeof liveFresh>;
