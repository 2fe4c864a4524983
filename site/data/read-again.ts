import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Has a query read again, now where a screen shows it and else when one does. A read under way, be it the very first one,
 * comes to its end before: it was asked for before the news, so its answer may be older, and would count as the newest.
 * It is not called off, since where news come faster than answers nothing would be shown at all.
 */
export async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  // Joins what is under way. That it fails is told by the query itself.
  if (query && query.state.fetchStatus !== 'idle') await query.fetch().catch(() => {});
  await client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
}
