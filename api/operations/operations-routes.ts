import { Router } from 'express';
import { isFromOwnMachine } from './own-machine.ts';
import type { Readiness } from './readiness.ts';

/** Paths for those who operate the portal; no calls of the API. */
export const OPERATIONS_PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

/**
 * `/healthz`: the process lives. `/readyz`: 200 while the portal can answer with figures that are right, else 503, with
 * what is missing as JSON. `/metrics`: Prometheus's text format, for callers on this machine itself; for all others
 * there is no such page.
 */
export function operationsRoutes(options: {
  readonly readiness: () => Readiness;
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
}): Router {
  const router = Router();
  router.use(OPERATIONS_PATHS as string[], (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  router.get('/healthz', (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  router.get('/readyz', (_request, response) => {
    const readiness = options.readiness();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  router.get('/metrics', async (request, response, next) => {
    if (!isFromOwnMachine(request)) {
      next();
      return;
    }
    const text = await options.metrics();
    response.set('Content-Type', options.metricsType).send(text);
  });
  return router;
}
