import type { ServerResponse } from 'node:http';
import type { RateLimits } from '../../data/config/rate-limits.ts';
import type { AdminListsChange } from '../../data/contract/admin-live.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { LIST_IDS } from '../../data/model/admin-lists.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { ChangedPart } from '../../data/store/rules/record-changes.ts';
import { SESSION_IDLE_MS } from '../admin/admin-context.ts';
import type { AuthorizeAdmin, SignedInAdmin } from '../admin/authorize-admin.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { eventText, STREAM_HEADERS } from './stream-hub.ts';

/** The time between two heartbeats, and between two checks of whether the sessions are still open. */
const HEARTBEAT_MS = 10_000;
/** Changes within this time are sent as one event, because a submission is soon followed by its deliveries. */
const BATCH_WINDOW_MS = 200;
/** Unread bytes after which a client is disconnected. */
const MAX_BACKLOG_BYTES = 16 * 1_024;

interface AdminStreamsContext {
  readonly store: Pick<AppStore, 'admins' | 'callCounts' | 'onChanged'>;
  readonly isNotified: () => boolean;
  readonly rateLimits: RateLimits;
  readonly now: () => number;
  readonly log: Logger;
}

/** The open event streams of admins. Events name the lists that changed. A stream ends when its session ends. */
export class AdminStreams {
  readonly #context: AdminStreamsContext;
  readonly #clients = new Map<ServerResponse, Pick<SignedInAdmin, 'id' | 'sessionId'>>();
  readonly #stopListening: () => void;
  #changedParts = new Set<ChangedPart>();
  #sendTimer: NodeJS.Timeout | null = null;
  #heartbeatTimer: NodeJS.Timeout | null = null;

  constructor(context: AdminStreamsContext) {
    this.#context = context;
    this.#stopListening = context.store.onChanged((parts) => {
      for (const part of parts) this.queueChange(part);
    });
  }

  /** @throws {ApiError} `too-many-admin-streams` */
  open(response: ServerResponse, { id, sessionId }: Pick<SignedInAdmin, 'id' | 'sessionId'>): void {
    // A response that is already closed never emits `close`, so its stream would be counted forever.
    if (response.destroyed || response.closed) return;
    const openStreamCount = [...this.#clients.values()].filter((client) => client.id === id).length;
    if (openStreamCount >= this.#context.rateLimits['streams-of-admin'])
      throw new ApiError('too-many-admin-streams');
    this.#clients.set(response, { id, sessionId });
    response.once('close', () => this.#clients.delete(response));
    response.writeHead(200, STREAM_HEADERS);
    // The first event names every list, because the client reads all lists when it connects.
    response.write(changeEvent(LIST_IDS));
    this.#heartbeatTimer ??= setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** Call this when something that the team sees has changed, in this process or in another one. */
  queueChange(part: ChangedPart): void {
    if (this.#clients.size === 0) return;
    this.#changedParts.add(part);
    this.#sendTimer ??= setTimeout(() => this.#send(), BATCH_WINDOW_MS);
  }

  close(): void {
    this.#stopListening();
    if (this.#sendTimer) clearTimeout(this.#sendTimer);
    if (this.#heartbeatTimer) clearInterval(this.#heartbeatTimer);
    for (const client of this.#clients.keys()) client.end();
    this.#clients.clear();
  }

  #send(): void {
    this.#sendTimer = null;
    const changedParts = this.#changedParts;
    this.#changedParts = new Set();
    if (changedParts.has('sessions')) void this.#endStreamsOfEndedSessions();
    const lists = LIST_IDS.filter((list) => changedParts.has(list));
    if (lists.length > 0) this.#broadcast(changeEvent(lists));
  }

  #beat(): void {
    const { store, isNotified } = this.#context;
    // Other replicas exist only with PostgreSQL, and only its store has `callCounts`. Without notifications, this process
    // may have missed changes by other replicas.
    const mayMissChanges = store.callCounts !== null && !isNotified();
    this.#broadcast(mayMissChanges ? changeEvent(LIST_IDS) : ': \n\n');
    void this.#endStreamsOfEndedSessions();
  }

  #broadcast(text: string): void {
    for (const client of this.#clients.keys()) {
      if (client.writableLength > MAX_BACKLOG_BYTES) client.destroy();
      else client.write(text);
    }
  }

  /**
   * Ends the streams of sessions that have ended. Does not mark the other sessions as used, because an open stream must not keep
   * its session open.
   */
  async #endStreamsOfEndedSessions(): Promise<void> {
    const { store, now, log } = this.#context;
    try {
      const adminIds = new Set([...this.#clients.values()].map(({ id }) => id));
      for (const adminId of adminIds) {
        const at = now();
        const openSessions = await store.admins.sessions(adminId, at, at - SESSION_IDLE_MS);
        const ids = new Set(openSessions.map(({ id }) => id));
        for (const [response, { id, sessionId }] of this.#clients) {
          if (id !== adminId || ids.has(sessionId)) continue;
          // Removed at once, because nothing may be written after the end.
          this.#clients.delete(response);
          response.end();
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'the sessions of open streams could not be checked');
    }
  }
}

const changeEvent = (lists: AdminListsChange['lists']): string =>
  eventText('change', JSON.stringify({ lists } satisfies AdminListsChange));

export function adminLiveRoute(streams: AdminStreams, authorize: AuthorizeAdmin): ApiRoute {
  return {
    method: 'GET',
    path: PATHS.adminLive,
    handle: async (request, response) => {
      const admin = await authorize(request, 'viewer');
      if (request.method === 'HEAD') response.writeHead(200, STREAM_HEADERS).end();
      else streams.open(response, admin);
    },
  };
}
