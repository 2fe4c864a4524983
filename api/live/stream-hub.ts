import type { ServerResponse } from 'node:http';
import { StreamsFullError, TooManyStreamsError } from '../errors.ts';
import type { FigureChange, LiveSnapshot } from '../metrics/live-snapshot.ts';
import { ChangeLog } from './change-log.ts';
import { changeEvent, freshEvent, type SourceReads, STREAM_OPENING } from './live-events.ts';

export interface StreamLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Bytes that may wait for a client that does not read before it is cut. */
  readonly backlogBytes: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  total: 4_000,
  perAddress: 100,
  backlogBytes: 256 * 1_024,
};

/** Headers of every stream: kept by nobody, and held back by no proxy that gathers bytes. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** Changes that a client may have missed and still be sent only those. */
const REMEMBERED_CHANGES = 256;
/** Catch-ups that are kept as bytes at a time. */
const REMEMBERED_CATCH_UPS = 16;
/** A quiet stream says at least this often (ms) that it is alive. */
const HEARTBEAT_MS = 10_000;
/** The least time (ms) between two `fresh` events. */
const FRESH_EVERY_MS = 1_000;

/** Both in milliseconds. */
export interface Clocks {
  /** Unix time, which may be set back. */
  readonly wall: () => number;
  /** Time from any beginning that never goes back, for pauses. */
  readonly steady: () => number;
}

/** All open event streams. Each event is serialised once, whatever the number of clients. */
export class StreamHub {
  readonly #snapshot: LiveSnapshot;
  readonly #limits: StreamLimits;
  readonly #clocks: Clocks;
  readonly #log: ChangeLog;
  readonly #clients = new Set<ServerResponse>();
  readonly #perAddress = new Map<string, number>();
  /** The latest events that clients were caught up with: many come back at once, and all hold the same. */
  readonly #catchUps = new Map<number | null, { readonly revision: number; readonly event: Buffer }>();
  #reads: SourceReads = { chain: null, market: null };
  #sentReads = '';
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(snapshot: LiveSnapshot, limits: StreamLimits, clocks: Clocks) {
    this.#snapshot = snapshot;
    this.#limits = limits;
    this.#clocks = clocks;
    this.#log = new ChangeLog(snapshot.version, REMEMBERED_CHANGES);
  }

  get size(): number {
    return this.#clients.size;
  }

  /**
   * Opens a stream: what changed since the version that the client holds, or everything.
   * @throws {TooManyStreamsError} {StreamsFullError}
   */
  open(response: ServerResponse, address: string, heldVersion: string | undefined): void {
    // A client that left while its request was being checked would never report its leaving again.
    if (response.destroyed || response.closed) return;
    const held = this.#perAddress.get(address) ?? 0;
    if (held >= this.#limits.perAddress) throw new TooManyStreamsError();
    if (this.#clients.size >= this.#limits.total) throw new StreamsFullError();
    this.#perAddress.set(address, held + 1);
    this.#clients.add(response);
    response.once('close', () => this.#forget(response, address));
    response.writeHead(200, STREAM_HEADERS);
    // The clock first: the ages of the figures that follow are counted by it.
    const fresh = freshEvent(this.#reads, this.#clocks.wall());
    this.#send(response, Buffer.from(STREAM_OPENING + fresh));
    this.#send(response, this.#catchUp(heldVersion));
  }

  /** Sends a change to every client. */
  publish(change: FigureChange): void {
    this.#log.record(change.version, [...change.bodies.keys(), ...change.announced, ...change.missing]);
    this.#broadcast(changeEvent(change));
  }

  /** Tells the clients when the sources were read: once a second at most, and as heartbeat though nothing was. */
  beat(reads: SourceReads): void {
    this.#reads = reads;
    const read = JSON.stringify(reads);
    const now = this.#clocks.steady();
    if (now - this.#sentAt < (read === this.#sentReads ? HEARTBEAT_MS : FRESH_EVERY_MS)) return;
    this.#sentReads = read;
    this.#sentAt = now;
    this.#broadcast(freshEvent(reads, this.#clocks.wall()));
  }

  /** Ends every stream. */
  close(): void {
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#perAddress.clear();
    for (const client of clients) client.end();
  }

  #catchUp(heldVersion: string | undefined): Buffer {
    const version =
      heldVersion !== undefined && /^\d{1,16}$/.test(heldVersion) ? Number(heldVersion) : Number.NaN;
    const missed = this.#log.since(version);
    const key = missed === null ? null : version;
    const { revision } = this.#snapshot;
    const known = this.#catchUps.get(key);
    if (known?.revision === revision) return known.event;
    // A client that missed nothing is told so: it holds the figures then, and may call itself live.
    const event = Buffer.from(changeEvent(this.#snapshot.bodiesOf(missed ?? undefined)));
    for (const [other, held] of this.#catchUps) {
      if (held.revision !== revision || this.#catchUps.size >= REMEMBERED_CATCH_UPS)
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
    if (client.writableLength > this.#limits.backlogBytes) client.destroy();
    else client.write(bytes);
  }

  #forget(client: ServerResponse, address: string): void {
    if (!this.#clients.delete(client)) return;
    const left = (this.#perAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(address, left);
    else this.#perAddress.delete(address);
  }
}
