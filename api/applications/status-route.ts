import { applicationStatus } from '../../data/contract/submissions.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import { type ApiRoute, callRoute } from '../known-calls.ts';
import { readBody } from '../request-input.ts';
import type { Limits } from '../security/rate-limit.ts';

/**
 * `POST /api/card/application-status`. An unknown number and a wrong email address get the same response, so that nobody can
 * find out which numbers exist.
 */
export function applicationStatusRoute(context: {
  readonly store: Pick<AppStore, 'submissions'>;
  readonly limits: Limits;
}): ApiRoute {
  return callRoute(applicationStatus, { limit: 'status-checks' }, async (request, response) => {
    const { referenceNumber, email } = readBody(applicationStatus.body, request.body);
    await context.limits.count('status-checks-of-email', request, response, mailboxOf(email));
    const found = await context.store.submissions.statusOf(referenceNumber, email);
    const last = found?.events.at(-1);
    if (!found || !last) throw new ApiError('unknown-submission');
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
  });
}
