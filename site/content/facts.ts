import { readFileSync } from 'node:fs';
import { z } from 'astro/zod';
import { parse } from 'yaml';
import { FACTS } from '../../data/model/facts/facts.ts';

export type FactTexts = Readonly<Record<string, string>>;

const settings = z.object({ supportEmail: z.string(), postalAddress: z.string() });
const { supportEmail, postalAddress } = settings.parse(parseFile('content/site.yaml'));

export const facts: FactTexts = { ...FACTS, supportEmail, dubaiAddress: postalAddress };

/** Replaces `{{name}}` with its fact. @throws {Error} if there is no such fact */
export function resolveFacts(text: string, factTexts: FactTexts = facts): string {
  return text.replace(/\{\{([^{}]*)\}\}/g, (_, name: string) => factOf(name, factTexts));
}

/**
 * Reads a YAML file and fills in its facts.
 * @throws {Error} naming the file, if it is invalid or uses an unknown fact
 */
export function readYaml(file: string): Record<string, unknown> {
  return parseFile(file, resolveFacts);
}

function parseFile(file: string, resolve = (text: string) => text): Record<string, unknown> {
  try {
    return parse(resolve(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const EXPRESSION = /^facts\.(\w+)$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/**
 * The text for an MDX expression, and a link if the text is an email address.
 * @throws {Error} if the expression is not `facts.name`, or there is no such fact
 */
export function readExpression(
  expression: string,
  factTexts: FactTexts = facts,
): { readonly text: string; readonly link?: string } {
  const [, name] = EXPRESSION.exec(expression.trim()) ?? [];
  if (name === undefined) {
    throw new Error(`{${expression}} is not a fact. Only {facts.name} is allowed in MDX.`);
  }
  const text = factOf(name, factTexts);
  return EMAIL.test(text) ? { text, link: `mailto:${text}` } : { text };
}

function factOf(name: string, factTexts: FactTexts): string {
  const fact = Object.hasOwn(factTexts, name) ? factTexts[name] : undefined;
  if (fact === undefined) throw new Error(`There is no fact "${name}". The facts are in data/model/facts/.`);
  return fact;
}
