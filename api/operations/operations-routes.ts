import { Router } from 'express';
import * as PATHS from '../../data/contract/paths.ts';
import type { PortalContext } from '../portal-context.ts';
import { isFromOwnMachine } from './own-machine.ts';

/** Paths for operators, outside of the API. */
export const OPERATIONS_PATHS: readonly string[] = [PATHS.healthz, PATHS.readyz, PATHS.prometheus];

/**
 * `/healthz`: the process is alive. `/readyz`: 200 while the figures are available and correct and `app.db` can be written, else 503 with a body that
 * says what is missing. `/metrics`: Prometheus's text format, for callers on this machine; any other caller gets 404.
 */
export function operationsRoutes(
  { readiness, registry }: PortalContext,
  metrics: () => Promise<string>,
): Router {
  const router = Router();
  router.use(OPERATIONS_PATHS as string[], (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  router.get(PATHS.healthz, (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  router.get(PATHS.readyz, (_request, response) => {
    const body = readiness();
    response.status(body.ready ? 200 : 503).json(body);
  });
  router.get(PATHS.prometheus, async (request, response, next) => {
    if (!isFromOwnMachine(request)) {
      next();
      return;
    }
    response.set('Content-Type', registry.contentType).send(await metrics());
  });
  return router;
}
