import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RateLimits } from '../../data/config/rate-limits.ts';
import type { LiveFresh } from '../../data/contract/live.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { FigureChange, LiveSnapshot } from '../metrics/live-snapshot.ts';
import { clientNetwork } from '../security/rate-limit.ts';

/** Headers of every stream. The last one keeps nginx from buffering. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** The first line of a stream: a browser reconnects 1 s after the stream breaks. */
const STREAM_OPENING = 'retry: 1000\n\n';

/** A server-sent event. JSON text has no line break, so it fits one `data` line. */
export function eventText(event: string, json: string, id?: string): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`;
}

/** The `change` event, assembled from serialized bodies. @param id the id of the version */
function changeEvent({ bodies, announced, missing }: FigureChange, id: string): string {
  const members = [...bodies].map(([path, body]) => `${JSON.stringify(path)}:${body}`);
  const paths = `"announced":${JSON.stringify(announced)},"missing":${JSON.stringify(missing)}`;
  const json = `{"version":${JSON.stringify(id)},"bodies":{${members.join(',')}},${paths}}`;
  return eventText('change', json, id);
}

/** When each source was last read. */
type SourceReads = Omit<LiveFresh, 'now'>;

export function sourceReads({ chain, quote }: IndexSnapshot): SourceReads {
  return {
    chain: chain && { asOf: new Date(chain.readAt).toISOString(), slot: chain.slot },
    market: quote && { asOf: new Date(quote.readAt).toISOString() },
  };
}

/** The `fresh` event, sent at `now` (Unix ms). */
function freshEvent(reads: SourceReads, now: number): string {
  return eventText('fresh', JSON.stringify({ now: new Date(now).toISOString(), ...reads }));
}

/** The paths of the figures that changed at each of the latest versions, for clients that reconnect. */
export class ChangeLog {
  readonly #capacity: number;
  readonly #entries: { readonly version: number; readonly paths: readonly string[] }[] = [];
  /** The version before the oldest entry. Changes since an older version are unknown. */
  #floor: number;
  #newest: number;

  /** @param startVersion the version before the first change @param capacity how many changes are remembered */
  constructor(startVersion: number, capacity: number) {
    this.#floor = startVersion;
    this.#newest = startVersion;
    this.#capacity = capacity;
  }

  record(version: number, paths: readonly string[]): void {
    this.#entries.push({ version, paths });
    this.#newest = version;
    while (this.#entries.length > this.#capacity) {
      const oldest = this.#entries.shift();
      if (oldest) this.#floor = oldest.version;
    }
  }

  /** The paths that changed after a version; null if the version is too old or unknown. */
  since(version: number): ReadonlySet<string> | null {
    if (!Number.isSafeInteger(version) || version < this.#floor || version > this.#newest) return null;
    const missed = this.#entries.filter((entry) => entry.version > version);
    return new Set(missed.flatMap((entry) => entry.paths));
  }
}

/** How many changes are remembered. A client that missed more gets every body. */
const REMEMBERED_CHANGES = 256;
/** How many serialized catch-up events are cached. */
const CACHED_CATCH_UPS = 16;
/** Milliseconds between heartbeats of a quiet stream. */
const HEARTBEAT_MS = 10_000;
/** Minimum milliseconds between two `fresh` events. */
const FRESH_EVERY_MS = 1_000;

/** Unread bytes after which a client is disconnected. */
const BACKLOG_BYTES = 256 * 1_024;

/** The share of all streams that is reserved for networks with no open stream. */
const RESERVED_SHARE = 1 / 4;

interface HubContext {
  readonly rateLimits: RateLimits;
  /** Unix milliseconds; the clock can be set back. */
  readonly now: () => number;
  /** Monotonic milliseconds, for intervals. */
  readonly monotonicNow: () => number;
}

/** Manages the open event streams. It serializes each event once for all clients. */
export class StreamHub {
  /** The start of every id from this process. Other replicas, and earlier runs of this one, count versions separately. */
  readonly #idPrefix = `${randomBytes(4).toString('hex')}-`;
  readonly #snapshot: LiveSnapshot;
  readonly #context: HubContext;
  readonly #log: ChangeLog;
  readonly #clients = new Set<ServerResponse>();
  readonly #perNetwork = new Map<string, number>();
  /** Catch-up events by the version that the client has. After a restart, many clients reconnect with the same version. */
  readonly #catchUps = new Map<number | null, { readonly revision: number; readonly event: Buffer }>();
  #reads: SourceReads = { chain: null, market: null };
  #sentReads = '';
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(snapshot: LiveSnapshot, context: HubContext) {
    this.#snapshot = snapshot;
    this.#context = context;
    this.#log = new ChangeLog(snapshot.version, REMEMBERED_CHANGES);
  }

  get size(): number {
    return this.#clients.size;
  }

  /**
   * Opens a stream. It starts with the figures that changed since the client's version, or with all figures if those changes
   * are not known.
   * @param knownVersion the id of the client's version
   * @throws {ApiError} `too-many-streams`, `streams-full`
   */
  open(response: ServerResponse, network: string, knownVersion: string | undefined): void {
    // A response that is already closed never emits `close`, so its stream would be counted forever.
    if (response.destroyed || response.closed) return;
    const { rateLimits, now } = this.#context;
    const openStreams = this.#perNetwork.get(network) ?? 0;
    if (openStreams >= rateLimits['streams-of-network']) throw new ApiError('too-many-streams');
    // Keeps a few networks from taking every stream.
    const reserved = openStreams > 0 ? Math.floor(rateLimits.streams * RESERVED_SHARE) : 0;
    if (this.#clients.size >= rateLimits.streams - reserved) throw new ApiError('streams-full');
    this.#perNetwork.set(network, openStreams + 1);
    this.#clients.add(response);
    response.once('close', () => this.#forget(response, network));
    response.writeHead(200, STREAM_HEADERS);
    // The server's time comes first, because the client computes the ages of the figures from it.
    this.#send(response, Buffer.from(STREAM_OPENING + freshEvent(this.#reads, now())));
    this.#send(response, this.#catchUp(knownVersion));
  }

  /** Sends a change to every client. */
  publish(change: FigureChange): void {
    this.#log.record(change.version, [...change.bodies.keys(), ...change.announced, ...change.missing]);
    this.#broadcast(changeEvent(change, this.#idPrefix + change.version));
  }

  /** Sends when the sources were last read: at most once a second after a new read, otherwise as a heartbeat. */
  beat(reads: SourceReads): void {
    this.#reads = reads;
    const read = JSON.stringify(reads);
    const now = this.#context.monotonicNow();
    if (now - this.#sentAt < (read === this.#sentReads ? HEARTBEAT_MS : FRESH_EVERY_MS)) return;
    this.#sentReads = read;
    this.#sentAt = now;
    this.#broadcast(freshEvent(reads, this.#context.now()));
  }

  /** Ends every stream. */
  close(): void {
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#perNetwork.clear();
    for (const client of clients) client.end();
  }

  /** The version of an id; NaN if another process sent the id. */
  #versionOf(id: string): number {
    const number = id.startsWith(this.#idPrefix) ? id.slice(this.#idPrefix.length) : '';
    return /^\d{1,16}$/.test(number) ? Number(number) : Number.NaN;
  }

  #catchUp(knownVersion: string | undefined): Buffer {
    const version = this.#versionOf(knownVersion ?? '');
    const missed = this.#log.since(version);
    const key = missed === null ? null : version;
    const { revision } = this.#snapshot;
    const cachedCatchUp = this.#catchUps.get(key);
    if (cachedCatchUp?.revision === revision) return cachedCatchUp.event;
    // A client that missed nothing gets an empty change, so it knows that its figures are current.
    const change = this.#snapshot.bodiesOf(missed ?? undefined);
    const event = Buffer.from(changeEvent(change, this.#idPrefix + change.version));
    for (const [other, cached] of this.#catchUps) {
      if (cached.revision !== revision || this.#catchUps.size >= CACHED_CATCH_UPS)
        this.#catchUps.delete(other);
    }
    this.#catchUps.set(key, { revision, event });
    return event;
  }

  #broadcast(text: string): void {
    const bytes = Buffer.from(text);
    for (const client of this.#clients) this.#send(client, bytes);
  }

  #send(client: ServerResponse, bytes: Buffer): void {
    if (client.writableLength > BACKLOG_BYTES) client.destroy();
    else client.write(bytes);
  }

  #forget(client: ServerResponse, network: string): void {
    if (!this.#clients.delete(client)) return;
    const remaining = (this.#perNetwork.get(network) ?? 1) - 1;
    if (remaining > 0) this.#perNetwork.set(network, remaining);
    else this.#perNetwork.delete(network);
  }
}

/** `GET /api/live`: the event stream. */
export function liveRoute(hub: StreamHub): ApiRoute {
  return {
    method: 'GET',
    path: PATHS.live,
    handle: (request, response) => {
      // A page on another site cannot read the stream, but it could use up the streams of its visitors' networks.
      if (request.headers['sec-fetch-site'] === 'cross-site') throw new ApiError('cross-origin');
      if (request.method === 'HEAD') {
        response.writeHead(200, STREAM_HEADERS).end();
        return;
      }
      // A browser that reconnects sends `Last-Event-ID`, and the version in the query is out of date.
      const knownVersion = request.headers['last-event-id'] ?? request.query[PATHS.liveSince];
      hub.open(response, clientNetwork(request), typeof knownVersion === 'string' ? knownVersion : undefined);
    },
  };
}
