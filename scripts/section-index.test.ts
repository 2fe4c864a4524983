import { expect, it } from 'vitest';
import { sectionIndexOf } from './section-index.ts';

const TEXT = 'A text that is long enough to be a part of the index.';
const page = (path: string, title: string) => ({
  path,
  html: `<head><meta name="description" content="About ${title}."></head><main><h1>${title}</h1><h2 id="part">Part</h2><p>${TEXT}</p></main>`,
});
const passage = (href: string, kind: 'section' | 'fact' | 'figure' | 'own-stake', ...askedAs: string[]) => ({
  href,
  title: '',
  page: '',
  text: '',
  askedAs,
  kind,
  ...(kind === 'figure' && { figure: href.replace('figure:', '') }),
});

const { sections, commonWords } = sectionIndexOf(
  [page('/analytics', 'Analytics'), page('/my-position', 'My Position')],
  {
    passages: [
      passage('/analytics#part', 'section', 'a part', 'a piece'),
      passage('/analytics#part', 'fact', 'a fact', 'a part'),
      passage('/elsewhere#part', 'section', 'nowhere'),
      passage('figure:price', 'figure', 'what it costs'),
      passage('own:stake', 'own-stake', 'my stake'),
    ],
    commonWords: Array.from({ length: 1_100 }, (_, index) => `word${index}`).join(' '),
  },
);
const find = (href: string) => sections.find((section) => section.href === href);

it('the section index has every page and its sections, in order', () => {
  expect(sections.map(({ href, title, page, text }) => [href, title, page, text])).toEqual([
    ['/analytics', 'Analytics', 'Analytics', 'About Analytics.'],
    ['/analytics#part', 'Part', 'Analytics', TEXT],
    ['/my-position', 'My Position', 'My Position', 'About My Position.'],
    ['/my-position#part', 'Part', 'My Position', TEXT],
  ]);
});

it('a section includes the phrasings of its facts, each only once', () => {
  expect(find('/analytics#part')?.askedAs).toEqual(['a part', 'a piece', 'a fact']);
});

it('the phrasings of a live figure and of the visitor’s own stake lead to their pages', () => {
  expect(find('/analytics')?.askedAs).toEqual(['what it costs']);
  expect(find('/my-position')?.askedAs).toEqual(['my stake']);
});

it('the index has only the thousand most frequent everyday words', () => {
  expect(commonWords.split(' ').slice(-1)).toEqual(['word999']);
});
