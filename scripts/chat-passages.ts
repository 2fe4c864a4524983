import { type Element, isTag, isText, type ParentNode } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import type { BuiltPage } from './built-pages.ts';

/** A part of a built page under a heading, or a question, that has an address of its own. */
export interface BuiltPassage {
  /** `/faq#lock`. */
  readonly href: string;
  readonly title: string;
  /** The page's own title. */
  readonly page: string;
  /** A blank line between paragraphs. */
  readonly text: string;
}

/** Parts of a page that are no words of its own, or are filled in later. */
const PASSED_OVER = new Set([
  'script',
  'style',
  'template',
  'nav',
  'form',
  'noscript',
  'svg',
  'button',
  'astro-island',
]);
const HEADINGS = new Set(['h1', 'h2', 'h3']);
const BLOCKS = new Set(['p', 'li', 'dt', 'dd', 'tr', 'blockquote', 'h4', 'figcaption']);
/** A passage with less than this says nothing by itself. */
const SHORTEST = 40;

const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

function isPassedOver({ name, attribs }: Element): boolean {
  const isHidden = 'hidden' in attribs || attribs['aria-hidden'] === 'true';
  return isHidden || PASSED_OVER.has(name);
}

interface Draft {
  readonly href: string;
  readonly title: string;
  blocks: string[];
}

/** The passages of a page, in its order. What stands before the first heading with an address belongs to none. */
export function passagesOf({ path, html }: Pick<BuiltPage, 'path' | 'html'>): readonly BuiltPassage[] {
  const document = parseDocument(html);
  const main = findOne(({ name }) => name === 'main', document.children, true);
  const heading = main && findOne(({ name }) => name === 'h1', main.children, true);
  if (!main || !heading) return [];
  const page = words(textContent(heading));
  const drafts: Draft[] = [];
  let current: Draft | null = null;
  let line = '';

  const endLine = () => {
    const text = words(line);
    if (text !== '' && current) current.blocks.push(text);
    line = '';
  };
  const begin = (id: string | undefined, title: string) => {
    endLine();
    current = id === undefined ? null : { href: `${path}#${id}`, title: words(title), blocks: [] };
    if (current) drafts.push(current);
  };
  const read = (parent: ParentNode): void => {
    for (const node of parent.children) {
      if (isText(node)) line += node.data;
      if (!isTag(node) || isPassedOver(node)) continue;
      if (HEADINGS.has(node.name)) {
        // A heading without an address ends nothing: it belongs to the passage that it stands in.
        if (node.attribs.id !== undefined) begin(node.attribs.id, textContent(node));
        continue;
      }
      const summary =
        node.name === 'details' && node.children.find((child) => isTag(child) && child.name === 'summary');
      if (summary && isTag(summary) && !findOne(({ name }) => HEADINGS.has(name), summary.children, true)) {
        begin(node.attribs.id, textContent(summary));
        read({ ...node, children: node.children.filter((child) => child !== summary) } as ParentNode);
        begin(undefined, '');
        continue;
      }
      const isBlock = BLOCKS.has(node.name);
      if (isBlock) endLine();
      read(node);
      if (isBlock) endLine();
      else line += ' ';
    }
  };
  read(main);
  endLine();
  return drafts
    .map(({ href, title, blocks }) => ({ href, title, page, text: blocks.join('\n\n') }))
    .filter(({ text }) => text.length >= SHORTEST);
}
