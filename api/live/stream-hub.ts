import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RateLimits } from '../../data/config/rate-limits.ts';
import type { LiveHeartbeat } from '../../data/contract/live.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import type { FigureChange, LiveSnapshot } from '../metrics/live-snapshot.ts';
import { clientNetwork } from '../security/rate-limit.ts';

/** Headers of every stream. The last header keeps nginx from buffering the stream. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** The first line of a stream: a browser reconnects 1 s after the stream breaks. */
const STREAM_OPENING = 'retry: 1000\n\n';

/** An event as text for an event stream. JSON text has no line breaks, so it fits on one `data` line. */
export function eventText(event: string, json: string, id?: string): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`;
}

/** @param id the id of the version */
function changeEvent({ bodies, announced, missing }: FigureChange, id: string): string {
  const members = [...bodies].map(([path, body]) => `${JSON.stringify(path)}:${body}`);
  const paths = `"announced":${JSON.stringify(announced)},"missing":${JSON.stringify(missing)}`;
  const json = `{"version":${JSON.stringify(id)},"bodies":{${members.join(',')}},${paths}}`;
  return eventText('change', json, id);
}

type SourceReads = Omit<LiveHeartbeat, 'now'>;

export function sourceReads({ chain, quote }: IndexSnapshot): SourceReads {
  return {
    chain: chain && { asOf: new Date(chain.readAt).toISOString(), slot: chain.slot },
    market: quote && { asOf: new Date(quote.readAt).toISOString() },
  };
}

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
    const missedEntries = this.#entries.filter((entry) => entry.version > version);
    return new Set(missedEntries.flatMap((entry) => entry.paths));
  }
}

/** A client that missed more changes than this gets all figures. */
const REMEMBERED_CHANGES = 256;
const CACHED_CATCH_UPS = 16;
const HEARTBEAT_MS = 10_000;
const FRESH_EVERY_MS = 1_000;

/** Unread bytes after which a client is disconnected. */
const MAX_BACKLOG_BYTES = 256 * 1_024;

/** The share of all streams that is reserved for networks with no open stream. */
const RESERVED_SHARE = 1 / 4;

interface HubContext {
  readonly rateLimits: RateLimits;
  /** Unix milliseconds; the clock can be set back. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
}

/** The open live streams. Each event is serialized once for all clients. */
export class StreamHub {
  /** The start of every id from this process. Other replicas, and earlier processes, count versions separately. */
  readonly #idPrefix = `${randomBytes(4).toString('hex')}-`;
  readonly #snapshot: LiveSnapshot;
  readonly #context: HubContext;
  readonly #changeLog: ChangeLog;
  readonly #clients = new Set<ServerResponse>();
  readonly #streamCounts = new Map<string, number>();
  /**
   * The first `change` event for a new stream, by the client's version. The key is null if the changes since that version
   * are unknown. Cached, because many clients can reconnect with the same version at once.
   */
  readonly #catchUps = new Map<number | null, { readonly revision: number; readonly event: Buffer }>();
  #reads: SourceReads = { chain: null, market: null };
  #sentReadsJson = '';
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(snapshot: LiveSnapshot, context: HubContext) {
    this.#snapshot = snapshot;
    this.#context = context;
    this.#changeLog = new ChangeLog(snapshot.version, REMEMBERED_CHANGES);
  }

  get size(): number {
    return this.#clients.size;
  }

  /**
   * Opens a stream. It starts with the figures that changed since the client's version, or with all figures if those changes
   * are not known.
   * @param knownVersionId the id of the client's version
   * @throws {ApiError} `too-many-streams`, `streams-full`
   */
  open(response: ServerResponse, network: string, knownVersionId: string | undefined): void {
    // A response that is already closed never emits `close`, so its stream would be counted forever.
    if (response.destroyed || response.closed) return;
    const { rateLimits, now } = this.#context;
    const openStreamCount = this.#streamCounts.get(network) ?? 0;
    if (openStreamCount >= rateLimits['streams-of-network']) throw new ApiError('too-many-streams');
    // Keeps a few networks from taking every stream.
    const reservedStreamCount = openStreamCount > 0 ? Math.floor(rateLimits.streams * RESERVED_SHARE) : 0;
    if (this.#clients.size >= rateLimits.streams - reservedStreamCount) throw new ApiError('streams-full');
    this.#streamCounts.set(network, openStreamCount + 1);
    this.#clients.add(response);
    response.once('close', () => this.#forget(response, network));
    response.writeHead(200, STREAM_HEADERS);
    // The server's time comes first, because the client computes the ages of the figures from it.
    this.#send(response, Buffer.from(STREAM_OPENING + freshEvent(this.#reads, now())));
    this.#send(response, this.#catchUp(knownVersionId));
  }

  publish(change: FigureChange): void {
    this.#changeLog.record(change.version, [...change.bodies.keys(), ...change.announced, ...change.missing]);
    this.#broadcast(changeEvent(change, this.#idPrefix + change.version));
  }

  /**
   * Sends the time when each source was last read. New times are sent at most once a second. Unchanged times are sent again as a
   * heartbeat.
   */
  beat(reads: SourceReads): void {
    this.#reads = reads;
    const readsJson = JSON.stringify(reads);
    const now = this.#context.monotonicNow();
    if (now - this.#sentAt < (readsJson === this.#sentReadsJson ? HEARTBEAT_MS : FRESH_EVERY_MS)) return;
    this.#sentReadsJson = readsJson;
    this.#sentAt = now;
    this.#broadcast(freshEvent(reads, this.#context.now()));
  }

  close(): void {
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#streamCounts.clear();
    for (const client of clients) client.end();
  }

  /** The version with this id; NaN if the id is malformed or from another process. */
  #versionOf(id: string): number {
    const versionText = id.startsWith(this.#idPrefix) ? id.slice(this.#idPrefix.length) : '';
    return /^\d{1,16}$/.test(versionText) ? Number(versionText) : Number.NaN;
  }

  #catchUp(knownVersionId: string | undefined): Buffer {
    const version = this.#versionOf(knownVersionId ?? '');
    const missedPaths = this.#changeLog.since(version);
    const key = missedPaths === null ? null : version;
    const { revision } = this.#snapshot;
    const cachedCatchUp = this.#catchUps.get(key);
    if (cachedCatchUp?.revision === revision) return cachedCatchUp.event;
    // A client that missed nothing gets an empty change, so it knows that its figures are current.
    const change = this.#snapshot.bodiesOf(missedPaths ?? undefined);
    const event = Buffer.from(changeEvent(change, this.#idPrefix + change.version));
    for (const [otherKey, otherCatchUp] of this.#catchUps) {
      if (otherCatchUp.revision !== revision || this.#catchUps.size >= CACHED_CATCH_UPS)
        this.#catchUps.delete(otherKey);
    }
    this.#catchUps.set(key, { revision, event });
    return event;
  }

  #broadcast(text: string): void {
    const bytes = Buffer.from(text);
    for (const client of this.#clients) this.#send(client, bytes);
  }

  #send(client: ServerResponse, bytes: Buffer): void {
    if (client.writableLength > MAX_BACKLOG_BYTES) client.destroy();
    else client.write(bytes);
  }

  #forget(client: ServerResponse, network: string): void {
    if (!this.#clients.delete(client)) return;
    const remaining = (this.#streamCounts.get(network) ?? 1) - 1;
    if (remaining > 0) this.#streamCounts.set(network, remaining);
    else this.#streamCounts.delete(network);
  }
}

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
      // When a browser reconnects, it sends `Last-Event-ID`. The version in the query is then out of date.
      const knownVersionId = request.headers['last-event-id'] ?? request.query[PATHS.liveSince];
      hub.open(
        response,
        clientNetwork(request),
        typeof knownVersionId === 'string' ? knownVersionId : undefined,
      );
    },
  };
}
