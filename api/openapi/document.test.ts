import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { submitApplicationV2 } from '../../data/contract/applications.ts';
import { type Call, errorBody } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { history } from '../../data/contract/history.ts';
import { LIVE_PATH } from '../../data/contract/live.ts';
import { applyForLoan } from '../../data/contract/loan.ts';
import { loanNoteDocument } from '../../data/contract/loan-note-document.ts';
import { walletPosition } from '../../data/contract/position.ts';
import { stakeProgress } from '../../data/contract/stake-order.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { VERIFICATION_STEPS_PATH } from '../../data/contract/verification-steps.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { OPENAPI_PATH, openApiDocument, operationId } from './document.ts';

/** The shape that OpenAPI 3.1 asks of the parts we use (https://spec.openapis.org/oas/v3.1.0). */
const response = z.object({
  description: z.string().min(1),
  headers: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
  content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
});
const operation = z.object({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]*$/),
  summary: z.string().min(1),
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
  responses: z.record(z.string().regex(/^([1-5]\d\d|default)$/), response),
});
const document = z.object({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.object({ title: z.string().min(1), version: z.string().min(1) }),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post']), operation)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

const written = document.parse(JSON.parse(JSON.stringify(openApiDocument(CALLS, '1.2.3'))));

/** What a document says of a call. */
function operationOf({ paths }: z.output<typeof document>, { method, path }: Pick<Call, 'method' | 'path'>) {
  return paths[path]?.[method === 'GET' ? 'get' : 'post'];
}
const writtenOf = (call: Pick<Call, 'method' | 'path'>) => operationOf(written, call);

function references(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : references(value),
  );
}

describe('the OpenAPI document', () => {
  it('has every call of the contract and the streams, and no other', () => {
    const listed = Object.entries(written.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = [
      ...CALLS,
      { method: 'GET', path: LIVE_PATH },
      { method: 'GET', path: VERIFICATION_STEPS_PATH },
    ].map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).toEqual(expected.sort());
    expect(written.info.version).toBe('1.2.3');
  });

  it('names each call by its own id', () => {
    expect(operationId({ method: 'GET', path: '/api/vault/live-balance' })).toBe('getVaultLiveBalance');
    const ids = Object.values(written.paths).flatMap((item) =>
      Object.values(item).map((call) => call?.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers to nothing that it does not hold', () => {
    for (const reference of references(written)) {
      expect(Object.keys(written.components.schemas).map((name) => `#/components/schemas/${name}`)).toContain(
        reference,
      );
    }
  });

  it('tells of every status that a call may answer', () => {
    for (const call of CALLS) {
      const statuses = Object.keys(writtenOf(call)?.responses ?? {});
      expect(statuses).toEqual(expect.arrayContaining(['200', ...Object.keys(call.errors)]));
      // Bodies and origins are looked at before the call is.
      const ofWrites = call.method === 'POST' ? ['400', '403', '413', '415', '429'] : [];
      expect(statuses, call.path).toEqual(expect.arrayContaining(ofWrites));
    }
    const schema = written.components.schemas.Error ?? {};
    const refused = { success: false, error: 'words', code: 'cause' };
    expect(z.fromJSONSchema(schema).parse(refused)).toEqual(errorBody.parse(refused));
  });

  it('lists the parameters of a call’s query, with their values', () => {
    const { parameters } = written.paths[history.path]?.get ?? {};
    expect(parameters).toMatchObject([
      {
        name: 'series',
        in: 'query',
        required: true,
        schema: { enum: ['vault', 'staked', 'stakers', 'price'] },
      },
      { name: 'range', in: 'query', required: true, schema: { enum: ['24h', '7d', '30d', 'all'] } },
    ]);
  });

  it('describes the body of each call that takes one, as a client writes it', () => {
    for (const call of CALLS) {
      const type = call.files ? 'multipart/form-data' : 'application/json';
      const described = writtenOf(call)?.requestBody?.content[type]?.schema;
      expect(described !== undefined, call.path).toBe(call.body !== undefined);
    }
    const form = writtenOf(submitApplicationV2)?.requestBody?.content['application/json']?.schema;
    expect(form).toMatchObject({ type: 'object', additionalProperties: false });
    expect(form?.required).toEqual(['name', 'email', 'wallet', 'bd_amount', 'tier', 'phone', 'alias']);
    const parts = writtenOf(applyForLoan)?.requestBody?.content['multipart/form-data']?.schema;
    expect(parts).toMatchObject({
      properties: { passportCopy: { type: 'string', format: 'binary' }, country: { type: 'string' } },
      required: expect.arrayContaining(['name', 'passportCopy', 'utilityBill']),
    });
  });

  it('says of a call that answers a file what kind of file it is', () => {
    const content = writtenOf(loanNoteDocument)?.responses['200']?.content;
    expect(content).toEqual({ 'application/pdf': { schema: { type: 'string', format: 'binary' } } });
  });

  it('describes what is really served: each answer keeps the schema that the served document gives it', async () => {
    const index = new FakeIndex();
    index.held = manyStakes(3);
    index.points.set('vault/minute', [{ at: TEST_START, value: '5' }]);
    const portal = await startTestPortal({ index });
    const queries = new Map<string, string>([
      [history.path, '?series=vault&range=24h'],
      [verifyBdTokens.path, `?walletAddress=${walletOf(1)}`],
      [cardEligibility.path, `?walletAddress=${walletOf(1)}`],
      [walletPosition.path, `?walletAddress=${walletOf(1)}`],
    ]);
    const served = document.parse(JSON.parse((await ask(portal.port, OPENAPI_PATH)).body));
    // Those that change something, ask who calls, need a chain or answer a file are held to their contracts by tests of their own.
    const readable = CALLS.filter(
      ({ method, access, mediaType }) => method === 'GET' && access === undefined && mediaType === undefined,
    );
    for (const call of readable.filter(({ path }) => path !== stakeProgress.path)) {
      const schema = operationOf(served, call)?.responses['200']?.content?.['application/json']?.schema ?? {};
      const answer = await ask(portal.port, call.path + (queries.get(call.path) ?? ''));
      const body = JSON.parse(answer.body);
      expect(z.fromJSONSchema(schema).safeParse(body).error, call.path).toBeUndefined();
      expect(z.fromJSONSchema(schema).safeParse({ surely: 'not' }).success, call.path).toBe(false);
    }
    await portal.close();
  });

  it('names the headers by which a live list tells its age, which are served, with 304 too', async () => {
    const index = new FakeIndex();
    index.held = manyStakes(3);
    const portal = await startTestPortal({ index });
    const lists = CALLS.filter(({ live, response: body }) => live && body instanceof z.ZodArray);
    expect(lists.map(({ path }) => path)).toEqual(['/api/transactions', '/api/stakers/enhanced']);
    for (const { path } of lists) {
      const responses = written.paths[path]?.get?.responses;
      const fresh = await ask(portal.port, path);
      const again = await ask(portal.port, path, { headers: { 'If-None-Match': fresh.headers.etag ?? '' } });
      expect([fresh.status, again.status]).toEqual([200, 304]);
      for (const { status, headers } of [fresh, again]) {
        const described = responses?.[String(status)]?.headers ?? {};
        expect(Object.keys(described)).toEqual(['X-Figure-State', 'X-Figure-As-Of', 'X-Figure-Slot']);
        for (const [name, { schema }] of Object.entries(described)) {
          const text = headers[name.toLowerCase()];
          const told = schema.type === 'integer' ? Number(text) : text;
          expect(z.fromJSONSchema(schema).safeParse(told).error, name).toBeUndefined();
        }
      }
    }
    await portal.close();
  });

  it('is served with a tag and answers 304 to who holds it', async () => {
    const portal = await startTestPortal();
    const { headers } = await ask(portal.port, OPENAPI_PATH);
    const again = await ask(portal.port, OPENAPI_PATH, { headers: { 'If-None-Match': headers.etag ?? '' } });
    expect(again.status).toBe(304);
    await portal.close();
  });
});
