import type { QueryClient } from '@tanstack/react-query';
import type { LiveChange } from '../../data/contract/live.ts';
import { noteAnswer } from './call-reads.ts';
import { figureKey } from './figure-query.ts';
import { readAgain } from './read-again.ts';

/**
 * Puts a change of the stream into the query cache: a new body under its path, null where the server no longer knows
 * the figure. A read still under way is called off, since its answer was asked for before the stream's word. A figure
 * that is only announced is read again where a screen shows it, and else when one does.
 */
export function applyChange(client: QueryClient, change: LiveChange): void {
  const set = (path: string, body: unknown) => {
    void client.cancelQueries({ queryKey: figureKey(path), exact: true });
    client.setQueryData(figureKey(path), body);
  };
  for (const [path, body] of Object.entries(change.bodies)) {
    set(path, body);
    noteAnswer(path, body);
  }
  for (const path of change.missing) set(path, null);
  for (const path of change.announced) {
    void readAgain(client, figureKey(path));
  }
}
