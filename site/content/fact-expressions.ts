import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Link, Text } from 'mdast';
import { defineMdastPlugin } from 'satteri';
import { LANGUAGES } from '../locale/languages.ts';
import { localizedFacts } from '../locale/localized-facts.ts';
import { type FactTexts, readExpression } from './facts.ts';

/**
 * Markdown plugin that replaces `{facts.name}` with the fact, as a link if the fact is an email address.
 * @throws {Error} naming the file and line, if an expression is anything else or there is no such fact
 */
export function factExpressions(facts: FactTexts) {
  const factsByFolder = Object.entries(LANGUAGES).map(
    ([language, { tag }]) => [`/content/${language}/`, localizedFacts(facts, tag)] as const,
  );
  const toNode = (expression: string, file: URL | undefined): Text | Link => {
    try {
      const pageFacts = factsByFolder.find(([folder]) => file?.pathname.includes(folder))?.[1] ?? facts;
      const { text: value, link } = readExpression(expression, pageFacts);
      const text = { type: 'text', value } as const;
      return link === undefined ? text : { type: 'link', url: link, children: [text] };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${locationOf(expression, file)} ${reason}`, { cause: error });
    }
  };
  return defineMdastPlugin({
    name: 'fact-expressions',
    // Removes line breaks, so that the FAQ's text is identical to its copy in the structured data. This makes the compressed
    // page 300 bytes smaller.
    text: ({ value }) =>
      value.includes('\n') ? { type: 'text', value: value.replaceAll('\n', ' ') } : undefined,
    mdxTextExpression: (node, { fileURL }) => toNode(node.value, fileURL),
    mdxFlowExpression: (node, { fileURL }) => ({
      type: 'paragraph',
      children: [toNode(node.value, fileURL)],
    }),
  });
}

/**
 * Returns the location of an expression, such as `content/staking.mdx:31`. The parser provides no positions, so this searches the
 * file.
 */
function locationOf(expression: string, file: URL | undefined): string {
  if (!file) return 'A page:';
  const path = fileURLToPath(file);
  const before = readFileSync(path, 'utf8').split(`{${expression}}`)[0] ?? '';
  return `${relative('.', path)}:${before.split('\n').length}`;
}
