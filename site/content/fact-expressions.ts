import { fileURLToPath } from 'node:url';
import type { Link, Text } from 'mdast';
import { defineMdastPlugin } from 'satteri';
import { type Facts, factOf } from './resolve-facts.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const FACT = /^facts\.(\w+)$/;

/**
 * Markdown plugin that writes a fact in the place of `{facts.name}`, an email address as a link, so that words stay free
 * of code.
 * @throws {Error} naming the file where an expression is anything else, or names no fact.
 */
export function factExpressions(facts: Facts) {
  const write = (value: string, file: URL | undefined): Text | Link => {
    const where = file ? fileURLToPath(file) : 'a page';
    const [, name] = FACT.exec(value.trim()) ?? [];
    if (name === undefined) {
      throw new Error(`${where}: {${value}} is not a fact. Write {facts.name}; words hold no code.`);
    }
    try {
      const text = { type: 'text', value: factOf(name, facts) } as const;
      return EMAIL.test(text.value) ? { type: 'link', url: `mailto:${text.value}`, children: [text] } : text;
    } catch (error) {
      throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  return defineMdastPlugin({
    name: 'fact-expressions',
    mdxTextExpression: (node, { fileURL }) => write(node.value, fileURL),
    mdxFlowExpression: (node, { fileURL }) => ({
      type: 'paragraph',
      children: [write(node.value, fileURL)],
    }),
  });
}
