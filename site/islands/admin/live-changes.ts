import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { AdminListsChange } from '../../../data/contract/admin-live.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { ADMIN_KEY } from './admin-calls.ts';
import { adminFetch } from './admin-session.ts';

/* Admins' sessions are bearer tokens, which `EventSource` cannot send, so the page reads the stream with `fetch`. */

/** Milliseconds without a byte after which the stream counts as dead. The server sends a heartbeat every ten seconds. */
const MAX_SILENCE_MS = 25_000;
/** Milliseconds before the next attempt to connect: the first and the longest wait. Each failed attempt doubles the wait. */
const RETRY_DELAY_MS = { first: 1_000, longest: 30_000 } as const;
/** The shortest time in milliseconds between two reads of the changed lists. */
const READ_INTERVAL_MS = 700;
/** The capacity of the token bucket that limits the reads. The bucket regains a token every `REGAIN_INTERVAL_MS`. */
const QUICK_READS = 15;
const REGAIN_INTERVAL_MS = 6_000;
/** Milliseconds to wait before checking again whether a read of the changed lists is still in flight. */
const READING_WAIT_MS = 100;

/** Splits a text into the data of its complete events and the incomplete rest. Heartbeats have no data. */
export function parseEvents(text: string): {
  readonly data: readonly string[];
  readonly incompleteText: string;
} {
  const blocks = text.split('\n\n');
  const incompleteText = blocks.pop() ?? '';
  const data = blocks.flatMap((block) =>
    block.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : [])),
  );
  return { data, incompleteText };
}

/** Reads the stream until the server closes it. @throws if the stream cannot be opened, breaks or goes silent */
async function readStream(signal: AbortSignal, onChange: (change: AdminListsChange) => void): Promise<void> {
  const silenceController = new AbortController();
  let timer = setTimeout(() => silenceController.abort(), MAX_SILENCE_MS);
  try {
    const anySignal = AbortSignal.any([signal, silenceController.signal]);
    const { body } = await adminFetch('GET', PATHS.adminLive, { signal: anySignal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silenceController.abort(), MAX_SILENCE_MS);
      const { data, incompleteText } = parseEvents(text + chunk.value);
      text = incompleteText;
      for (const json of data) onChange(JSON.parse(json));
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether a change makes a query's data stale. An open record is not read again, because the admin may be basing a decision
 * on the state that it shows.
 */
export function isAffected([, path]: QueryKey, { lists }: AdminListsChange): boolean {
  if (typeof path !== 'string') return false;
  if (path === PATHS.adminStats || path.startsWith(PATHS.adminWork)) return true;
  // A change to a delivery also changes the mail status of the delivery's record, which may be in any list.
  const staleLists = lists.includes('delivery-logs') ? LIST_IDS : lists;
  return staleLists.some((list) => path === PATHS.adminList(list));
}

let isConnected = false;
const listeners = new Set<() => void>();
function setConnected(newValue: boolean): void {
  if (isConnected === newValue) return;
  isConnected = newValue;
  for (const listener of listeners) listener();
}

/** Whether changes arrive over the stream. If not, the page has to poll. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isConnected,
    () => false,
  );
}

/**
 * Limits how often the lists are read again. Otherwise, a steady flow of changes would use up the server's rate limit, which
 * the admins in one office share. All times are in milliseconds.
 */
export function createReadLimit() {
  let readAt = Number.NEGATIVE_INFINITY;
  let readsLeft = QUICK_READS;
  const readsLeftAt = (now: number) => Math.min(QUICK_READS, readsLeft + (now - readAt) / REGAIN_INTERVAL_MS);
  return {
    waitAt: (now: number): number =>
      Math.max(0, READ_INTERVAL_MS - (now - readAt), (1 - readsLeftAt(now)) * REGAIN_INTERVAL_MS),
    recordRead: (now: number): void => {
      readsLeft = readsLeftAt(now) - 1;
      readAt = now;
    },
  };
}

/** Opens the live stream, and reads lists and figures again when something changes. Call it once per page. */
export function useLiveStream(shouldOpen: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!shouldOpen) return;
    const controller = new AbortController();
    const { signal } = controller;
    const changedLists = new Set<AdminListsChange['lists'][number]>();
    const limit = createReadLimit();
    let readTimer: ReturnType<typeof setTimeout> | undefined;
    const readChangedLists = () => {
      readTimer = undefined;
      const lists = [...changedLists];
      const isStale = ({ queryKey }: { readonly queryKey: QueryKey }) => isAffected(queryKey, { lists });
      // Waits for a read in flight to finish, then reads again, because that read may have missed the changes.
      if (client.isFetching({ queryKey: [ADMIN_KEY], predicate: isStale }) > 0) {
        readTimer = setTimeout(readChangedLists, READING_WAIT_MS);
        return;
      }
      limit.recordRead(performance.now());
      changedLists.clear();
      void client.invalidateQueries({ queryKey: [ADMIN_KEY], predicate: isStale });
    };
    const onChange = ({ lists }: AdminListsChange) => {
      setConnected(true);
      for (const list of lists) changedLists.add(list);
      if (readTimer !== undefined) return;
      readTimer = setTimeout(readChangedLists, limit.waitAt(performance.now()));
    };
    const pause = (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    const streamUntilClosed = async () => {
      let retryDelayMs: number = RETRY_DELAY_MS.first;
      while (!signal.aborted) {
        let hasOpened = false;
        await readStream(signal, (change) => {
          hasOpened = true;
          onChange(change);
        }).catch(() => {});
        if (signal.aborted) return;
        setConnected(false);
        if (hasOpened) retryDelayMs = RETRY_DELAY_MS.first;
        await pause(retryDelayMs);
        retryDelayMs = Math.min(RETRY_DELAY_MS.longest, 2 * retryDelayMs);
      }
    };
    void streamUntilClosed();
    return () => {
      controller.abort();
      clearTimeout(readTimer);
      setConnected(false);
    };
  }, [client, shouldOpen]);
}
