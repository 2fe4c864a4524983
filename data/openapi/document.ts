import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { type RateLimitName, type RateLimits, rateLimits } from '../config/rate-limits.ts';
import { type Call, errorBody, errorsOf, isPublicRead } from '../contract/call.ts';
import type { CallGroup } from '../contract/calls.ts';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import * as PATHS from '../contract/paths.ts';
import { provenance } from '../contract/provenance.ts';
import { VERIFICATION_STEPS, verifyBdTokens } from '../contract/verification.ts';
import { walletSessionCookie } from '../contract/wallet-session.ts';
import { WEBHOOK_SIGNATURE_HEADER, webhookEvent } from '../contract/webhook-event.ts';
import { isAdminRole } from '../model/admin-rules.ts';
import { WEBHOOK_LIMITS } from '../model/webhooks.ts';
import { operationId, withNamedSchemas } from './named-schemas.ts';

function errorResponse(codes: readonly ErrorCode[]) {
  const descriptions = codes.map((code) => `\`${code}\`: ${ERRORS[code][1].replace('{scope}', 'address')}`);
  return { description: descriptions.join('\n\n'), content: { 'application/json': { schema: errorBody } } };
}

function errorResponses(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => String(ERRORS[code][0]));
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, errorResponse(those)]));
}

/** A list's body is an array, so the age and the slot of the list are in headers. */
const listHeaders = z.object({
  [PATHS.FIGURE_HEADERS.state]: provenance.state,
  [PATHS.FIGURE_HEADERS.asOf]: provenance.asOf,
  [PATHS.FIGURE_HEADERS.slot]: provenance.slot
    .unwrap()
    .describe('The Solana slot at which the list was read.'),
});

function bodyContent(body: z.ZodType, files: Call['files']) {
  if (files === undefined || !(body instanceof z.ZodObject)) return { 'application/json': { schema: body } };
  const parts = Object.entries(files).map(([name, what]) => [
    name,
    z.string().meta({ format: 'binary', description: `The ${what}: a PDF, JPEG, PNG or WebP.` }),
  ]);
  return { 'multipart/form-data': { schema: body.extend(Object.fromEntries(parts)) } };
}

/**
 * The security requirements of a call. An empty list means that the call needs no credentials. An empty entry means that
 * credentials are optional.
 */
function securityOf({ access, usesWalletSession }: Call): Record<string, string[]>[] {
  if (access === 'wallet-owner') return [{ walletSession: [] }];
  if (access === 'issuer') return [{ issuerSignature: [] }];
  if (access === 'mail-server') return [{ mailSignature: [] }];
  if (isAdminRole(access)) return [{ adminSession: [] }];
  return usesWalletSession ? [{ walletSession: [] }, {}] : [];
}

const idempotencyKey = z
  .string()
  .optional()
  .describe('Identifies the submission, so that a retry does not submit it twice.');
const setupToken = z.string().optional().describe('The token from the setup link that the server printed.');

function headerParams({ errors = [] }: Call) {
  const headers: Record<string, z.ZodType> = {};
  if (errors.includes('invalid-idempotency-key')) headers[PATHS.IDEMPOTENCY_HEADER] = idempotencyKey;
  if (errors.includes('setup-link-needed')) headers[PATHS.SETUP_TOKEN_HEADER] = setupToken;
  return z.object(headers);
}

/** The public reads that have their own rate limit, in addition to `calls`. The API's routes use the same limits. */
const LIMIT_BY_PATH: ReadonlyMap<string, RateLimitName> = new Map([
  [PATHS.verifyBdTokens, 'verifications'],
  [PATHS.cardEligibility, 'verifications'],
  [PATHS.availableForStake, 'stake-balances'],
  [PATHS.stakeProgress, 'stake-progress'],
  [PATHS.walletName, 'names'],
  [PATHS.cardFunding, 'card-reads'],
  [PATHS.walletHistory, 'wallet-histories'],
  [PATHS.stakeHistory, 'wallet-histories'],
  [PATHS.walletHistoryExport, 'wallet-exports'],
]);

