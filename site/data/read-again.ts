import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

/** Milliseconds after which a read under way is taken for one that hangs. */
export const READ_HANGS_AFTER_MS = 30_000;

/** Queries whose read under way is waited for, to be read once more after it. */
const awaited = new WeakSet<Query>();

/** Waits for the read under way. @returns whether it came to an end in time; a failure is one, which the query tells itself */
async function endsInTime(query: Query): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hangs = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), READ_HANGS_AFTER_MS);
  });
  const ends = query.fetch().then(
    () => true,
    () => true,
  );
  return Promise.race([ends, hangs]).finally(() => clearTimeout(timer));
}

/**
 * Has a query read again, now where a screen shows it and else when one does. A read under way, be it the very first one,
 * comes to its end before: it was asked for before the news, so its answer may be older, and would count as the newest.
 * It is not called off unless it hangs, since where news come faster than answers nothing would be shown at all.
 */
export async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query && query.state.fetchStatus !== 'idle') {
    if (awaited.has(query)) return;
    awaited.add(query);
    const isOver = await endsInTime(query);
    awaited.delete(query);
    if (!isOver) await client.cancelQueries({ queryKey, exact: true });
  }
  await client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
}
