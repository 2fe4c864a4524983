import { compile } from 'html-to-text';
import { createElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

/** A mail as HTML and as plain text. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A label and its value, such as a name. A fact without a value is left out. */
export type MailFact = readonly [label: string, value: string | null];

/** The end of a mail to an applicant. */
export interface MailFooter {
  readonly postalAddress: string;
  readonly supportEmail: string;
  readonly privacyUrl: string;
}

/** The content of a mail. All texts are plain text: rendering escapes them. */
export interface MailTemplate {
  /** Contains nothing that an applicant typed. */
  readonly subject: string;
  readonly parts: readonly MailPart[];
}

/** A string is a paragraph. */
export type MailPart =
  | string
  | { readonly kind: 'small'; readonly text: string }
  /** A paragraph that keeps its line breaks. */
  | { readonly kind: 'lines'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly MailFact[] }
  | { readonly kind: 'steps'; readonly title: string; readonly steps: readonly string[] }
  | { readonly kind: 'link'; readonly label: string; readonly url: string };

const FONT = 'Geist, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';

/** Inline styles, because mail programs drop style sheets. They use the light theme's colors. */
const STYLE = {
  page: { margin: 0, padding: '24px 12px', backgroundColor: '#FBFAF6', color: '#16181C' },
  sheet: {
    maxWidth: 560,
    margin: '0 auto',
    padding: '28px 28px 20px',
    backgroundColor: '#FFFFFF',
    border: '1px solid #E4E1D6',
    borderRadius: 10,
    fontFamily: FONT,
    fontSize: 15,
    lineHeight: 1.55,
  },
  brand: { margin: '0 0 20px', fontSize: 13, fontWeight: 600, letterSpacing: '0.04em', color: '#7A5A00' },
  title: { margin: '0 0 14px', fontSize: 20, lineHeight: 1.3, fontWeight: 600 },
  subtitle: { margin: '22px 0 6px', fontSize: 15, fontWeight: 600 },
  paragraph: { margin: '0 0 14px' },
  lines: { margin: '0 0 14px', whiteSpace: 'pre-line', overflowWrap: 'anywhere' },
  fact: { margin: 0, padding: '7px 0', borderBottom: '1px solid #EFEDE4', overflowWrap: 'anywhere' },
  label: { color: '#5C5B54', fontWeight: 400 },
  value: { whiteSpace: 'pre-wrap' },
  facts: { margin: '0 0 20px', borderTop: '1px solid #EFEDE4' },
  steps: { margin: '0 0 18px', paddingLeft: 22 },
  link: { color: '#7A5A00', fontWeight: 600 },
  small: { margin: '16px 0 0', fontSize: 13, color: '#5C5B54' },
  footer: {
    maxWidth: 560,
    margin: '16px auto 0',
    fontFamily: FONT,
    fontSize: 12,
    lineHeight: 1.6,
    color: '#5C5B54',
    textAlign: 'center',
  },
  footerLink: { color: '#5C5B54' },
} as const;

const h = createElement;

/** Invisible characters that change the direction of the text after them. They are removed from applicants' texts. */
const BIDI_CONTROLS = /\p{Bidi_Control}/gu;

function renderPart(part: MailPart): ReactNode {
  if (typeof part === 'string') return h('p', { style: STYLE.paragraph }, part);
  switch (part.kind) {
    case 'small':
      return h('p', { style: STYLE.small }, part.text);
    case 'lines':
      return h('p', { style: STYLE.lines }, part.text);
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

function footerOf({ postalAddress, supportEmail, privacyUrl }: MailFooter): ReactElement {
  const link = (href: string, label: string) => h('a', { href, style: STYLE.footerLink }, label);
  return h(
    'footer',
    { style: STYLE.footer },
    h('div', null, postalAddress),
    h('div', null, 'Support: ', link(`mailto:${supportEmail}`, supportEmail)),
    h('div', null, link(privacyUrl, 'Privacy policy')),
  );
}

function document({ subject, parts }: MailTemplate, footer: MailFooter | null): ReactElement {
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
        ...parts.map((part, index) => h(Fragment, { key: index }, renderPart(part))),
      ),
      footer && footerOf(footer),
    ),
  );
}

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
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'footer', format: 'block', options: { leadingLineBreaks: 2 } },
    { selector: 'section', format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: 'bdi', format: 'isolated' },
  ],
  formatters: {
    /**
     * The plain-text counterpart of `<bdi>`: right-to-left text does not affect its surroundings. Lines after the first are
     * indented, so that none looks like another fact.
     */
    isolated: (element, _walk, builder) => {
      const text = element.children.map(({ data }) => data ?? '').join('');
      const lines = text.replaceAll(/\r\n?|\n/g, '\n    ');
      builder.addLiteral(RIGHT_TO_LEFT.test(text) ? `${FIRST_STRONG_ISOLATE}${lines}${POP_ISOLATE}` : lines);
    },
  },
});

/** React renders the HTML and escapes its texts. The plain text is derived from the HTML. */
export function renderMail(mail: MailTemplate, footer: MailFooter | null = null): RenderedMail {
  const html = `<!doctype html>${renderToStaticMarkup(document(mail, footer))}`;
  return { subject: mail.subject, html, text: `${textOf(html)}\n` };
}
