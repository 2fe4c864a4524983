import type { Call } from '../data/contract/call.ts';
import type { ApiRoute } from './known-calls.ts';

/** The route for a call in the contract. */
export function callRoute(
  { method, path }: Pick<Call, 'method' | 'path'>,
  options: Pick<ApiRoute, 'limit' | 'readBody'>,
  handle: ApiRoute['handle'],
): ApiRoute {
  return { method, path, ...options, handle };
}
