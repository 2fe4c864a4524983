import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

/** The minimum contrast ratio between text and its background at WCAG 2 level AA. */
const MIN_CONTRAST = 4.5;

/** The relative luminance of a color such as `#7a5a00`, as WCAG 2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((offset) => {
    const value = Number.parseInt(color.slice(offset, offset + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const tokens = new Map(
  [
    ...(await readFile('site/styles/tokens.css', 'utf8')).matchAll(
      /--(\w+): light-dark\((#\w{6}), (#\w{6})\)/g,
    ),
  ].map(([, name = '', light = '', dark = '']) => [name, [light, dark]] as const),
);
const COLOR_PAIRS = ['text', 'muted', 'gold', 'green', 'red', 'amber'].flatMap((text) =>
  ['bg', 'surface'].flatMap((background) =>
    ['light', 'dark'].map((theme, themeIndex) => ({ text, background, theme, themeIndex })),
  ),
);

it.each(COLOR_PAIRS)(
  '$text on $background has enough contrast in the $theme theme',
  ({ text, background, themeIndex }) => {
    const [darker = 0, lighter = 0] = [text, background]
      .map((name) => luminance(tokens.get(name)?.[themeIndex] ?? ''))
      .toSorted((one, other) => one - other);
    expect((lighter + 0.05) / (darker + 0.05)).toBeGreaterThanOrEqual(MIN_CONTRAST);
  },
);
