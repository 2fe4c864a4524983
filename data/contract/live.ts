import { z } from 'zod';

/** Path of the event stream. */
export const LIVE_PATH = '/api/live';

/** Query parameter: the version that the client holds, to be sent only what changed since, as with `Last-Event-ID`. */
export const LIVE_SINCE = 'since';

/**
 * Event `change`: the full new body of every call whose figures changed, by path. The first message after connecting,
 * and any after a gap that cannot be filled, holds every call; after a gap in which nothing changed it holds none. The
 * SSE id is the snapshot's version. Bodies that grow with the number of stakers are announced rather than sent: at ten
 * thousand of them they are megabytes, and few pages show them.
 */
export const liveChange = z.object({
  version: z.int().nonnegative(),
  bodies: z.record(z.string(), z.unknown()),
  /** Calls that changed and whose body is to be asked for, by path. */
  announced: z.array(z.string()),
  /** Calls that have no answer now (they would answer 503), by path. */
  missing: z.array(z.string()),
});
export type LiveChange = z.infer<typeof liveChange>;

/**
 * Event `fresh`: the source was read again. Sent while nothing changes too, so that a page can tell a quiet chain from
 * a dead one; also the heartbeat.
 */
export const liveFresh = z.object({
  /** The server's time as it sends this: ages are counted by it, since a visitor's clock may be wrong. */
  now: z.iso.datetime(),
  chain: z.object({ asOf: z.iso.datetime(), slot: z.int().nonnegative() }).nullable(),
  market: z.object({ asOf: z.iso.datetime() }).nullable(),
});
export type LiveFresh = z.infer<typeof liveFresh>;
