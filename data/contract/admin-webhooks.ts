import { z } from 'zod';
import { SENDING_STATES } from '../model/delivery-states.ts';
import { TEST_EVENT, WEBHOOK_EVENT_TYPES, WEBHOOK_LIMITS, WEBHOOK_STATES } from '../model/webhooks.ts';
import { ownPassword, PASSWORD_ERRORS, successBody } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

const ID_MISSING = 'Set id to an id from the list.';
const id = z
  .string({ error: ID_MISSING })
  .regex(/^we_[0-9a-f]{16}$/, ID_MISSING)
  .describe('The id of an endpoint.');
const types = z
  .array(z.enum(WEBHOOK_EVENT_TYPES, { error: 'Set types to events from the list.' }), {
    error: 'Set types to a list of events.',
  })
  .min(1, 'Choose at least one event.')
  .max(WEBHOOK_EVENT_TYPES.length, 'List each event once.')
  .describe('The events that the endpoint gets.');
const secret = z.string().describe('The signing secret. It is shown only once.');

export const webhookEndpoints = {
  method: 'GET',
  path: PATHS.webhooks,
  summary: 'Every webhook endpoint, oldest first',
  access: 'owner',
  response: z.object({
    endpoints: z.array(
      z.object({
        id,
        url: z.string(),
        types,
        state: z
          .enum(WEBHOOK_STATES)
          .describe(
            `\`disabled\`: by the portal, because the receiver answered 410 or failed for ${WEBHOOK_LIMITS.retryDays} days.`,
          ),
        createdAt: moment,
        failingSince: moment
          .nullable()
          .describe(
            'When the first attempt after the last success failed; null if the latest attempt succeeded.',
          ),
        oldSecretUntil: moment
          .nullable()
          .describe('Until when events are also signed with the previous secret.'),
      }),
    ),
  }),
} as const satisfies Call;

export const webhookDeliveries = {
  method: 'GET',
  path: PATHS.webhookDeliveries,
  summary: 'The latest events for an endpoint, newest first',
  access: 'owner',
  query: z.object({ endpoint: id }),
  response: z.object({
    deliveries: z.array(
      z.object({
        id: z.string(),
        eventId: z.string(),
        type: z.enum([...WEBHOOK_EVENT_TYPES, TEST_EVENT]),
        referenceNumber: z
          .string()
          .nullable()
          .describe('The reference number, or the id of a card; null for a test event.'),
        createdAt: moment,
        state: z.enum(SENDING_STATES).describe('`dead`: not delivered, and not retried automatically.'),
        attempts: z.int(),
        nextAttemptAt: moment.nullable().describe('Null unless the event waits for an attempt.'),
        lastAttemptAt: moment.nullable(),
        code: z.string().nullable().describe('The HTTP status of the response, or the code of the error.'),
        response: z
          .string()
          .nullable()
          .describe(
            'The first characters of a response that refused the event, or why there was no response.',
          ),
        latencyMs: z.int().nullable(),
      }),
    ),
  }),
} as const satisfies Call;

export const addWebhook = {
  method: 'POST',
  path: PATHS.addWebhook,
  summary: 'Adds a webhook endpoint',
  access: 'owner',
  body: z.strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'Enter a URL that starts with https://.' })
      .max(WEBHOOK_LIMITS.url, `Use at most ${WEBHOOK_LIMITS.url} characters.`),
    types,
    ownPassword,
  }),
  response: z.object({ success: z.literal(true), id, secret }),
  errors: [...PASSWORD_ERRORS, 'webhook-url', 'too-many-webhooks'],
} as const satisfies Call;

const endpointCall = {
  method: 'POST',
  access: 'owner',
  body: z.strictObject({ id }),
  response: successBody,
} as const;

export const changeWebhook = {
  ...endpointCall,
  path: PATHS.changeWebhook,
  summary: 'Changes the events that an endpoint gets',
  body: z.strictObject({ id, types }),
  errors: ['no-such-webhook'],
} as const satisfies Call;

export const rollWebhookSecret = {
  ...endpointCall,
  path: PATHS.rollWebhookSecret,
  summary: `Replaces a signing secret. The old one stays valid for ${WEBHOOK_LIMITS.oldSecretHours} hours`,
  body: z.strictObject({ id, ownPassword }),
  response: z.object({ success: z.literal(true), secret }),
  errors: [...PASSWORD_ERRORS, 'no-such-webhook'],
} as const satisfies Call;

export const pauseWebhook = {
  ...endpointCall,
  path: PATHS.pauseWebhook,
  summary: 'Pauses an endpoint. It gets no events while it is paused',
  errors: ['no-such-webhook'],
} as const satisfies Call;

export const resumeWebhook = {
  ...endpointCall,
  path: PATHS.resumeWebhook,
  summary: 'Enables a paused or disabled endpoint',
  errors: ['no-such-webhook'],
} as const satisfies Call;

export const removeWebhook = {
  ...endpointCall,
  path: PATHS.removeWebhook,
  summary: 'Removes an endpoint and its events',
  errors: ['no-such-webhook'],
} as const satisfies Call;

export const testWebhook = {
  ...endpointCall,
  path: PATHS.testWebhook,
  summary: 'Sends a test event to an endpoint',
  errors: ['no-such-webhook', 'webhook-not-active'],
} as const satisfies Call;

export const retryWebhook = {
  ...endpointCall,
  path: PATHS.retryWebhook,
  summary: 'Sends an event again, with the same id',
  body: z.strictObject({
    delivery: z.string({ error: 'Set delivery to an id from the list.' }).max(200),
  }),
  errors: ['webhook-not-retryable'],
} as const satisfies Call;
