/** The colors in emails, the same as in the site's two themes. */
export const LIGHT_COLORS = {
  page: '#FBFAF6',
  sheet: '#FFFFFF',
  line: '#E4E1D6',
  text: '#16181C',
  muted: '#5C5B54',
  link: '#7A5A00',
  quote: '#FBFAF6',
  good: '#146C43',
  bad: '#B3261E',
  button: '#16181C',
  'button-text': '#FFFFFF',
} as const;

export type MailColor = keyof typeof LIGHT_COLORS;

export const DARK_COLORS: Readonly<Record<MailColor, string>> = {
  page: '#0B0C0E',
  sheet: '#131519',
  line: '#2E3138',
  text: '#F2EFE6',
  muted: '#A7A69E',
  link: '#E3B341',
  quote: '#1B1E23',
  good: '#4CC38A',
  bad: '#FF7B72',
  button: '#E3B341',
  'button-text': '#0B0C0E',
};

/** The logo's colors are the same in both themes. */
export const LOGO_COLORS = { gold: '#E3B341', black: '#0B0C0E' } as const;

const BACKGROUNDS: readonly MailColor[] = ['page', 'sheet', 'quote', 'button'];

const cssProperty = (name: MailColor) =>
  name === 'line' ? 'border-color' : BACKGROUNDS.includes(name) ? 'background-color' : 'color';

const darkRules = (Object.keys(LIGHT_COLORS) as MailColor[])
  .map((name) => `.${name}{${cssProperty(name)}:${DARK_COLORS[name]}!important}`)
  // The border of a badge.
  .concat(`.good{border-color:${DARK_COLORS.good}!important}.bad{border-color:${DARK_COLORS.bad}!important}`)
  .join('');

const PHONE_RULES = [
  '.sheet-padding{padding:26px 20px 8px!important}',
  '.fact{display:block!important;width:auto!important;border-bottom-width:0!important;padding:9px 0 0!important}',
  '.fact-value{padding:0 0 9px!important;border-bottom-width:1px!important}',
  '.wide{width:100%!important}',
].join('');

/**
 * The rules that inline styles cannot express. Each has its own style sheet, because a mail program that does not know a rule
 * drops the whole sheet. Without these rules, an email has the light colors, and facts in two columns. The sheets contain nothing
 * that HTML would escape.
 */
export const MAIL_STYLE_SHEETS: readonly string[] = [
  `@media (max-width:480px){${PHONE_RULES}}`,
  `@media (prefers-color-scheme:dark){${darkRules}}`,
  // In mail programs that turn addresses and dates into links, these links keep the text's color.
  ':root{color-scheme:light dark;supported-color-schemes:light dark}a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}',
];
