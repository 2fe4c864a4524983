import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorBody } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { LIVE_PATH } from '../../data/contract/live.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { OPENAPI_PATH, openApiDocument, operationId } from './document.ts';

/** The shape that OpenAPI 3.1 asks of the parts we use (https://spec.openapis.org/oas/v3.1.0). */
const response = z.object({
  description: z.string().min(1),
  content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
});
const operation = z.object({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]*$/),
  summary: z.string().min(1),
  responses: z.record(z.string().regex(/^([1-5]\d\d|default)$/), response),
});
const document = z.object({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.object({ title: z.string().min(1), version: z.string().min(1) }),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post']), operation)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

const written = document.parse(JSON.parse(JSON.stringify(openApiDocument(CALLS, '1.2.3'))));

function references(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : references(value),
  );
}

describe('the OpenAPI document', () => {
  it('has every call of the contract and the stream, and no other', () => {
    const listed = Object.entries(written.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = [...CALLS, { method: 'GET', path: LIVE_PATH }].map(
      ({ method, path }) => `${method} ${path}`,
    );
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
      const statuses = Object.keys(written.paths[call.path]?.get?.responses ?? {});
      expect(statuses).toEqual(expect.arrayContaining(['200', ...Object.keys(call.errors)]));
    }
    const schema = written.components.schemas.Error ?? {};
    const refused = { success: false, error: 'words', code: 'cause' };
    expect(z.fromJSONSchema(schema).parse(refused)).toEqual(errorBody.parse(refused));
  });

  it('describes what is really served: each answer keeps the schema that the served document gives it', async () => {
    const portal = await startTestPortal();
    const served = document.parse(JSON.parse((await ask(portal.port, OPENAPI_PATH)).body));
    for (const call of CALLS) {
      const schema =
        served.paths[call.path]?.get?.responses['200']?.content?.['application/json']?.schema ?? {};
      const body = JSON.parse((await ask(portal.port, call.path)).body);
      expect(z.fromJSONSchema(schema).safeParse(body).error, call.path).toBeUndefined();
      expect(z.fromJSONSchema(schema).safeParse({ surely: 'not' }).success, call.path).toBe(false);
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
