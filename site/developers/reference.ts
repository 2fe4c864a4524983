import {
  type ApiDocument,
  type Operation,
  type PublicRead,
  publicReads,
  referenceOf,
  resolveSchema,
  type Schema,
  typesOf,
} from './api-document.ts';

interface FieldRow {
  /** Such as `growth[].hours`. */
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

const SCHEMA_TEXTS: Readonly<Record<string, string>> = {
  Moment: 'time (ISO 8601, UTC)',
  DecimalText: 'decimal text',
  Address: 'address',
  Signature: 'signature',
};

const TYPE_TEXTS: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number' };

const isNull = ({ type }: Schema) => type === 'null';

/** The type of a value as text, such as `decimal text or null`. */
export function readableType(schema: Schema, document: ApiDocument): string {
  const name = referenceOf(schema);
  if (name !== null && SCHEMA_TEXTS[name]) return SCHEMA_TEXTS[name];
  const { anyOf, const: constant, enum: values, items, ...rest } = resolveSchema(schema, document);
  if (anyOf) return anyOf.map((one) => readableType(one, document)).join(' or ');
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return values.map((value) => JSON.stringify(value)).join(', ');
  if (items)
    return items.anyOf || resolveSchema(items, document).properties
      ? 'list'
      : `list of ${readableType(items, document)}s`;
  return typesOf(rest)
    .map((type) => TYPE_TEXTS[type] ?? type)
    .join(' or ');
}

/** One row per field. The fields of a nested object or list follow the row for that object or list. */
export function fieldRows(schema: Schema, document: ApiDocument, prefix = ''): readonly FieldRow[] {
  const { anyOf, items, properties = {}, required = [] } = resolveSchema(schema, document);
  if (anyOf) return anyOf.flatMap((one) => fieldRows(one, document, prefix));
  if (items) return fieldRows(items, document, `${prefix}[]`);
  return Object.entries(properties).flatMap(([field, value]) => {
    const name = prefix === '' ? field : `${prefix}.${field}`;
    const meaning = resolveSchema(value, document).description ?? '';
    const type = readableType(value, document) + (required.includes(field) ? '' : ' (may be absent)');
    return [{ name, type, meaning }, ...fieldRows(value, document, name)];
  });
}

/** @throws {Error} if text has a pattern but no example */
export function exampleOf(schema: Schema, document: ApiDocument): unknown {
  const resolved = resolveSchema(schema, document);
  const [example] = schema.examples ?? resolved.examples ?? [];
  if (example !== undefined) return example;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum) return resolved.enum[0];
  if (resolved.anyOf) return exampleOf(resolved.anyOf.find((one) => !isNull(one)) ?? {}, document);
  if (resolved.items) return [exampleOf(resolved.items, document)];
  const [type, ...others] = typesOf(resolved);
  if (others.includes('null')) return null;
  if (type === 'object') {
    const fields = Object.entries(resolved.properties ?? {});
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, document)]));
  }
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number')
    return Math.max(resolved.minimum ?? 0, (resolved.exclusiveMinimum ?? 0) + 1);
  if (resolved.pattern === undefined && type === 'string') return 'text';
  throw new Error(`The schema ${JSON.stringify(schema)} needs an example.`);
}

interface ErrorRow {
  readonly status: string;
  readonly code: string;
  readonly text: string;
}

function errorRows({ responses }: Operation): readonly ErrorRow[] {
  return Object.entries(responses)
    .filter(([status]) => status >= '400')
    .flatMap(([status, { description }]) =>
      [...description.matchAll(/^`([\w-]+)`: (.*)$/gm)].map(([, code = '', text = '']) => ({
        status,
        code,
        text,
      })),
    );
}

interface ParameterField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly meaning: string;
  readonly type: string;
  /** The allowed values; empty if any text that matches the pattern is allowed. */
  readonly choices: readonly string[];
  readonly pattern: string | undefined;
}

function parameterFields({ parameters = [] }: Operation, document: ApiDocument): readonly ParameterField[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required = false, description = '', schema }) => ({
      name,
      isRequired: required,
      meaning: description,
      type: readableType(schema, document),
      choices: (resolveSchema(schema, document).enum ?? []).map(String),
      pattern: resolveSchema(schema, document).pattern,
    }));
}

export interface ReferenceCall {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly media: string;
  readonly parameters: readonly ParameterField[];
  /** The query of an example request, including the `?`; empty if no parameter is required. */
  readonly query: string;
  readonly rows: readonly FieldRow[];
  /** JSON; null for a response in another format. */
  readonly example: string | null;
  readonly errors: readonly ErrorRow[];
  /** Whether the call supports ETags: it answers 304 while the response is unchanged. */
  readonly isRevalidated: boolean;
  /** Calls per minute from one IP address; null if there is no limit. */
  readonly limit: number | null;
}

function referenceCall({ path, operation, media, schema }: PublicRead, document: ApiDocument): ReferenceCall {
  const parameters = parameterFields(operation, document);
  const query = new URLSearchParams(
    (operation.parameters ?? [])
      .filter(({ required }) => required)
      .map((parameter) => [parameter.name, String(exampleOf(parameter.schema, document))]),
  );
  const isJson = media === 'application/json';
  return {
    id: operation.operationId,
    path,
    summary: operation.summary,
    description: operation.description,
    media,
    parameters,
    query: query.size === 0 ? '' : `?${query}`,
    rows: isJson ? fieldRows(schema, document) : [],
    example: isJson ? JSON.stringify(exampleOf(schema, document), null, 2) : null,
    errors: errorRows(operation),
    isRevalidated: operation.responses['304'] !== undefined,
    limit: operation['x-rate-limit']?.limit ?? null,
  };
}

/** A call that needs a session or sends data. The reference lists it on one line. */
interface OtherCall {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly requirement: string;
}

const REQUIREMENT_TEXTS: Readonly<Record<string, string>> = {
  walletSession: 'a wallet’s session',
  issuerSignature: 'the card issuer’s signature',
};

/**
 * The calls that visitors' pages and the card issuer make. The team's calls are left out, because only the admin area can
 * make them.
 */
function otherCalls(document: ApiDocument): readonly OtherCall[] {
  const publicPaths = new Set(publicReads(document).map(({ path }) => path));
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { summary, security, tags }]) => {
      if (tags[0].startsWith('Team') || (method === 'get' && publicPaths.has(path))) return [];
      const [scheme] = Object.keys(security[0] ?? {});
      const requirement = scheme === undefined ? 'nothing' : REQUIREMENT_TEXTS[scheme];
      return requirement === undefined ? [] : [{ method: method.toUpperCase(), path, summary, requirement }];
    }),
  );
}

export function apiReference(document: ApiDocument) {
  const reads = publicReads(document);
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    calls: reads
      .filter(({ operation }) => operation.tags[0] === name)
      .map((read) => referenceCall(read, document)),
  }));
  return {
    version: document.info.version,
    groups: groups.filter(({ calls }) => calls.length > 0),
    others: otherCalls(document),
  };
}
