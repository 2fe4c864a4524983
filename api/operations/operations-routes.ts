import { Router } from 'express';
import * as PATHS from '../../data/contract/paths.ts';
import { isFromOwnMachine } from './own-machine.ts';
import type { Readiness } from './readiness.ts';

/** Paths for operators, outside of the API. */
export const OPERATIONS_PATHS: readonly string[] = [PATHS.healthz, PATHS.readyz, PATHS.prometheus];

/**
 * `/healthz`: the process is alive. `/readyz`: 200 while the figures are available and correct, else 503; the body names
 * what is missing. `/metrics`: Prometheus's text format, for callers on this machine; any other caller gets 404.
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
  router.get(PATHS.healthz, (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  router.get(PATHS.readyz, (_request, response) => {
    const readiness = options.readiness();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  router.get(PATHS.prometheus, async (request, response, next) => {
    if (!isFromOwnMachine(request)) {
      next();
      return;
    }
    const text = await options.metrics();
    response.set('Content-Type', options.metricsType).send(text);
  });
  return router;
}
