import type { RequestHandler } from 'express';
import { applicationStatus } from '../../data/contract/applications.ts';
import { mailboxOf } from '../../data/model/mailbox.ts';
import type { ApplicationStore } from '../../data/store/application-port.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls, limited, within } from '../security/rate-limit.ts';
import { TooManyLooksError, UnknownSubmissionError } from './application-errors.ts';

/** Looks of one address a minute. */
export const STATUS_LOOKS_PER_MINUTE = 10;
/** Looks with one mail address a minute, from wherever: who knows it could try the numbers of a day from many machines. */
const LOOKS_OF_MAILBOX = 20;

/**
 * `POST /api/card/application-status`. An unknown number and a wrong mail address are answered alike, so that no one
 * learns which numbers there are.
 */
export function applicationStatusRoute(options: {
  /** Asked one after the other: a reference number is known to one of them at most. */
  readonly stores: readonly Pick<ApplicationStore, 'statusOf'>[];
  readonly limit: RequestHandler;
}): ApiRoute {
  const ofMailbox = limitCalls(LOOKS_OF_MAILBOX, 'status-looks-of-mailbox', {
    keyOf: (_request, response) => String(response.locals.mailbox),
    refusal: (seconds) => new TooManyLooksError(seconds),
  });
  return {
    method: applicationStatus.method,
    path: applicationStatus.path,
    handle: limited(options.limit, async (request, response) => {
      const { referenceNumber, email } = readBody(applicationStatus.body, request.body);
      response.locals.mailbox = mailboxOf(email);
      await within(ofMailbox, request, response);
      const timelines = await Promise.all(
        options.stores.map((store) => store.statusOf(referenceNumber, email)),
      );
      const found = timelines.find((timeline) => timeline !== null);
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
