import { EMBEDDED_FIGURES, type EmbeddedFigureName, type EmbedTheme } from '../../../data/contract/embeds.ts';
import * as PATHS from '../../../data/contract/paths.ts';

const WIDTH_PX = 320;
/** The heights of the widget's head and of one figure, in pixels. */
const HEAD_HEIGHT_PX = 50;
const FIGURE_HEIGHT_PX = 49;

const withQuery = (url: string, query: readonly string[]) =>
  query.length === 0 ? url : `${url}?${query.join('&amp;')}`;

const themeQuery = (theme: EmbedTheme) => (theme === 'auto' ? [] : [`theme=${theme}`]);

/** @param origin the API's origin */
export function badgeSnippet(origin: string, figure: EmbeddedFigureName, theme: EmbedTheme): string {
  const url = withQuery(origin + PATHS.badge(figure), themeQuery(theme));
  return `<img src="${url}" alt="${EMBEDDED_FIGURES[figure]}">`;
}

/** @param origin the API's origin @returns an iframe whose height fits the figures */
export function widgetSnippet(
  origin: string,
  figures: readonly EmbeddedFigureName[],
  theme: EmbedTheme,
): string {
  const showsAllFigures = figures.length === 0 || figures.length === Object.keys(EMBEDDED_FIGURES).length;
  const count = showsAllFigures ? Object.keys(EMBEDDED_FIGURES).length : figures.length;
  const query = [...themeQuery(theme), ...(showsAllFigures ? [] : [`figures=${figures.join(',')}`])];
  const size = `width="${WIDTH_PX}" height="${HEAD_HEIGHT_PX + FIGURE_HEIGHT_PX * count}"`;
  return `<iframe src="${withQuery(origin + PATHS.figuresWidget, query)}" title="BlackDuck: live figures" ${size} loading="lazy"></iframe>`;
}
