import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorsOf, isPublicRead } from '../../data/contract/call.ts';
import { CALL_GROUPS, CALLS } from '../../data/contract/calls.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { badgeSnippet, widgetSnippet } from '../components/developers/embed-snippet.ts';
import { type ApiDocument, apiDocument } from './api-document.ts';
import { apiReference, exampleOf, fieldRows, readableType } from './reference.ts';

const document = apiDocument();
const { groups, others } = apiReference(document);
const listedCalls = groups.flatMap(({ calls }) => calls);
const reads = CALLS.filter(isPublicRead);
const findListedCall = (path: string) => listedCalls.find((call) => call.path === path);

describe('the reference', () => {
  it('has each public read and each event stream once, in its group', () => {
    const expected = [...reads.map(({ path }) => path), PATHS.live, PATHS.verificationSteps];
    expect(listedCalls.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
    for (const { name, calls } of groups) {
      const known = CALL_GROUPS.find((group) => group.name === name)?.calls.map(({ path }) => path) ?? [];
      for (const { path } of calls)
        if (findListedCall(path)?.media !== 'text/event-stream') expect(known).toContain(path);
    }
  });

  it('lists every other call, except those of the team', () => {
    const paths = new Set(reads.map(({ path }) => path));
    const expected = CALL_GROUPS.filter(({ name }) => !name.startsWith('Team'))
      .flatMap(({ calls }) => calls)
      .filter((call) => !paths.has(call.path));
    expect(others.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      expected.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    expect(others.some(({ path }) => path.startsWith('/api/admin'))).toBe(false);
  });

  it.each(reads.map((call) => [call.path, call] as const))(
    'describes %s as the contract defines it',
    (path, call) => {
      const found = findListedCall(path);
      const { example, rows, query, errors, parameters, limit, isRevalidated } = found ?? {};
      if (call.mediaType === undefined) {
        expect(call.response.safeParse(JSON.parse(example ?? '')).error).toBeUndefined();
        const body = call.response instanceof z.ZodArray ? call.response.element : call.response;
        if (body instanceof z.ZodObject)
          for (const field of Object.keys(body.shape))
            expect(rows?.map(({ name }) => name.replace(/^\[\]\./, ''))).toContain(field);
      }
      expect(rows?.filter(({ type }) => type === '')).toEqual([]);
      expect(call.query?.safeParse(Object.fromEntries(new URLSearchParams(query))).error).toBeUndefined();
      expect(parameters?.map(({ name }) => name)).toEqual(Object.keys(call.query?.shape ?? {}));
      expect(errors?.map(({ code }) => code).toSorted()).toEqual([...errorsOf(call)].toSorted());
      expect(errors?.filter(({ text }) => /[{}]/.test(text))).toEqual([]);
      expect([limit === null, isRevalidated]).toEqual([call.live !== undefined, call.live !== undefined]);
    },
  );
});

describe('a schema for readers', () => {
  const schemas: ApiDocument = {
    ...document,
    components: {
      schemas: {
        Point: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] },
        DecimalText: { type: 'string', pattern: 'x', examples: ['1.5'] },
      },
    },
  };
  const amount = { $ref: '#/components/schemas/DecimalText' };

  it('lists the fields of a nested list below the list itself', () => {
    const schema = {
      type: 'object',
      properties: {
        points: {
          type: 'array',
          items: { $ref: '#/components/schemas/Point' },
          description: 'Oldest first.',
        },
        sum: { anyOf: [amount, { type: 'null' }] },
      },
      required: ['points'],
    };
    expect(fieldRows(schema, schemas)).toEqual([
      { name: 'points', type: 'list', meaning: 'Oldest first.' },
      { name: 'points[].at', type: 'whole number', meaning: '' },
      { name: 'sum', type: 'decimal text or null (may be absent)', meaning: '' },
    ]);
    expect(exampleOf(schema, schemas)).toEqual({ points: [{ at: 1 }], sum: '1.5' });
  });

  it('has a readable type that lists its values', () => {
    expect(readableType({ enum: ['a', 'b'] }, schemas)).toBe('"a", "b"');
    expect(readableType({ type: 'array', items: { type: 'string' } }, schemas)).toBe('list of texts');
    expect(readableType({ type: ['boolean', 'null'] }, schemas)).toBe('boolean or null');
  });

  it('needs an example for text with a pattern, and a definition for a reference', () => {
    expect(() => exampleOf({ type: 'string', pattern: 'x' }, schemas)).toThrow();
    expect(() => exampleOf({ $ref: '#/components/schemas/Missing' }, schemas)).toThrow();
  });
});

describe('the code for other sites', () => {
  it('includes the theme and the figures only if they are not the default', () => {
    expect(badgeSnippet('https://a.example', 'price', 'auto')).toContain(
      'src="https://a.example/badge/price.svg"',
    );
    expect(badgeSnippet('https://a.example', 'price', 'dark')).toContain('price.svg?theme=dark"');
    const whole = widgetSnippet('https://a.example', ['vault', 'staked', 'stakers', 'price'], 'auto');
    expect(whole).toContain(`src="https://a.example${PATHS.figuresWidget}"`);
    expect(widgetSnippet('https://a.example', [], 'auto')).toBe(whole);
    expect(widgetSnippet('https://a.example', ['vault', 'price'], 'light')).toContain(
      '?theme=light&amp;figures=vault,price"',
    );
  });
});
