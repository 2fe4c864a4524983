// @module-tag slow
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mapRateLimits, rateLimits } from '../../data/config/rate-limits.ts';
import { adminSetup } from '../../data/contract/admin-session.ts';
import { type Call, errorBody, errorsOf, isPublicRead } from '../../data/contract/call.ts';
import { CALL_GROUPS, CALLS } from '../../data/contract/calls.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { ERRORS } from '../../data/contract/errors.ts';
import { history } from '../../data/contract/history.ts';
import { loanNoteDocument } from '../../data/contract/loan-note-document.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { walletPosition } from '../../data/contract/position.ts';
import { availableForStake, stakeProgress } from '../../data/contract/stake-order.ts';
import { applyForLoan, submitApplicationV2 } from '../../data/contract/submissions.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { stakeHistory, walletHistory, walletHistoryExport } from '../../data/contract/wallet-history.ts';
import { walletName } from '../../data/contract/wallet-name.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../data/contract/webhook-event.ts';
import { openApiDocument } from '../../data/openapi/document.ts';
import { operationId } from '../../data/openapi/named-schemas.ts';
import { webhookBody } from '../delivery/webhooks/webhook-body.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal } from '../testing/test-portal.ts';

/** The parts of OpenAPI 3.1 that the portal uses (https://spec.openapis.org/oas/v3.1.0). */
const responseSchema = z.object({
  description: z.string().min(1),
  headers: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
  content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
});
const operationSchema = z.object({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]*$/),
  summary: z.string().min(1),
  tags: z.tuple([z.string()]),
  security: z.array(z.record(z.string(), z.tuple([]))),
  'x-rate-limit': z.object({ limit: z.int().positive(), per: z.literal('minute') }).optional(),
  parameters: z.array(z.record(z.string(), z.unknown())).optional(),
  requestBody: z
    .object({
      required: z.literal(true),
      content: z.partialRecord(
        z.enum(['application/json', 'multipart/form-data']),
        z.object({ schema: z.record(z.string(), z.unknown()) }),
      ),
    })
    .optional(),
  responses: z.record(z.string().regex(/^([1-5]\d\d|default)$/), responseSchema),
});
const documentSchema = z.object({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.object({ title: z.string().min(1), version: z.string().min(1) }),
  servers: z.tuple([z.object({ url: z.string().min(1) })]),
  tags: z.array(z.object({ name: z.string().min(1), description: z.string().min(1) })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post']), operationSchema)),
  webhooks: z.object({
    event: z.object({
      post: operationSchema.extend({
        responses: z.record(z.string(), z.object({ description: z.string() })),
      }),
    }),
  }),
  components: z.object({
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
    securitySchemes: z.record(z.string(), z.object({ type: z.string(), name: z.string().optional() })),
  }),
});

const documentFor = (apiOrigin: string | null, limits = rateLimits()) =>
  documentSchema.parse(
    JSON.parse(JSON.stringify(openApiDocument(CALL_GROUPS, { version: '1.2.3', apiOrigin, limits }))),
  );
const builtDocument = documentFor(null);
const operations = Object.values(builtDocument.paths).flatMap((item) => Object.values(item));

const operationOf = ({ method, path }: Pick<Call, 'method' | 'path'>) =>
  builtDocument.paths[path]?.[method === 'GET' ? 'get' : 'post'];

function referencesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  );
}

const SCHEMAS = '#/components/schemas/';

function resolveReferences(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(resolveReferences);
  const { $ref, ...rest } = part as Record<string, unknown>;
  const target = typeof $ref === 'string' ? builtDocument.components.schemas[$ref.slice(SCHEMAS.length)] : {};
  return Object.fromEntries(
    Object.entries({ ...target, ...rest }).map(([key, value]) => [key, resolveReferences(value)]),
  );
}
const resolveSchema = (schema: unknown) => z.record(z.string(), z.unknown()).parse(resolveReferences(schema));
const zodOf = (schema: unknown) => z.fromJSONSchema(resolveSchema(schema));

