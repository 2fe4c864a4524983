import fc from 'fast-check';
import { z } from 'zod';

interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

const SAMPLE_BY_FORMAT: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  'date-time': '2026-01-01T00:00:00.000Z',
  date: '1990-01-01',
  uri: 'https://example.com/',
  uuid: '0b0e0d9c-2a5f-4f0a-9a3e-6f1f0b7c9d11',
};

const TRIES = 300;

function textArbitrary({ format, pattern, allOf, minLength = 0, maxLength = minLength + 20 }: JsonSchema) {
  if (format !== undefined && SAMPLE_BY_FORMAT[format] !== undefined)
    return fc.constant(SAMPLE_BY_FORMAT[format]);
  const patternText = pattern ?? allOf?.find((part) => part.pattern !== undefined)?.pattern;
  if (patternText === undefined)
    return fc.string({ minLength, maxLength, unit: fc.constantFrom(...'abcXYZ019') });
  return fc.stringMatching(new RegExp(patternText, 'u'));
}

function valueArbitrary(
  schema: JsonSchema,
  knownValues: Readonly<Record<string, unknown>>,
): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueArbitrary(choice, knownValues)));
  switch (schema.type) {
    case 'string':
      return textArbitrary(schema);
    case 'integer':
    case 'number': {
      const min = Math.max(schema.minimum ?? 0, -1_000_000);
      return fc.integer({ min: Math.ceil(min), max: Math.min(schema.maximum ?? min + 1_000_000, 1e9) });
    }
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueArbitrary(schema.items ?? {}, knownValues), {
        minLength: schema.minItems ?? 1,
        maxLength: 3,
      });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      const values = fields.map(([name, field]) => [
        name,
        Object.hasOwn(knownValues, name)
          ? fc.constant(knownValues[name])
          : valueArbitrary(field, knownValues),
      ]);
      return fc.record(Object.fromEntries(values));
    }
    default:
      return fc.constant(null);
  }
}

/**
 * A valid body for a call, with all fields.
 * @param knownValues values by field name, for fields whose schema is not specific enough
 * @throws {Error} if no valid body is found; in that case, add one to `valid-body.ts`
 */
export function bodyFromSchema(schema: z.ZodType, knownValues: Readonly<Record<string, unknown>>): unknown {
  const jsonSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const bodies = fc.sample(valueArbitrary(jsonSchema, knownValues), { numRuns: TRIES, seed: 7 });
  const body = bodies.find((candidate) => schema.safeParse(candidate).success);
  if (body === undefined) throw new Error('No body was found for this schema. Write one in the test.');
  return body;
}
