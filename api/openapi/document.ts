import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { type Call, errorBody } from '../../data/contract/call.ts';
import { LIVE_PATH, LIVE_SINCE } from '../../data/contract/live.ts';
import { FIGURE_HEADERS, provenance } from '../../data/contract/provenance.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { VERIFICATION_STEPS, VERIFICATION_STEPS_PATH } from '../../data/contract/verification-steps.ts';
import { WALLET_SESSION_COOKIE } from '../../data/contract/wallet-session.ts';
import { isAdminRole } from '../../data/model/admin-roles.ts';

/** Where the document is served. */
export const OPENAPI_PATH = '/api/openapi.json';

type Document = ReturnType<typeof createDocument>;

const error = errorBody.meta({ id: 'Error' });

function errorResponse(description: string) {
  return { description, content: { 'application/json': { schema: error } } };
}

/** A list has no place for its age and slot: they are told in headers. */
const listHeaders = z.object({
  [FIGURE_HEADERS.state]: provenance.state,
  [FIGURE_HEADERS.asOf]: provenance.asOf,
  [FIGURE_HEADERS.slot]: provenance.slot.unwrap().describe('The Solana slot the list holds at.'),
});

/** `/api/vault/live-balance` → `getVaultLiveBalance`. */
export function operationId({ method, path }: Pick<Call, 'method' | 'path'>): string {
  const words = path.split(/[^a-z0-9]+/i).slice(2);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** What any call that changes something may answer before it is looked at; a call may say more of it. */
const OF_EVERY_WRITE = {
  400: 'The body is no JSON.',
  403: 'A page of another site sent it.',
  413: 'The body is too large.',
  415: 'The body is in an encoding that is not read.',
};

function bodyContent(body: z.ZodType, files: Call['files']) {
  if (files === undefined || !(body instanceof z.ZodObject)) return { 'application/json': { schema: body } };
  const parts = Object.entries(files).map(([name, what]) => [
    name,
    z.string().meta({ format: 'binary', description: `The ${what}: a PDF, JPEG or PNG.` }),
  ]);
  return { 'multipart/form-data': { schema: body.extend(Object.fromEntries(parts)) } };
}

function operation(call: Call) {
  const headers = call.live && call.response instanceof z.ZodArray ? { headers: listHeaders } : {};
  const told = call.method === 'POST' ? { ...OF_EVERY_WRITE, ...call.errors } : call.errors;
  const errors = Object.entries(told).map(([status, why]) => [status, errorResponse(why)]);
  return {
    operationId: operationId(call),
    summary: call.summary,
    ...(call.query ? { requestParams: { query: call.query } } : {}),
    ...(call.body ? { requestBody: { required: true, content: bodyContent(call.body, call.files) } } : {}),
    ...(call.access === 'wallet-owner' ? { security: [{ walletSession: [] }] } : {}),
    ...(isAdminRole(call.access) ? { security: [{ adminSession: [] }] } : {}),
    responses: {
      '200': {
        description: call.live
          ? 'The figure. Served with an ETag: ask with If-None-Match and get 304 while it is the same.'
          : 'The answer.',
        ...headers,
        content: { [call.mediaType ?? 'application/json']: { schema: call.response } },
      },
      ...(call.live
        ? { '304': { description: 'The bytes named by If-None-Match still hold.', ...headers } }
        : {}),
      ...Object.fromEntries(errors),
    },
  };
}

const streamOperation = {
  operationId: operationId({ method: 'GET', path: LIVE_PATH }),
  summary: 'Every live figure, pushed when it changes',
  description:
    'Server-sent events. `change`: `{version, bodies, announced, missing}`, the full body of each call that changed, by ' +
    'path, and the paths of long ones that changed and are to be asked for; the first one holds every call. `fresh`: when the sources were last read, also the heartbeat. Open again with ' +
    '`Last-Event-ID`, or the version in the query, to be sent only what was missed.',
  parameters: [
    {
      name: LIVE_SINCE,
      in: 'query' as const,
      description: 'The version that the client holds.',
      schema: { type: 'integer' as const, minimum: 0 },
    },
  ],
  responses: {
    '200': {
      description: 'The stream.',
      content: { 'text/event-stream': { schema: { type: 'string' as const } } },
    },
    '429': errorResponse('Too many streams are open from this address.'),
    '503': errorResponse('No stream is free.'),
  },
};

const stepsOperation = {
  operationId: operationId({ method: 'GET', path: VERIFICATION_STEPS_PATH }),
  summary: `${verifyBdTokens.summary}, told step by step`,
  description:
    `Server-sent events. \`step\`: \`{step}\`, one of ${VERIFICATION_STEPS.join(', ')}, each when it has happened; the ` +
    `token accounts are read only where there is no open stake entry. Then \`result\`, the body of ${verifyBdTokens.path}, ` +
    'or `failure`: `{status, error, code}`, what that call would have answered. The stream ends itself. What is refused ' +
    'before the chain was asked is refused with its status, as by that call.',
  requestParams: { query: verifyBdTokens.query },
  responses: {
    '200': streamOperation.responses['200'],
    ...Object.fromEntries(
      Object.entries(verifyBdTokens.errors).map(([status, why]) => [status, errorResponse(why)]),
    ),
  },
};

/** The OpenAPI 3.1 document of the calls, from their schemas. */
export function openApiDocument(calls: readonly Call[], version: string): Document {
  const paths: Record<
    string,
    Record<string, ReturnType<typeof operation> | typeof streamOperation | typeof stepsOperation>
  > = {
    [LIVE_PATH]: { get: streamOperation },
    [VERIFICATION_STEPS_PATH]: { get: stepsOperation },
  };
  for (const call of calls) {
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operation(call) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'BlackDuck portal',
      version,
      description:
        'Live figures of the BD token, read from Solana. Amounts are decimal text, exact to the base unit. A figure whose ' +
        'source was never read answers 503 with Retry-After; one whose source went silent goes on answering what was ' +
        'read last, with its asOf, and with the state ageing, then stale. Nothing unknown is ever told as 0.',
    },
    components: {
      securitySchemes: {
        walletSession: {
          type: 'apiKey',
          in: 'cookie',
          name: WALLET_SESSION_COOKIE,
          description: 'Set by POST /api/wallet/proof.',
        },
        adminSession: {
          type: 'http',
          scheme: 'bearer',
          description: 'The sessionId that POST /api/admin/login answers.',
        },
      },
    },
    paths,
  });
}
