import { describe, expect, it } from 'vitest';
import { chapterBlocks } from './chapter-blocks.ts';

const facts = { yield: '14.4%', email: 'help@example.com' };
const blocksOf = (body: string) =>
  chapterBlocks({ name: 'terms', body, facts, origin: new URL('https://portal.example') });

describe('the blocks of a chapter', () => {
  it('contain its facts, in the format of the text around them', () => {
    expect(blocksOf('Pays **{facts.yield}** a\nyear.')).toEqual([
      {
        kind: 'paragraph',
        runs: [{ text: 'Pays ' }, { text: '14.4%', isStrong: true }, { text: ' a year.' }],
      },
    ]);
  });

  it('have absolute URLs in their links, and mail links for email addresses', () => {
    expect(blocksOf('Read [this](/disclaimer), or ask {facts.email}.')).toMatchObject([
      {
        runs: [
          { text: 'Read ' },
          { text: 'this', link: 'https://portal.example/disclaimer' },
          { text: ', or ask ' },
          { text: 'help@example.com', link: 'mailto:help@example.com' },
          { text: '.' },
        ],
      },
    ]);
  });

  it('include headings, lists and tables', () => {
    expect(blocksOf('### Part\n\n1. one\n2. two\n\n| A | B |\n| --- | --- |\n| c | {facts.yield} |')).toEqual(
      [
        { kind: 'heading', runs: [{ text: 'Part' }] },
        { kind: 'list', isOrdered: true, items: [[{ text: 'one' }], [{ text: 'two' }]] },
        {
          kind: 'table',
          head: [[{ text: 'A' }], [{ text: 'B' }]],
          rows: [[[{ text: 'c' }], [{ text: '14.4%' }]]],
        },
      ],
    );
  });

  it.each([
    ['## Too high', /terms\.mdx.*heading of level 2/],
    ['{1 + 1}', /terms\.mdx.*\{1 \+ 1\}/],
    ['{facts.nothing}', /terms\.mdx.*"nothing"/],
    ['<b>Raw</b>', /terms\.mdx/],
    ['> A quotation', /terms\.mdx.*"blockquote"/],
  ])('cannot contain %s', (body, message) => {
    expect(() => blocksOf(body)).toThrow(message);
  });
});
