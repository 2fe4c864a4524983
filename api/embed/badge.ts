import type { EmbedTheme } from '../../data/contract/embeds.ts';
import { colorStyle } from './colors.ts';
import { type EmbeddedFigure, shortMomentText } from './embedded-figures.ts';

const HEIGHT = 22;
const PADDING = 8;

/** The approximate width of a text at 11 px in the fonts below. In other fonts, `textLength` fits the text to this width. */
function widthOf(text: string, isBold: boolean): number {
  const widths = [...text].map((one) => (/[ijl.,:· ]/.test(one) ? 3.6 : /[A-Z]/.test(one) ? 8 : 6.8));
  return Math.round(widths.reduce((sum, width) => sum + width, 0) * (isBold ? 1.11 : 1));
}

/** A badge as an SVG image. Its `<title>` contains the text for screen readers. */
export function badgeSvg({ label, value, asOf, caveat }: EmbeddedFigure, theme: EmbedTheme): string {
  const when = asOf === null ? '' : shortMomentText(asOf);
  const note = caveat === null ? when : `${caveat} · ${when}`;
  const parts = [
    { text: label, kind: 'label' },
    { text: value, kind: 'value' },
    ...(note === '' ? [] : [{ text: note, kind: caveat === null ? 'note' : 'caveat' }]),
  ];
  let x = PADDING;
  const texts = parts.map(({ text, kind }) => {
    const width = widthOf(text, kind === 'value');
    const element = `<text class="${kind}" x="${x}" y="15" textLength="${width}">${text}</text>`;
    x += width + PADDING;
    return element;
  });
  const title = `${label}: ${value}${note === '' ? '' : ` (${note})`}`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${HEIGHT}" viewBox="0 0 ${x} ${HEIGHT}" ` +
    `role="img" aria-label="${title}"><title>${title}</title><style>${colorStyle(theme)}` +
    'text{font:11px Verdana,"DejaVu Sans",sans-serif;fill:var(--muted)}.value{fill:var(--text);font-weight:700}' +
    '.caveat{fill:var(--amber)}rect{fill:var(--surface);stroke:var(--line)}</style>' +
    `<rect x=".5" y=".5" width="${x - 1}" height="${HEIGHT - 1}" rx="4"/>${texts.join('')}</svg>`
  );
}
