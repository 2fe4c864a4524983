import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { ERRORS } from '../data/contract/errors.ts';
import { type Language, translatedPages } from '../site/locale/languages.ts';
import { escapeRegExp } from '../site/locale/localized-text.ts';
import { textFiles } from '../site/locale/translations.ts';

/* Finds the English texts that a page's islands can show, in the form in which `site/locale/jsx-runtime.ts` looks them up. */

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

const TEXTLESS_ATTRIBUTES = new Set(
  'className id type href src d viewBox role htmlFor autoComplete inputMode rel target key dateTime as kind aria-labelledby aria-describedby aria-controls aria-live'.split(
    ' ',
  ),
);
const TEXTLESS_NODE_TYPES = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAnnotation',
  'TSTypeParameterInstantiation',
]);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

function childNodes(node: Node): Node[] {
  return Object.entries(node)
    .filter(
      ([name]) =>
        !(node.type === 'Property' && name === 'key') && !(node.type === 'SwitchCase' && name === 'test'),
    )
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

/** The placeholder's name for an expression: the last identifier. For a call, the last identifier of its first argument. */
function placeholderName(node: Node): string {
  if (node.type === 'Identifier') return String(node.name);
  if (node.type === 'MemberExpression' && isNode(node.property)) return placeholderName(node.property);
  const [first] = Array.isArray(node.arguments) ? node.arguments : [];
  return isNode(first) ? placeholderName(first) : 'value';
}

const containsJsx = (node: Node): boolean =>
  /^JSX(Element|Fragment)$/.test(node.type) || childNodes(node).some(containsJsx);

/** The text between two JSX tags. Joins its lines with a space, as JSX does. */
function jsxText(raw: string): string {
  const lines = raw.split('\n');
  return lines
    .map((line, index) => (index === 0 ? line : line.trimStart()))
    .map((line, index) => (index === lines.length - 1 ? line : line.trimEnd()))
    .filter((line) => line !== '')
    .join(' ');
}

function textsOfElement(element: Node, add: (text: string) => void): void {
  let textRun = '';
  let hasLetters = false;
  const endRun = () => {
    if (hasLetters) add(textRun);
    textRun = '';
    hasLetters = false;
  };
  if (isNode(element.openingElement)) collectTexts(element.openingElement, add);
  for (const child of element.children as readonly Node[]) {
    if (child.type === 'JSXText') {
      const text = jsxText(String(child.value));
      textRun += text;
      hasLetters ||= /[A-Za-z]/.test(text);
    } else if (child.type === 'JSXExpressionContainer' && isNode(child.expression)) {
      const { expression } = child;
      if (expression.type === 'JSXEmptyExpression') continue;
      if (expression.type === 'Literal') textRun += String(expression.value);
      else if (containsJsx(expression)) endRun();
      else textRun += `{${placeholderName(expression)}}`;
      if (expression.type !== 'Literal') collectTexts(expression, add);
    } else {
      endRun();
      collectTexts(child, add);
    }
  }
  endRun();
}

function collectTexts(node: Node, add: (text: string) => void): void {
  if (TEXTLESS_NODE_TYPES.has(node.type)) return;
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
    textsOfElement(node, add);
    return;
  }
  if (node.type === 'JSXAttribute') {
    const name = isNode(node.name) ? String(node.name.name) : '';
    if (TEXTLESS_ATTRIBUTES.has(name) || /^data-|ClassName$/.test(name)) return;
    if (isNode(node.value) && node.value.type === 'Literal') add(String(node.value.value));
  }
  if (node.type === 'BinaryExpression' && node.operator !== '+') return;
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
    const expressions = node.expressions as readonly Node[];
    add(
      quasis
        .map(
          ({ value }, index) =>
            value.cooked + (expressions[index] ? `{${placeholderName(expressions[index])}}` : ''),
        )
        .join(''),
    );
  }
  if (node.type === 'Literal' && typeof node.value === 'string' && / |^[A-Z][a-z]|…$/.test(node.value))
    add(node.value);
  for (const child of childNodes(node)) collectTexts(child, add);
}

