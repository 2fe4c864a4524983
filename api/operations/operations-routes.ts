import { createServer, type Server } from 'node:http';
import express, { type RequestHandler, Router } from 'express';
import { apiOriginOf } from '../../data/config/api-origin.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { errorHandler } from '../error-handler.ts';
import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';
import { isEqualSecret } from '../security/equal-secret.ts';
import { applyHeaders } from '../security/headers.ts';
import { isLocalRequest } from './local-requests.ts';

export const OPERATIONS_PATHS: readonly string[] = [PATHS.healthz, PATHS.readyz, PATHS.prometheus];

/**
 * Serves `/metrics` in Prometheus's text format. If a token is configured, callers without it get 401. If none is configured,
 * the metrics port serves everyone, but the portal's port serves only callers on this machine, and answers 404 to all others.
 */
function metricsHandler(
  { metrics: { token, listener }, registry, ...origins }: PortalContext,
  readMetrics: () => Promise<string>,
): RequestHandler {
  return async (request, response, next) => {
    if (token !== null) {
      const [, sent] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
      if (sent === undefined || !isEqualSecret(sent, token)) throw new ApiError('metrics-token-needed');
    } else if (listener === null && !isLocalRequest(request, apiOriginOf(origins))) {
      next();
      return;
    }
    response.set('Content-Type', registry.contentType).send(await readMetrics());
  };
}

/** @returns a server for `/metrics` only, which is not listening yet; null unless the metrics have their own port */
export function createMetricsServer(
  context: PortalContext,
  readMetrics: () => Promise<string>,
): Server | null {
  if (context.metrics.listener === null) return null;
  const app = express().disable('x-powered-by').disable('etag');
  app.use((_request, response, next) => {
    applyHeaders(response, context.security.data);
    response.set('Cache-Control', 'no-store');
    next();
  });
  app.get(PATHS.prometheus, metricsHandler(context, readMetrics));
  app.use(() => {
    throw new ApiError('metrics-only');
  });
  app.use(errorHandler(context.log));
  return createServer(app);
}

/**
 * `/healthz`: 200 while the process is alive. `/readyz`: 200 while the figures are available and correct and `app.db` can be
 * written, otherwise 503 with a body that says what is missing. `/metrics`: served here unless it has its own port.
 */
export function operationsRoutes(context: PortalContext, readMetrics: () => Promise<string>): Router {
  const { readiness, replicaStatus } = context;
  const router = Router();
  router.use(OPERATIONS_PATHS as string[], (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  router.get(PATHS.healthz, (_request, response) => {
    response.type('text/plain').send('ok\n');
  });
  router.get(PATHS.readyz, async (_request, response) => {
    const replica = await replicaStatus?.();
    const body = readiness();
    response.status(body.ready ? 200 : 503).json({ ...body, replica });
  });
  if (context.metrics.listener === null) router.get(PATHS.prometheus, metricsHandler(context, readMetrics));
  return router;
}
