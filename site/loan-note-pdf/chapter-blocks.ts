import { type MdastNode, mdxToMdast } from 'satteri';
import { type FactTexts, readExpression } from '../content/facts.ts';
import type { Block, Run } from './text-blocks.ts';

interface BlockSource {
  readonly name: string;
  /** MDX without its front matter. */
  readonly body: string;
  readonly facts: FactTexts;
  /** The origin for links to the portal's pages. */
  readonly origin: URL;
}

interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MdastNode[];
}

/**
 * Parses a chapter into blocks for the PDF and fills in its facts.
 * @throws {Error} naming the chapter, if it contains an unknown fact or anything that the PDF cannot show
 */
export function chapterBlocks({ name, body, facts, origin }: BlockSource): readonly Block[] {
  const reject = (what: string): never => {
    throw new Error(`content/loan-note/${name}.mdx contains ${what}, which the PDF cannot show.`);
  };

  function fact(expression: string): Run {
    try {
      return readExpression(expression, facts);
    } catch (error) {
      throw new Error(`content/loan-note/${name}.mdx: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }

  function runsOf(parent: MarkdownNode, format: Omit<Run, 'text'> = {}): Run[] {
    return (parent.children ?? []).flatMap((node): Run[] => {
      switch (node.type) {
        case 'text':
          // Line breaks in the source become spaces.
          return [{ text: node.value.replaceAll(/\s*\n\s*/g, ' '), ...format }];
        case 'strong':
          return runsOf(node, { ...format, isStrong: true });
        case 'link':
          return runsOf(node, { ...format, link: new URL(node.url, origin).href });
        case 'mdxTextExpression':
          return [{ ...format, ...fact(node.value) }];
        default:
          return reject(`"${node.type}" within text`);
      }
    });
  }

  function itemRuns(item: MarkdownNode): Run[] {
    const [paragraph, ...more] = item.children ?? [];
    if (paragraph?.type !== 'paragraph' || more.length > 0)
      return reject('a list item with several paragraphs');
    return runsOf(paragraph);
  }

  function blockOf(node: MdastNode): Block {
    switch (node.type) {
      case 'paragraph':
        return { kind: 'paragraph', runs: runsOf(node) };
      case 'heading':
        if (node.depth !== 3) return reject(`a heading of level ${node.depth}`);
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
        return reject(`"${node.type}"`);
    }
  }

  const root = mdxToMdast(body, { features: { smartPunctuation: true, gfm: true }, position: false });
  return 'children' in root ? root.children.map((node) => blockOf(node)) : reject('no text');
}