/**
 * The field in the OpenAPI document that says how often one IP address may make a call. Only public reads have it. Calls that are
 * answered from the cached snapshot have no limit.
 */
function rateLimitField(call: Call, limits: RateLimits) {
  if (!isPublicRead(call) || call.live) return {};
  return {
    'x-rate-limit': { limit: limits[LIMIT_BY_PATH.get(call.path) ?? 'calls'], per: 'minute' },
  } as const;
}

function operation(call: Call, tag: string, limits: RateLimits) {
  const headers = call.live && call.response instanceof z.ZodArray ? { headers: listHeaders } : {};
  return {
    operationId: operationId(call),
    tags: [tag],
    summary: call.summary,
    security: securityOf(call),
    ...rateLimitField(call, limits),
    requestParams: { header: headerParams(call), ...(call.query ? { query: call.query } : {}) },
    ...(call.body ? { requestBody: { required: true, content: bodyContent(call.body, call.files) } } : {}),
    responses: {
      '200': {
        description: call.live
          ? 'The figure, with an ETag. A request with If-None-Match gets 304 while the figure is the same.'
          : 'The answer.',
        ...headers,
        content: { [call.mediaType ?? 'application/json']: { schema: call.response } },
      },
      ...(call.live
        ? { '304': { description: 'The figure with the ETag in If-None-Match is current.', ...headers } }
        : {}),
      ...errorResponses(errorsOf(call)),
    },
  };
}

const streamOperation = {
  operationId: operationId({ method: 'GET', path: PATHS.live }),
  tags: ['Figures'],
  security: [],
  summary: 'Every live figure, pushed when it changes',
  description:
    'Server-sent events. `change`: `{version, bodies, announced, missing}`. `bodies` has the full body of each call that ' +
    'changed, by path; `announced` lists paths of long bodies to request; `missing` lists paths that now return 503. The ' +
    'first `change` has every call. `fresh`: when the sources were last read, also sent as a heartbeat. To resume, ' +
    'reconnect with `Last-Event-ID` or the version in the query.',
  parameters: [
    {
      name: PATHS.liveSince,
      in: 'query' as const,
      description: 'The version that the client has.',
      schema: { type: 'string' as const },
    },
  ],
  responses: {
    '200': {
      description: 'The stream.',
      content: { 'text/event-stream': { schema: { type: 'string' as const } } },
    },
    ...errorResponses(['too-many-requests', 'too-many-streams', 'streams-full']),
  },
};

const adminStreamOperation = {
  operationId: operationId({ method: 'GET', path: PATHS.adminLive }),
  tags: ['Team records'],
  security: [{ adminSession: [] }],
  summary: 'The team’s lists that changed, pushed when they change',
  description:
    'Server-sent events for a signed-in admin. `change`: `{lists}`, the lists to read again; the first one names all lists. The ' +
    'stream contains no record data and does not extend the session. It ends with the session. Read it with `fetch`: the ' +
    'session is a bearer token, which `EventSource` cannot send.',
  responses: {
    '200': streamOperation.responses['200'],
    ...errorResponses(['not-signed-in', 'not-allowed', 'too-many-requests', 'too-many-admin-streams']),
  },
};

const stepsOperation = {
  operationId: operationId({ method: 'GET', path: PATHS.verificationSteps }),
  tags: ['Wallets'],
  security: [],
  summary: `${verifyBdTokens.summary}, step by step`,
  description:
    `Server-sent events. \`step\`: \`{step}\`, one of ${VERIFICATION_STEPS.join(', ')}, sent when that step is done. The token ` +
    `accounts are read only if there is no open stake entry. Then \`result\`, the body of ${verifyBdTokens.path}, or ` +
    '`failure`: `{status, error, code}`, the error that this call would return. Then the stream ends. An error that occurs ' +
    'before the chain is read is returned with its status, without a stream.',
  requestParams: { query: verifyBdTokens.query },
  responses: {
    '200': streamOperation.responses['200'],
    ...errorResponses(errorsOf(verifyBdTokens)),
  },
};

