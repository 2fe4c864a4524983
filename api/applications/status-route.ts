import type { RequestHandler } from 'express';
import { applicationStatus } from '../../data/contract/applications.ts';
import type { ApplicationStore } from '../../data/store/application-port.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limited } from '../security/rate-limit.ts';
import { UnknownSubmissionError } from './application-errors.ts';

/** Looks of one address a minute. */
export const STATUS_LOOKS_PER_MINUTE = 10;

/**
 * `POST /api/card/application-status`. An unknown number and a wrong mail address are answered alike, so that no one
 * learns which numbers there are.
 */
export function applicationStatusRoute(options: {
  readonly store: ApplicationStore;
  readonly limit: RequestHandler;
}): ApiRoute {
  return {
    method: applicationStatus.method,
    path: applicationStatus.path,
    handle: limited(options.limit, async (request, response) => {
      const { referenceNumber, email } = readBody(applicationStatus.body, request.body);
      const found = await options.store.statusOf(referenceNumber, email);
      const last = found?.events.at(-1);
      if (!found || !last) throw new UnknownSubmissionError();
      response.json({
        success: true,
        referenceNumber,
        kind: found.kind,
        status: last.status,
        timeline: found.events.map(({ at, status, note }) => ({
          at: new Date(at).toISOString(),
          status,
          note,
        })),
      });
    }),
  };
}
