import { z } from 'zod';
import {
  APPLICATION_STATUSES,
  LOAN_STATUSES,
  REQUEST_STATUSES,
  shownStatuses,
} from '../model/submission-status.ts';
import { TEST_EVENT, WEBHOOK_EVENT_TYPES } from '../model/webhooks.ts';
import { moment, referenceNumber } from './provenance.ts';

/** The version of the event format. It changes only if receivers have to adapt. */
export const WEBHOOK_API_VERSION = 1;

export const WEBHOOK_SIGNATURE_HEADER = 'BlackDuck-Signature';

const url = z.url().describe('The page of the admin area where the team sees the details.');

const recordSchema = <Kind extends string, Status extends string>(
  kind: Kind,
  statuses: readonly [Status, ...Status[]] | readonly Status[],
) =>
  z.object({
    kind: z.literal(kind),
    referenceNumber,
    status: z
      .enum(shownStatuses(statuses))
      .describe('The status after the event. The record may have changed since.'),
    url,
  });

/** The body of a webhook. It contains no personal data; the team finds the details in the admin area. */
export const webhookEvent = z.object({
  id: z
    .string()
    .describe('The same for every attempt. If you have already processed this id, ignore the event.'),
  type: z.enum([...WEBHOOK_EVENT_TYPES, TEST_EVENT]),
  created: moment.describe('When the event happened.'),
  apiVersion: z.literal(WEBHOOK_API_VERSION),
  data: z.discriminatedUnion('kind', [
    recordSchema('card-application', APPLICATION_STATUSES),
    recordSchema('verification-request', REQUEST_STATUSES),
    recordSchema('contact-message', ['received']),
    recordSchema('loan-application', LOAN_STATUSES),
    z.object({
      kind: z.literal('card'),
      id: z.string(),
      status: z.enum(['active', 'frozen', 'closed']),
      url,
    }),
    z.object({ kind: z.literal('test'), url }),
  ]),
});
export type WebhookEventBody = z.infer<typeof webhookEvent>;