const SIGNATURE_PARTS =
  '`t=` with the time in Unix seconds, then one or more `v1=`, each with the HMAC-SHA256, in hex, of the time, a full stop and the body.';

const webhookOperation = {
  operationId: 'receiveEvent',
  tags: ['Team channels'],
  security: [],
  summary: 'An event, sent to the endpoints that the team added',
  description: `Retried for ${WEBHOOK_LIMITS.retryDays} days, with the same id, until a 2xx response arrives.`,
  requestParams: {
    header: z.object({
      [WEBHOOK_SIGNATURE_HEADER]: z.string().describe(SIGNATURE_PARTS),
    }),
  },
  requestBody: { required: true, content: { 'application/json': { schema: webhookEvent } } },
  responses: {
    '2XX': { description: 'The event was received.' },
    '410': { description: 'The endpoint no longer wants events. The portal disables it.' },
  },
};

/**
 * Builds the OpenAPI 3.1 document for the calls from their schemas. If `apiOrigin` is null, the document's server is `/`: the
 * one that the document was loaded from.
 */
export function openApiDocument(
  groups: readonly CallGroup[],
  options: { readonly version: string; readonly apiOrigin: string | null; readonly limits?: RateLimits },
) {
  const { version, apiOrigin, limits = rateLimits() } = options;
  const calls = groups.flatMap((group) => group.calls.map((call) => ({ call, tag: group.name })));
  const byPath = Map.groupBy(calls, ({ call }) => call.path);
  const operations = [...byPath].map(([path, callsOfPath]) => [
    path,
    Object.fromEntries(
      callsOfPath.map(({ call, tag }) => [call.method.toLowerCase(), operation(call, tag, limits)]),
    ),
  ]);
  const build = () =>
    createDocument({
      openapi: '3.1.0',
      info: {
        title: 'BlackDuck portal',
        version,
        license: { name: 'MIT', identifier: 'MIT' },
        description:
          'Live figures of the BD token, read from Solana. Amounts are decimal text, exact to the base unit. A figure ' +
          'returns 503 with Retry-After until its source has been read. If the source then fails, the figure keeps its last ' +
          'value and asOf, and its state becomes ageing, then stale. An unknown value is null, never 0.',
      },
      servers: [{ url: apiOrigin ?? '/', description: 'This portal.' }],
      tags: groups.map(({ name, description }) => ({ name, description })),
      components: {
        securitySchemes: {
          walletSession: {
            type: 'apiKey',
            in: 'cookie',
            name: walletSessionCookie(apiOrigin),
            description: `Set by POST ${PATHS.walletProof}.`,
          },
          adminSession: {
            type: 'http',
            scheme: 'bearer',
            description: `The sessionId that POST ${PATHS.adminLogin} returns.`,
          },
          issuerSignature: {
            type: 'apiKey',
            in: 'header',
            name: 'Stripe-Signature',
            description: 'The card issuer’s signature over the body.',
          },
          mailSignature: {
            type: 'apiKey',
            in: 'header',
            name: WEBHOOK_SIGNATURE_HEADER,
            description: `${SIGNATURE_PARTS} Signed with INBOUND_WEBHOOK_SECRET.`,
          },
        },
      },
      paths: {
        [PATHS.live]: { get: streamOperation },
        [PATHS.adminLive]: { get: adminStreamOperation },
        [PATHS.verificationSteps]: { get: stepsOperation },
        ...Object.fromEntries(operations),
      },
      webhooks: { event: { post: webhookOperation } },
    });
  return withNamedSchemas(
    calls.map(({ call }) => call),
    build,
  );
}
