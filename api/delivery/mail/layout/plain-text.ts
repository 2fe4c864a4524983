import type { MailFooter, MailPart, MailTemplate } from '../mail-template.ts';

/** Invisible characters that change the direction of the text after them. */
const BIDI_CONTROLS = /\p{Bidi_Control}/gu;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

export const withoutBidiControls = (text: string): string => text.replaceAll(BIDI_CONTROLS, '');

/**
 * The plain-text counterpart of `<bdi>`: right-to-left text does not affect its surroundings. Every line after the first is
 * indented, so that it does not look like another fact.
 */
function isolate(value: string): string {
  const lines = withoutBidiControls(value).replaceAll(/\r\n?|\n/g, '\n    ');
  return RIGHT_TO_LEFT.test(lines) ? `${FIRST_STRONG_ISOLATE}${lines}${POP_ISOLATE}` : lines;
}

function blockOf(part: MailPart): string {
  if (typeof part === 'string') return part;
  switch (part.kind) {
    case 'small':
    case 'lines':
      return withoutBidiControls(part.text);
    case 'facts':
      return part.facts
        .flatMap(([label, value]) => (value ? [`${label}: ${isolate(value)}`] : []))
        .join('\n');
    case 'steps':
      return [part.title, ...part.steps.map((step, index) => `${index + 1}. ${step}`)].join('\n');
    case 'quote':
      return part.text ? `${part.label}: ${isolate(part.text)}` : '';
    case 'button':
    case 'link':
      // On a line of its own, so that mail programs recognize the whole URL.
      return `${part.label}:\n${part.url}`;
  }
}

/** A line that mail programs recognize as the start of the signature, which they leave out of replies. */
const SIGNATURE = '-- ';

const footerLines = ({ postalAddress, supportEmail, privacyUrl }: MailFooter): string =>
  [SIGNATURE, postalAddress, `Support: ${supportEmail}`, `Privacy policy: ${privacyUrl}`].join('\n');

export function renderPlainText(
  { subject, title = subject, topic, parts }: MailTemplate,
  footer: MailFooter | null,
): string {
  const heading = topic ? `${title}\n${topic}` : title;
  const blocks = [heading, ...parts.map(blockOf), footer ? footerLines(footer) : ''];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
