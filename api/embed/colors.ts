import type { EmbedTheme } from '../../data/contract/embeds.ts';

/** The colors of `site/styles/tokens.css` that embeds use, for light and for dark backgrounds. */
const COLORS = {
  surface: ['#ffffff', '#131519'],
  line: ['#e4e1d8', '#24272d'],
  text: ['#16181c', '#f2efe6'],
  muted: ['#5c5b54', '#a7a69e'],
  gold: ['#7a5a00', '#e3b341'],
  amber: ['#8a5300', '#f5a524'],
} as const;

const declarations = (themeIndex: 0 | 1) =>
  Object.entries(COLORS)
    .map(([name, values]) => `--${name}:${values[themeIndex]}`)
    .join(';');

export function colorStyle(theme: EmbedTheme): string {
  const dark = `:root{${declarations(1)}}`;
  if (theme === 'dark') return dark;
  const light = `:root{${declarations(0)}}`;
  return theme === 'light' ? light : `${light}@media(prefers-color-scheme:dark){${dark}}`;
}