describe('the OpenAPI document', () => {
  it('lists exactly the calls of the contract and the streams', () => {
    const listedCalls = Object.entries(builtDocument.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = [
      ...CALLS,
      { method: 'GET', path: PATHS.live },
      { method: 'GET', path: PATHS.adminLive },
      { method: 'GET', path: PATHS.verificationSteps },
    ].map(({ method, path }) => `${method} ${path}`);
    expect(listedCalls.sort()).toEqual(expected.sort());
    expect(builtDocument.info.version).toBe('1.2.3');
  });

  it('gives each call a unique id', () => {
    expect(operationId({ method: 'GET', path: '/api/vault/live-balance' })).toBe('getVaultLiveBalance');
    const ids = operations.map((call) => call.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers to each of its schemas, and to no other', () => {
    const schemas = Object.keys(builtDocument.components.schemas).map((name) => SCHEMAS + name);
    expect([...new Set(referencesIn(builtDocument))].toSorted()).toEqual(schemas.toSorted());
  });

  it('has a named schema for each JSON body, and for the parts that bodies share', () => {
    for (const call of CALLS.filter(({ mediaType }) => mediaType === undefined)) {
      const { responses, requestBody } = operationOf(call) ?? {};
      for (const content of [requestBody?.content, responses?.['200']?.content]) {
        const { schema } = content?.['application/json'] ?? {};
        if (schema) expect(Object.keys(schema), call.path).toEqual(['$ref']);
      }
    }
    const names = Object.keys(builtDocument.components.schemas);
    expect(names).toEqual(
      expect.arrayContaining(['DecimalText', 'GetVaultLiveBalanceResponse', 'TransactionRow']),
    );
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name) || name.endsWith('Output'))).toEqual([]);
  });

  it('describes the webhook event as the portal sends it, and allows no unknown type', () => {
    const { requestBody, parameters } = builtDocument.webhooks.event.post;
    expect(parameters).toMatchObject([{ in: 'header', name: WEBHOOK_SIGNATURE_HEADER }]);
    const eventSchema = zodOf(requestBody?.content['application/json']?.schema);
    const body = webhookBody(
      {
        ...{ id: '', endpointId: '', eventId: 'evt_1', event: 'loan.decided', status: 'approved' },
        ...{ referenceNumber: 'BD-20260102-123456', createdAt: TEST_START },
      },
      'https://portal.example.com',
    );
    expect(eventSchema.safeParse(JSON.parse(body)).success).toBe(true);
    expect(eventSchema.safeParse({ ...JSON.parse(body), type: 'loan.lost' }).success).toBe(false);
  });

  it('is built without registering ids for the contract’s own schemas', () => {
    expect(z.globalRegistry.get(history.response)?.id).toBeUndefined();
  });

  it('gives examples that match their schemas', () => {
    const withExamples = Object.entries(builtDocument.components.schemas).filter(
      ([, { examples }]) => examples,
    );
    expect(withExamples.map(([name]) => name).toSorted()).toEqual([
      'Address',
      'DecimalText',
      'Moment',
      'ReferenceNumber',
      'Signature',
    ]);
    for (const [name, { examples, ...schema }] of withExamples) {
      expect(z.array(zodOf(schema)).min(1).safeParse(examples).error, name).toBeUndefined();
    }
  });

  it('has a tag for each call, and a call for each tag', () => {
    expect([...new Set(operations.flatMap(({ tags }) => tags))].toSorted()).toEqual(
      builtDocument.tags.map(({ name }) => name).toSorted(),
    );
  });

  it('says for each call what it needs: a session, a signature or nothing', () => {
    const schemes = Object.keys(builtDocument.components.securitySchemes);
    const usedSchemes = operations.flatMap(({ security }) => security.flatMap((entry) => Object.keys(entry)));
    expect([...new Set(usedSchemes)].toSorted()).toEqual(schemes.toSorted());
    for (const call of CALLS) {
      const isOpen = call.access === undefined || call.access === 'anyone';
      const security = operationOf(call)?.security ?? [];
      const needsNothing = security.length === 0 || security.some((entry) => Object.keys(entry).length === 0);
      expect(needsNothing, call.path).toBe(isOpen);
    }
  });

  it('describes a client error (4xx) for each call', () => {
    for (const { operationId: id, responses } of operations) {
      expect(
        Object.keys(responses).filter((status) => status.startsWith('4')),
        id,
      ).not.toEqual([]);
    }
  });

  it('states the rate limit of each public read as the portal enforces it', async () => {
    let number = 1;
    const distinctLimits = mapRateLimits(() => number++);
    const { paths: pathsWithDistinctLimits } = documentFor(null, distinctLimits);
    const statedLimits = new Set(
      Object.values(pathsWithDistinctLimits).map(({ get }) => get?.['x-rate-limit']?.limit),
    );
    // The stated limits are low, so that a few requests are enough to reach them. They are all different, and the other
    // limits are high, so that the test notices if a call has the limit of another call.
    let next = 1;
    const distinct = mapRateLimits((name) =>
      name !== 'calls' && statedLimits.has(distinctLimits[name]) ? next++ : 1_000_000,
    );
    const limits = { ...distinct, calls: next };
    const portal = await startTestPortal({ rateLimits: limits });
    const documentAnswer = await ask(portal.port, PATHS.openApi);
    const { paths } = JSON.parse(documentAnswer.body);
    const reads = CALLS.filter((call) => isPublicRead(call));
    for (const [networkIndex, { path }] of reads.entries()) {
      const headers = { 'X-Forwarded-For': `192.0.2.${networkIndex + 1}` };
      const allowed = paths[path].get['x-rate-limit']?.limit ?? next;
      for (let count = 1; count <= allowed; count += 1)
        expect((await ask(portal.port, path, { headers })).status, path).not.toBe(429);
      const isLimited = paths[path].get['x-rate-limit'] !== undefined;
      expect((await ask(portal.port, path, { headers })).status === 429, path).toBe(isLimited);
    }
    await portal.close();
  });

  it('names the public origin as its server, or else the origin that serves the document', () => {
    const { servers, components } = documentFor('https://portal.example.com');
    expect(servers[0].url).toBe('https://portal.example.com');
    expect(components.securitySchemes.walletSession?.name).toMatch(/^__Host-/);
    expect(builtDocument.servers[0].url).toBe('/');
  });

  it('lists the headers that a call reads', () => {
    const header = { in: 'header', name: PATHS.IDEMPOTENCY_HEADER };
    expect(operationOf(submitApplicationV2)?.parameters).toMatchObject([header]);
    expect(operationOf(adminSetup)?.parameters).toMatchObject([
      { in: 'header', name: PATHS.SETUP_TOKEN_HEADER },
    ]);
  });

  it('describes every error of a call under its status', () => {
    for (const call of CALLS) {
      const responses = operationOf(call)?.responses ?? {};
      for (const code of errorsOf(call)) {
        expect(responses[ERRORS[code][0]]?.description, `${call.path} ${code}`).toContain(`\`${code}\``);
      }
    }
    const schema = builtDocument.components.schemas.Error ?? {};
    const rejection = { success: false, error: 'text', code: 'code' };
    expect(zodOf(schema).parse(rejection)).toEqual(errorBody.parse(rejection));
  });

  it('lists query parameters with their allowed values', () => {
    const { parameters } = builtDocument.paths[history.path]?.get ?? {};
    expect(parameters).toMatchObject([
      {
        name: 'series',
        in: 'query',
        required: true,
        schema: { enum: ['vault', 'staked', 'stakers', 'price', 'volume', 'network'] },
      },
      { name: 'range', in: 'query', required: true, schema: { enum: ['24h', '7d', '30d', 'all'] } },
    ]);
  });

  it('describes request bodies as clients send them', () => {
    for (const call of CALLS) {
      const type = call.files ? 'multipart/form-data' : 'application/json';
      const bodySchema = operationOf(call)?.requestBody?.content[type]?.schema;
      expect(bodySchema !== undefined, call.path).toBe(call.body !== undefined);
    }
    const form = resolveSchema(
      operationOf(submitApplicationV2)?.requestBody?.content['application/json']?.schema,
    );
    expect(form).toMatchObject({ type: 'object', additionalProperties: false });
    const required = ['alias', 'bd_amount', 'email', 'name', 'phone', 'tier', 'wallet'];
    expect([form.required].flat().toSorted()).toEqual(required);
    const formSchema = operationOf(applyForLoan)?.requestBody?.content['multipart/form-data']?.schema;
    expect(formSchema).toMatchObject({
      properties: { passportCopy: { type: 'string', format: 'binary' }, country: { type: 'string' } },
      required: expect.arrayContaining(['name', 'passportCopy', 'utilityBill']),
    });
  });

  it('states the media type of files', () => {
    const content = operationOf(loanNoteDocument)?.responses['200']?.content;
    expect(content).toEqual({ 'application/pdf': { schema: { type: 'string', format: 'binary' } } });
  });

  it('matches the responses that the portal serves', async () => {
    const index = new FakeIndex();
    index.storedStakes = manyStakes(3);
    index.points.set('vault/minute', [{ at: TEST_START, value: '5' }]);
    const portal = await startTestPortal({ index });
    const queries = new Map<string, string>([
      [history.path, '?series=vault&range=24h'],
      [verifyBdTokens.path, `?walletAddress=${walletOf(1)}`],
      [cardEligibility.path, `?walletAddress=${walletOf(1)}`],
      [walletPosition.path, `?walletAddress=${walletOf(1)}`],
      [walletHistory.path, `?walletAddress=${walletOf(1)}`],
      [walletHistoryExport.path, `?walletAddress=${walletOf(1)}`],
      [stakeHistory.path, `?walletAddress=${walletOf(1)}`],
    ]);
    const servedDocument = documentSchema.parse(JSON.parse((await ask(portal.port, PATHS.openApi)).body));
    expect(Object.keys(servedDocument.paths)).toEqual(Object.keys(builtDocument.paths));
    // Other tests check the calls that write, that need access or a chain, or that return a file.
    const readable = CALLS.filter(
      ({ method, access, mediaType }) => method === 'GET' && access === undefined && mediaType === undefined,
    );
    const needChain: readonly string[] = [availableForStake.path, stakeProgress.path, walletName.path];
    for (const call of readable.filter(({ path }) => !needChain.includes(path))) {
      const schema = operationOf(call)?.responses['200']?.content?.['application/json']?.schema ?? {};
      const answer = await ask(portal.port, call.path + (queries.get(call.path) ?? ''));
      const body = JSON.parse(answer.body);
      expect(zodOf(schema).safeParse(body).error, call.path).toBeUndefined();
      expect(zodOf(schema).safeParse({ surely: 'not' }).success, call.path).toBe(false);
    }
    await portal.close();
  });

  it('describes the age headers of live lists as they are served, even with 304', async () => {
    const index = new FakeIndex();
    index.storedStakes = manyStakes(3);
    const portal = await startTestPortal({ index });
    const lists = CALLS.filter(({ live, response: body }) => live && body instanceof z.ZodArray);
    expect(lists.map(({ path }) => path)).toEqual(['/api/transactions', '/api/stakers/enhanced']);
    for (const { path } of lists) {
      const responses = builtDocument.paths[path]?.get?.responses;
      const fresh = await ask(portal.port, path);
      const repeated = await ask(portal.port, path, {
        headers: { 'If-None-Match': fresh.headers.etag ?? '' },
      });
      expect([fresh.status, repeated.status]).toEqual([200, 304]);
      for (const { status, headers } of [fresh, repeated]) {
        const describedHeaders = responses?.[String(status)]?.headers ?? {};
        expect(Object.keys(describedHeaders)).toEqual(['X-Figure-State', 'X-Figure-As-Of', 'X-Figure-Slot']);
        for (const [name, { schema }] of Object.entries(describedHeaders)) {
          const text = headers[name.toLowerCase()];
          const value = resolveSchema(schema).type === 'integer' ? Number(text) : text;
          expect(zodOf(schema).safeParse(value).error, name).toBeUndefined();
        }
      }
    }
    await portal.close();
  });
});
