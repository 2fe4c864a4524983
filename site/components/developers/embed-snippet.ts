import { EMBEDDED_FIGURES, type EmbeddedFigureName, type EmbedTheme } from '../../../data/contract/embeds.ts';
import * as PATHS from '../../../data/contract/paths.ts';

const WIDTH_PX = 320;
const HEAD_HEIGHT_PX = 50;
const FIGURE_HEIGHT_PX = 49;

const withQuery = (url: string, query: readonly string[]) =>
  query.length === 0 ? url : `${url}?${query.join('&amp;')}`;

const themeQuery = (theme: EmbedTheme) => (theme === 'auto' ? [] : [`theme=${theme}`]);

export function badgeSnippet(apiOrigin: string, figure: EmbeddedFigureName, theme: EmbedTheme): string {
  const url = withQuery(apiOrigin + PATHS.badge(figure), themeQuery(theme));
  return `<img src="${url}" alt="${EMBEDDED_FIGURES[figure]}">`;
}

/** @returns the HTML of an iframe that is tall enough for the figures */
export function widgetSnippet(
  apiOrigin: string,
  figures: readonly EmbeddedFigureName[],
  theme: EmbedTheme,
): string {
  const showsAllFigures = figures.length === 0 || figures.length === Object.keys(EMBEDDED_FIGURES).length;
  const count = showsAllFigures ? Object.keys(EMBEDDED_FIGURES).length : figures.length;
  const query = [...themeQuery(theme), ...(showsAllFigures ? [] : [`figures=${figures.join(',')}`])];
  const size = `width="${WIDTH_PX}" height="${HEAD_HEIGHT_PX + FIGURE_HEIGHT_PX * count}"`;
  return `<iframe src="${withQuery(apiOrigin + PATHS.figuresWidget, query)}" title="BlackDuck: live figures" ${size} loading="lazy"></iframe>`;
}