function importsOf(node: Node): string[] {
  const { source } = node;
  const ownImports =
    /^(Import|Export)/.test(node.type) &&
    node.importKind !== 'type' &&
    isNode(source) &&
    typeof source.value === 'string'
      ? [source.value]
      : [];
  return [...ownImports, ...childNodes(node).flatMap(importsOf)];
}

const parse = (file: string) =>
  parseAst(readFileSync(file, 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as unknown as Node;

/**
 * The texts of the islands on the given pages, by file. `{name}` is a placeholder for a value.
 * @param pages the paths of the pages, such as `/staking`
 */
function islandTexts(pages: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const textsByFile = new Map<string, readonly string[]>();
  const visit = (file: string) => {
    if (textsByFile.has(file) || !/^(site|data)\/.*\.tsx?$/.test(file) || !existsSync(file)) return;
    const tree = parse(file);
    const texts = new Set<string>();
    collectTexts(tree, (text) => {
      const trimmed = text.trim();
      if (/[A-Za-z]{2,}/.test(trimmed.replace(/\{\w+\}/g, ''))) texts.add(trimmed);
    });
    textsByFile.set(file, [...texts]);
    for (const path of importsOf(tree)) if (path.startsWith('.')) visit(normalize(join(dirname(file), path)));
  };
  for (const page of pages) {
    const file = `site/pages${page === '/' ? '/index' : page}.astro`;
    const imports = readFileSync(file, 'utf8').matchAll(/from '(\.\.\/islands\/[^']+)'/g);
    for (const [, path = ''] of imports) visit(normalize(join(dirname(file), path)));
  }
  return textsByFile;
}

const PLACEHOLDERS = /\{+\w+\}+/g;

/** A pattern that matches a text with any values in place of its placeholders. */
function matcherOf(text: string): RegExp {
  return new RegExp(`^${text.split(PLACEHOLDERS).map(escapeRegExp).join('[\\s\\S]*')}$`);
}

const fillPlaceholders = (text: string) => text.replace(PLACEHOLDERS, 'x');

/** Matches texts of several English words, but not units, names or markup. */
const SENTENCE = /^[A-Z][^<>/]* [a-z]{2,}/;

/** The share of sentences in the islands of translated pages that have a translation, and the sentences that have none. */
export function islandTextCoverage(language: Language) {
  const translatedMatchers = textFiles(language).flatMap(({ texts }) => Object.keys(texts).map(matcherOf));
  const sentences = [...islandTexts(translatedPages(language))].flatMap(([file, texts]) =>
    texts.filter((text) => SENTENCE.test(text)).map((text) => ({ file, text })),
  );
  const untranslated = sentences.filter(
    ({ text }) => !translatedMatchers.some((matcher) => matcher.test(fillPlaceholders(text))),
  );
  return { share: 1 - untranslated.length / sentences.length, untranslated };
}

/** API files that contain messages shown by the islands. */
const SERVER_FILES = ['build-stake', 'refusals'].map((name) => `api/stake-order/${name}.ts`);
const SERVER_ERRORS = Object.values(ERRORS)
  .map(([, message, remedy]) => `${message} ${remedy}`)
  .map((text) => ({ text, matcher: matcherOf(text) }));

/**
 * The translations of island texts that are no longer used. A text counts as used if an island shows it, if it matches an
 * error of the API, or if the sources contain all of its parts between placeholders.
 */
export function unusedIslandTexts(language: Language): string[] {
  const islands = islandTexts(translatedPages(language));
  const shownMatchers = [...islands.values()].flat().map(matcherOf);
  const sources = [...islands.keys(), ...SERVER_FILES]
    .map((file) => readFileSync(file, 'utf8').replace(/\s+/g, ' '))
    .join('\n')
    .toLowerCase();
  const isUsed = (text: string) => {
    const filledText = fillPlaceholders(text);
    const textMatcher = matcherOf(text);
    return (
      shownMatchers.some((matcher) => matcher.test(filledText)) ||
      SERVER_ERRORS.some((error) => textMatcher.test(error.text) || error.matcher.test(filledText)) ||
      text.split(PLACEHOLDERS).every((part) => sources.includes(part.trim().toLowerCase()))
    );
  };
  return textFiles(language)
    .filter(({ isOfIslands }) => isOfIslands)
    .flatMap(({ texts }) => Object.keys(texts))
    .filter((text) => !isUsed(text));
}
