import { isPublicRead } from '../../data/contract/call.ts';
import { CALL_GROUPS, CALLS } from '../../data/contract/calls.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { openApiDocument } from '../../data/openapi/document.ts';
import packageJson from '../../package.json' with { type: 'json' };

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
  readonly 'x-rate-limit'?: { readonly limit: number };
}

export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The OpenAPI document for this version, with the default rate limits. */
export function apiDocument(): ApiDocument {
  const document = openApiDocument(CALL_GROUPS, { version: packageJson.version, apiOrigin: null });
  // Removes undefined fields, as the API does when it sends the document as JSON.
  return JSON.parse(JSON.stringify(document));
}

export interface PublicRead {
  readonly path: string;
  readonly operation: Operation;
  readonly media: string;
  readonly schema: Schema;
}

const STREAMS: readonly string[] = [PATHS.live, PATHS.verificationSteps];

/** The public reads in the order of the document's groups, followed by the event streams. */
export function publicReads({ paths }: ApiDocument): readonly PublicRead[] {
  const publicPaths = [...CALLS.filter(isPublicRead).map(({ path }) => path), ...STREAMS];
  return publicPaths.map((path) => {
    const operation = paths[path]?.get;
    const [[media, { schema }] = ['', { schema: {} }]] = Object.entries(
      operation?.responses['200']?.content ?? {},
    );
    if (!operation || media === '')
      throw new Error(`The OpenAPI document has no 200 response for GET ${path}.`);
    return { path, operation, media, schema };
  });
}

const REFERENCE_PREFIX = '#/components/schemas/';

/** The name of the schema that a schema refers to; null if it does not refer to one. */
export function referenceOf({ $ref }: Schema): string | null {
  return $ref === undefined ? null : $ref.slice(REFERENCE_PREFIX.length);
}

/**
 * Returns a schema itself or, if it is a reference, the schema that it refers to, with the description of the reference.
 * @throws {Error} if that schema does not exist
 */
export function resolveSchema(schema: Schema, { components }: ApiDocument): Schema {
  const name = referenceOf(schema);
  if (name === null) return schema;
  const target = components.schemas[name];
  if (!target) throw new Error(`The OpenAPI document has no schema ${name}.`);
  const { description = target.description } = schema;
  return description === undefined ? target : { ...target, description };
}

export const typesOf = ({ type = [] }: Schema): readonly string[] =>
  typeof type === 'string' ? [type] : type;
