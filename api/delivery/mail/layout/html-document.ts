import { type CSSProperties, createElement as h, type ReactElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { MailFact, MailFooter, MailPart, MailTemplate } from '../mail-template.ts';
import { LIGHT_COLORS, LOGO_COLORS, MAIL_STYLE_SHEETS } from './mail-colors.ts';
import { withoutBidiControls } from './plain-text.ts';

const FONT = '-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Helvetica, Arial, sans-serif';
const WIDTH = 600;

/** Inline, because many mail programs drop style sheets. */
const STYLE = {
  page: {
    margin: 0,
    padding: 0,
    backgroundColor: LIGHT_COLORS.page,
    fontFamily: FONT,
    color: LIGHT_COLORS.text,
  },
  preheader: {
    display: 'none',
    maxHeight: 0,
    overflow: 'hidden',
    fontSize: 1,
    lineHeight: '1px',
    opacity: 0,
  },
  outer: { padding: '28px 12px 32px' },
  column: { maxWidth: WIDTH, margin: '0 auto' },
  sheet: { backgroundColor: LIGHT_COLORS.sheet, border: `1px solid ${LIGHT_COLORS.line}`, borderRadius: 14 },
  inner: {
    padding: '32px 36px 14px',
    fontSize: 16,
    lineHeight: '25px',
    textAlign: 'left',
    overflowWrap: 'anywhere',
  },
  logo: { padding: '0 4px 18px' },
  mark: {
    width: 34,
    height: 34,
    borderRadius: 8,
    backgroundColor: LOGO_COLORS.gold,
    color: LOGO_COLORS.black,
    fontSize: 15,
    lineHeight: '34px',
    fontWeight: 800,
    letterSpacing: '-0.02em',
    textAlign: 'center',
  },
  brand: {
    paddingLeft: 6,
    fontSize: 17,
    fontWeight: 700,
    letterSpacing: '-0.01em',
    color: LIGHT_COLORS.text,
  },
  topic: { margin: '0 0 8px', fontSize: 13, lineHeight: '20px', fontWeight: 600, color: LIGHT_COLORS.muted },
  badgeLine: { margin: '0 0 14px', fontSize: 13, lineHeight: '24px' },
  badge: {
    display: 'inline-block',
    padding: '0 11px',
    borderWidth: 1,
    borderStyle: 'solid',
    borderRadius: 99,
    fontWeight: 700,
  },
  title: { margin: '0 0 16px', fontSize: 25, lineHeight: '31px', fontWeight: 700, letterSpacing: '-0.015em' },
  subtitle: { margin: '26px 0 8px', fontSize: 16, lineHeight: '24px', fontWeight: 700 },
  paragraph: { margin: '0 0 16px' },
  lines: { margin: '0 0 16px', whiteSpace: 'pre-line' },
  facts: { margin: '4px 0 22px', borderTop: `1px solid ${LIGHT_COLORS.line}` },
  label: {
    width: '27%',
    padding: '9px 16px 9px 0',
    borderBottom: `1px solid ${LIGHT_COLORS.line}`,
    fontSize: 14,
    lineHeight: '22px',
    verticalAlign: 'top',
    color: LIGHT_COLORS.muted,
  },
  valueCell: {
    padding: '9px 0',
    borderBottom: `1px solid ${LIGHT_COLORS.line}`,
    fontSize: 15,
    lineHeight: '22px',
    verticalAlign: 'top',
    wordBreak: 'break-word',
  },
  /** Small enough for a wallet address to fit on one line of a wide screen. */
  addressCell: { fontSize: 14 },
  value: { whiteSpace: 'pre-wrap' },
  quote: {
    padding: '14px 18px 15px',
    backgroundColor: LIGHT_COLORS.quote,
    borderLeft: `3px solid ${LOGO_COLORS.gold}`,
  },
  quoteLabel: {
    margin: '0 0 4px',
    fontSize: 13,
    lineHeight: '20px',
    fontWeight: 600,
    color: LIGHT_COLORS.muted,
  },
  steps: { margin: '0 0 20px', padding: '0 0 0 24px' },
  step: { padding: '0 0 5px 4px' },
  button: { margin: '10px 0 20px' },
  buttonCell: { backgroundColor: LIGHT_COLORS.button, borderRadius: 9, textAlign: 'center' },
  buttonLink: {
    display: 'block',
    padding: '14px 28px',
    borderRadius: 9,
    fontSize: 16,
    lineHeight: '20px',
    fontWeight: 700,
    color: LIGHT_COLORS['button-text'],
    textDecoration: 'none',
  },
  link: { color: LIGHT_COLORS.link, fontWeight: 600, textDecoration: 'underline' },
  small: {
    margin: '26px 0 16px',
    padding: '18px 0 0',
    borderTop: `1px solid ${LIGHT_COLORS.line}`,
    fontSize: 13,
    lineHeight: '20px',
    color: LIGHT_COLORS.muted,
  },
  footer: {
    padding: '22px 16px 0',
    fontSize: 13,
    lineHeight: '21px',
    color: LIGHT_COLORS.muted,
    textAlign: 'center',
  },
  footerLink: { color: LIGHT_COLORS.muted, textDecoration: 'underline' },
} as const satisfies Readonly<Record<string, CSSProperties>>;

/** A table for layout only, which screen readers read as running text. It has one row for each group of cells. */
function layoutTable(
  {
    width = '100%',
    ...props
  }: { width?: string | null; className?: string; style?: CSSProperties; align?: 'center' },
  ...rows: readonly ReactNode[]
): ReactElement {
  const attributes = {
    role: 'presentation',
    border: 0,
    cellPadding: 0,
    cellSpacing: 0,
    ...(width && { width }),
  };
  return h(
    'table',
    { ...attributes, ...props },
    h('tbody', null, ...rows.map((row, key) => h('tr', { key }, row))),
  );
}

const cell = (className: string | undefined, style: CSSProperties, ...children: readonly ReactNode[]) =>
  h('td', { className, style, key: className }, ...children);

const REFERENCE = /(BD-\d{8}-[1-9]\d{5})/;
/** Keeps each reference number in a text on one line. */
const withWholeReferences = (text: string): readonly ReactNode[] =>
  text
    .split(REFERENCE)
    .map((part, index) =>
      index % 2 === 0 ? part : h('span', { key: index, style: { whiteSpace: 'nowrap' } }, part),
    );

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

function factRow([label, value]: MailFact): ReactNode {
  const isAddress = ADDRESS.test(value ?? '');
  return [
    cell('fact line muted', STYLE.label, label),
    cell(
      'fact fact-value line text',
      { ...STYLE.valueCell, ...(isAddress ? STYLE.addressCell : {}) },
      h('bdi', { style: STYLE.value }, withoutBidiControls(value ?? '')),
    ),
  ];
}

function linkOf({ kind, label, url }: Extract<MailPart, { kind: 'button' | 'link' }>): ReactElement {
  if (kind === 'link') {
    return h(
      'p',
      { style: STYLE.paragraph },
      h('a', { href: url, className: 'link', style: STYLE.link }, label),
    );
  }
  const link = h('a', { href: url, className: 'button-text', style: STYLE.buttonLink }, label);
  return layoutTable(
    { width: null, className: 'wide', style: STYLE.button },
    cell('button', STYLE.buttonCell, link),
  );
}

function renderPart(part: MailPart): ReactNode {
  if (typeof part === 'string') return h('p', { style: STYLE.paragraph }, withWholeReferences(part));
  switch (part.kind) {
    case 'small':
      return h('p', { className: 'line muted', style: STYLE.small }, withWholeReferences(part.text));
    case 'lines':
      return h('p', { style: STYLE.lines }, h('bdi', null, withoutBidiControls(part.text)));
    case 'facts': {
      const rows = part.facts.filter(([, value]) => value !== null && value !== '').map(factRow);
      return rows.length > 0 && layoutTable({ className: 'line', style: STYLE.facts }, ...rows);
    }
    case 'steps':
      return [
        h('h2', { style: STYLE.subtitle, key: 'title' }, part.title),
        h(
          'ol',
          { style: STYLE.steps, key: 'steps' },
          part.steps.map((step) => h('li', { key: step, style: STYLE.step }, step)),
        ),
      ];
    case 'quote': {
      if (!part.text) return null;
      const label = h('p', { className: 'muted', style: STYLE.quoteLabel }, part.label);
      const text = h('bdi', { style: STYLE.value }, withoutBidiControls(part.text));
      return layoutTable({ style: { margin: '4px 0 22px' } }, cell('quote text', STYLE.quote, label, text));
    }
    case 'button':
    case 'link':
      return linkOf(part);
  }
}

function renderTopic({ topic, badge }: MailTemplate): ReactNode {
  const color = badge && LIGHT_COLORS[badge.tone];
  const style = { ...STYLE.badge, color, borderColor: color };
  return [
    badge &&
      h(
        'p',
        { key: 'badge', style: STYLE.badgeLine },
        h('span', { className: badge.tone, style }, badge.text),
      ),
    topic && h('p', { key: 'topic', className: 'muted', style: STYLE.topic }, withWholeReferences(topic)),
  ];
}

/** The logo is text, so it shows even if images are blocked, and no image can reveal that the email was opened. */
const LOGO_ROW = h(
  'td',
  { style: STYLE.logo, key: 'logo' },
  layoutTable({ width: null }, [
    h('td', { key: 'mark', style: STYLE.mark, 'aria-hidden': true }, 'BD'),
    h('td', { key: 'brand', className: 'text', style: STYLE.brand }, '\u00A0BlackDuck'),
  ]),
);

function footerCell({ postalAddress, supportEmail, privacyUrl }: MailFooter): ReactElement {
  const link = (href: string, label: string) =>
    h('a', { href, className: 'muted', style: STYLE.footerLink }, label);
  const links = [link(`mailto:${supportEmail}`, supportEmail), ' · ', link(privacyUrl, 'Privacy policy')];
  return cell('muted', STYLE.footer, postalAddress, h('br'), ...links);
}

function renderBody(mail: MailTemplate, footer: MailFooter | null): ReactElement {
  const { subject, title = subject, preheader } = mail;
  const content = cell(
    'sheet-padding text',
    STYLE.inner,
    renderTopic(mail),
    h('h1', { className: 'text', style: STYLE.title }, withWholeReferences(title)),
    ...mail.parts.map((part, index) => h('div', { key: index }, renderPart(part))),
  );
  const sheet = h(
    'td',
    { key: 'sheet' },
    layoutTable({ className: 'sheet line', style: STYLE.sheet }, content),
  );
  const rows = [LOGO_ROW, sheet, ...(footer ? [footerCell(footer)] : [])];
  const column = layoutTable({ align: 'center', style: STYLE.column }, ...rows);
  // Outlook renders emails with Word, which ignores `max-width`. So conditional comments add a table with a fixed width.
  // They are inserted as raw HTML, because React cannot render comments.
  const html = `${MSO_START}${renderToStaticMarkup(column)}${MSO_END}`;
  return h(
    'div',
    { lang: 'en', dir: 'ltr', role: 'article', 'aria-label': subject },
    preheader &&
      h(
        'div',
        { style: STYLE.preheader, 'aria-hidden': true, 'data-preheader': '' },
        preheader,
        HIDDEN_PADDING,
      ),
    layoutTable(
      { className: 'page' },
      // biome-ignore lint/security/noDangerouslySetInnerHtml: React rendered it, so its texts are escaped.
      h('td', { className: 'page', style: STYLE.outer, dangerouslySetInnerHTML: { __html: html } }),
    ),
  );
}

const MSO_START = `<!--[if mso]><table role="presentation" align="center" width="${WIDTH}"><tr><td><![endif]-->`;
const MSO_END = '<!--[if mso]></td></tr></table><![endif]-->';

/** Fills the rest of the preview in a list of emails. Otherwise mail programs show the email's first lines there. */
const HIDDEN_PADDING = '\u00A0\u200C'.repeat(80);

const meta = (name: string, content: string) => h('meta', { name, content });

/** React escapes all texts. */
export function renderHtmlDocument(mail: MailTemplate, footer: MailFooter | null): string {
  const head = h(
    'head',
    null,
    h('meta', { charSet: 'utf-8' }),
    meta('viewport', 'width=device-width, initial-scale=1'),
    meta('color-scheme', 'light dark'),
    meta('supported-color-schemes', 'light dark'),
    meta('format-detection', 'telephone=no, date=no, address=no, email=no, url=no'),
    meta('x-apple-disable-message-reformatting', ''),
    h('title', null, mail.subject),
    ...MAIL_STYLE_SHEETS.map((sheet) => h('style', { key: sheet }, sheet)),
  );
  const page = h('body', { className: 'page text', style: STYLE.page }, renderBody(mail, footer));
  return `<!doctype html>${renderToStaticMarkup(h('html', { lang: 'en', dir: 'ltr' }, head, page))}`;
}
