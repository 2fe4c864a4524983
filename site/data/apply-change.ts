import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { LiveChange } from '../../data/contract/live.ts';
import { figureKey } from './figure-query.ts';
import { keepFigure } from './stored-figures.ts';

/**
 * Applies a change from the event stream to the query cache. Stores new bodies, and null for figures that the server no
 * longer knows. Cancels in-flight reads of these figures, because they may return older values. Refetches figures if the
 * stream only announces that they changed.
 */
export function applyChange(client: QueryClient, change: LiveChange): void {
  const setBody = (path: string, body: unknown) => {
    void client.cancelQueries({ queryKey: figureKey(path), exact: true });
    client.setQueryData(figureKey(path), body);
    keepFigure(path, body);
  };
  for (const [path, body] of Object.entries(change.bodies)) setBody(path, body);
  for (const path of change.missing) setBody(path, null);
  for (const path of change.announced) void refetchAfterChange(client, figureKey(path));
}

/** Milliseconds after which an in-flight read counts as hung. */
export const READ_HANGS_AFTER_MS = 30_000;

/** Queries that wait for an in-flight read before they refetch. */
const waitingQueries = new WeakSet<Query>();

/** @returns whether the in-flight read settled in time, with a response or an error */
async function settlesInTime(query: Query): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeoutResult = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), READ_HANGS_AFTER_MS);
  });
  const fetchResult = query.fetch().then(
    () => true,
    () => true,
  );
  return Promise.race([fetchResult, timeoutResult]).finally(() => clearTimeout(timer));
}

/**
 * Refetches a query after a change: at once if a screen shows it, otherwise when one does. If a read is in flight, waits
 * for it first, because its response may be older than the change. Aborts that read only if it hangs. If changes arrived
 * faster than responses, aborting every read would leave the screen empty.
 */
export async function refetchAfterChange(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query && query.state.fetchStatus !== 'idle') {
    if (waitingQueries.has(query)) return;
    waitingQueries.add(query);
    const hasSettled = await settlesInTime(query);
    waitingQueries.delete(query);
    if (!hasSettled) await client.cancelQueries({ queryKey, exact: true });
  }
  await client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
}
