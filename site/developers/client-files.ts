import { readFileSync } from 'node:fs';
import ts from 'typescript';
import {
  type ApiDocument,
  apiDocument,
  publicReads,
  referenceOf,
  type Schema,
  typesOf,
} from './api-document.ts';

const SOURCE = 'site/developers/portal-client.ts';

const comment = (text: string | undefined, indent = '') =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `${comment(field.description, inner)}${inner}readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeText(field, inner)};\n`,
  );
  return `{\n${fields.join('')}${indent}}`;
}

/** @throws {Error} if TypeScript has no type for the schema */
export function typeText(schema: Schema, indent = ''): string {
  const name = referenceOf(schema);
  if (name !== null) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((one) => typeText(one, indent)).join(' | ');
  if (schema.type === 'object') return objectType(schema, indent);
  if (schema.type === 'array' && schema.items) return `ReadonlyArray<${typeText(schema.items, indent)}>`;
  const types = typesOf(schema).map((type) => TYPE_NAMES[type]);
  if (types.length === 0 || types.includes(undefined))
    throw new Error(`There is no TypeScript type for the schema ${JSON.stringify(schema)}.`);
  return types.join(' | ');
}

function collectTypeNames(schema: Schema, document: ApiDocument, found: Set<string>): void {
  const name = referenceOf(schema);
  if (name !== null && !found.has(name)) {
    found.add(name);
    collectTypeNames(document.components.schemas[name] ?? {}, document, found);
  }
  const subschemas = [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})];
  for (const part of schema.items ? [...subschemas, schema.items] : subschemas)
    collectTypeNames(part, document, found);
}

/** The source of the interface `PublicReads`, which lists every public call that returns JSON, and of the types that it uses. */
function publicReadTypes(document: ApiDocument): string {
  const reads = publicReads(document).filter(({ media }) => media === 'application/json');
  const calls = reads.map(({ path, operation: { summary, parameters = [] }, schema }) => {
    const query = parameters.map(
      ({ name, required, description, schema: type }) =>
        `${comment(description, '      ')}      readonly ${name}${required ? '' : '?'}: ${typeText(type)};\n`,
    );
    const queryField = query.length === 0 ? '' : `    query: {\n${query.join('')}    };\n`;
    return `${comment(summary, '  ')}  '${path}': {\n${queryField}    data: ${typeText(schema)};\n  };\n`;
  });
  const typeNames = new Set<string>();
  for (const { schema, operation } of reads) {
    collectTypeNames(schema, document, typeNames);
    for (const parameter of operation.parameters ?? [])
      collectTypeNames(parameter.schema, document, typeNames);
  }
  const types = [...typeNames].sort().map((name) => {
    const schema = document.components.schemas[name] ?? {};
    return `${comment(schema.description)}export type ${name} = ${typeText(schema)};\n`;
  });
  return `export interface PublicReads {\n${calls.join('')}}\n\n${types.join('\n')}`;
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
};

export function clientFiles() {
  const document = apiDocument();
  const source = readFileSync(SOURCE, 'utf8').replace(
    /API_VERSION = '[^']*'/,
    `API_VERSION = '${document.info.version}'`,
  );
  const script = ts.transpileModule(source, { compilerOptions: OPTIONS }).outputText;
  const declarations = ts
    .transpileDeclaration(source, { compilerOptions: { ...OPTIONS, declaration: true } })
    .outputText.replace(/export type PublicReads = [\s\S]*?>>;\n/, () => publicReadTypes(document));
  return { 'portal-client.js': script, 'portal-client.d.ts': declarations };
}
