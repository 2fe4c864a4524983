import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { RateLimitName } from '../../data/config/rate-limits.ts';
import { CALLS } from '../../data/contract/calls.ts';
import type { RouteClass } from './request-counts.ts';

const CALL_PATHS: ReadonlySet<string> = new Set(CALLS.map(({ path }) => path));

/** In seconds. A page takes a few milliseconds; reading from the chain takes up to ten seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The path if it belongs to a call in the contract, otherwise the route class, so that clients cannot create label values. */
export const routeLabel = (routeClass: RouteClass, path: string): string =>
  CALL_PATHS.has(path) ? path : routeClass;

/** Records how long a request took, from when its headers arrived until its answer ended. */
export type TimeRequest = (routeClass: RouteClass, path: string, seconds: number) => void;

/** Event streams and cached answers are not timed. */
export function createRequestTimer(registry: Registry): TimeRequest {
  const histogram = new Histogram({
    name: 'portal_http_request_duration_seconds',
    help: 'Duration of HTTP requests, including uploads, by path of the call or kind of route. Streams, and figures served from memory, are left out.',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return (routeClass, path, seconds) => {
    if (routeClass !== 'stream') histogram.observe({ route: routeLabel(routeClass, path) }, seconds);
  };
}

export function createRefusalCounter(registry: Registry): (limit: RateLimitName) => void {
  const counter = new Counter({
    name: 'portal_rate_limited_total',
    help: 'Requests refused with 429, by name of the rate limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  return (limit) => counter.inc({ limit });
}
