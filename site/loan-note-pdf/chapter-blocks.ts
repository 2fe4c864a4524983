import { type MdastNode, mdxToMdast } from 'satteri';
import { type Facts, factOf } from '../content/resolve-facts.ts';
import type { Block, Run } from './words.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const FACT = /^facts\.(\w+)$/;

export interface BlockSource {
  /** Names the chapter where something is wrong with it. */
  readonly name: string;
  /** MDX without its front matter. */
  readonly body: string;
  readonly facts: Facts;
  /** Where links to pages of the portal lead. */
  readonly origin: URL;
}

interface Node {
  readonly type: string;
  readonly children?: readonly MdastNode[];
}

/**
 * The blocks of a chapter, with its facts in their places: what the page shows, in a form that can be set on paper.
 * @throws {Error} naming the chapter, where it holds what the document has no form for, or names no fact.
 */
export function chapterBlocks({ name, body, facts, origin }: BlockSource): readonly Block[] {
  const refuse = (what: string): never => {
    throw new Error(`The chapter "${name}" of the loan note holds ${what}, which its PDF has no form for.`);
  };

  function fact(expression: string): Run {
    const [, fact] = FACT.exec(expression.trim()) ?? [];
    if (fact === undefined) return refuse(`{${expression}}`);
    const text = factOf(fact, facts);
    return EMAIL.test(text) ? { text, link: `mailto:${text}` } : { text };
  }

  function runsOf(parent: Node, manner: Omit<Run, 'text'> = {}): Run[] {
    return (parent.children ?? []).flatMap((node): Run[] => {
      switch (node.type) {
        case 'text':
          // Line ends of the source mean nothing.
          return [{ text: node.value.replaceAll(/\s*\n\s*/g, ' '), ...manner }];
        case 'strong':
          return runsOf(node, { ...manner, isStrong: true });
        case 'link':
          return runsOf(node, { ...manner, link: new URL(node.url, origin).href });
        case 'mdxTextExpression':
          return [{ ...manner, ...fact(node.value) }];
        default:
          return refuse(`"${node.type}" within a text`);
      }
    });
  }

  function itemRuns(item: Node): Run[] {
    const [paragraph, ...more] = item.children ?? [];
    if (paragraph?.type !== 'paragraph' || more.length > 0) return refuse('an item of several paragraphs');
    return runsOf(paragraph);
  }

  function blockOf(node: MdastNode): Block {
    switch (node.type) {
      case 'paragraph':
        return { kind: 'paragraph', runs: runsOf(node) };
      case 'heading':
        if (node.depth !== 3) return refuse(`a heading of level ${node.depth}`);
        return { kind: 'heading', runs: runsOf(node) };
      case 'list':
        return { kind: 'list', isOrdered: node.ordered === true, items: node.children.map(itemRuns) };
      case 'table': {
        const [head = [], ...rows] = node.children.map((row) =>
          'children' in row ? row.children.map((cell) => runsOf(cell)) : [],
        );
        return { kind: 'table', head, rows };
      }
      case 'mdxFlowExpression':
        return { kind: 'paragraph', runs: [fact(node.value)] };
      default:
        return refuse(`"${node.type}"`);
    }
  }

  const root = mdxToMdast(body, { features: { smartPunctuation: true, gfm: true }, position: false });
  return 'children' in root ? root.children.map((node) => blockOf(node)) : refuse('no text');
}
