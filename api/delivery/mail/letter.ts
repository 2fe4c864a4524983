import { compile } from 'html-to-text';
import { createElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

/** What a letter says, as HTML and as the text that says the same. */
export interface RenderedLetter {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A line of what was sent in, such as a name; null where there is none, and then it is left out. */
export type LetterFact = readonly [label: string, value: string | null];

/** A letter, part by part. Every text in it is plain: it is escaped where it lands. */
export interface Letter {
  /** Words of the portal alone, never of who sends a form. */
  readonly subject: string;
  readonly parts: readonly LetterPart[];
}

export type LetterPart =
  | { readonly kind: 'paragraph' | 'small'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly LetterFact[] }
  | { readonly kind: 'steps'; readonly title: string; readonly steps: readonly string[] }
  | { readonly kind: 'link'; readonly label: string; readonly url: string };

/** Mail programs keep styles in attributes alone. Colours of the portal's light theme. */
const STYLE = {
  page: { margin: 0, padding: '24px 12px', backgroundColor: '#FBFAF6', color: '#16181C' },
  sheet: {
    maxWidth: 560,
    margin: '0 auto',
    padding: '28px 28px 20px',
    backgroundColor: '#FFFFFF',
    border: '1px solid #E4E1D6',
    borderRadius: 10,
    fontFamily: 'Geist, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif',
    fontSize: 15,
    lineHeight: 1.55,
  },
  brand: { margin: '0 0 20px', fontSize: 13, fontWeight: 600, letterSpacing: '0.04em', color: '#7A5A00' },
  title: { margin: '0 0 14px', fontSize: 20, lineHeight: 1.3, fontWeight: 600 },
  subtitle: { margin: '22px 0 6px', fontSize: 15, fontWeight: 600 },
  paragraph: { margin: '0 0 14px' },
  fact: { margin: 0, padding: '7px 0', borderBottom: '1px solid #EFEDE4', overflowWrap: 'anywhere' },
  label: { color: '#5C5B54', fontWeight: 400 },
  value: { whiteSpace: 'pre-wrap' },
  facts: { margin: '0 0 20px', borderTop: '1px solid #EFEDE4' },
  steps: { margin: '0 0 18px', paddingLeft: 22 },
  link: { color: '#7A5A00', fontWeight: 600 },
  small: { margin: '16px 0 0', fontSize: 13, color: '#5C5B54' },
} as const;

const h = createElement;

/** Invisible signs that turn the words after them: what is sent in may not reach out of its place with them. */
const BIDI_CONTROLS = /\p{Bidi_Control}/gu;

function renderedPart(part: LetterPart): ReactNode {
  switch (part.kind) {
    case 'paragraph':
    case 'small':
      return h('p', { style: STYLE[part.kind] }, part.text);
    case 'facts': {
      const facts = part.facts.filter(([, value]) => value !== null && value !== '');
      const lines = facts.map(([label, value]) =>
        h(
          'div',
          { key: label, style: STYLE.fact },
          h('span', { style: STYLE.label }, `${label}: `),
          h('bdi', { style: STYLE.value }, value?.replaceAll(BIDI_CONTROLS, '')),
        ),
      );
      return h('section', { style: STYLE.facts }, lines);
    }
    case 'steps':
      return h(
        Fragment,
        null,
        h('h2', { style: STYLE.subtitle }, part.title),
        h(
          'ol',
          { style: STYLE.steps },
          part.steps.map((step) => h('li', { key: step }, step)),
        ),
      );
    case 'link':
      return h('p', { style: STYLE.paragraph }, h('a', { href: part.url, style: STYLE.link }, part.label));
  }
}

function document({ subject, parts }: Letter): ReactElement {
  return h(
    'html',
    { lang: 'en', dir: 'ltr' },
    h(
      'head',
      null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width' }),
      h('meta', { name: 'color-scheme', content: 'light' }),
      h('title', null, subject),
    ),
    h(
      'body',
      { style: STYLE.page },
      h(
        'main',
        { style: STYLE.sheet },
        h('p', { style: STYLE.brand }, 'BlackDuck'),
        h('h1', { style: STYLE.title }, subject),
        ...parts.map((part, index) => h(Fragment, { key: index }, renderedPart(part))),
      ),
    ),
  );
}

/** Signs of a script that is read from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

const textOf = compile({
  wordwrap: false,
  preserveNewlines: true,
  selectors: [
    { selector: 'title', format: 'skip' },
    { selector: 'h1', options: { uppercase: false, leadingLineBreaks: 2 } },
    { selector: 'h2', options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 1 } },
    { selector: 'section', format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: 'bdi', format: 'isolated' },
  ],
  formatters: {
    /**
     * What `<bdi>` is to HTML: words from right to left do not turn those around them. A further line is indented, so
     * that none passes for a fact of its own.
     */
    isolated: (element, _walk, builder) => {
      const words = element.children.map(({ data }) => data ?? '').join('');
      const lines = words.replaceAll(/\r\n?|\n/g, '\n    ');
      const isTurned = RIGHT_TO_LEFT.test(words);
      builder.addLiteral(isTurned ? `${FIRST_STRONG_ISOLATE}${lines}${POP_ISOLATE}` : lines);
    },
  },
});

/**
 * Both forms of a letter from one source: React makes the HTML and escapes every text in it, and the text is made from
 * that HTML.
 */
export function renderLetter(letter: Letter): RenderedLetter {
  const html = `<!doctype html>${renderToStaticMarkup(document(letter))}`;
  return { subject: letter.subject, html, text: `${textOf(html)}\n` };
}
