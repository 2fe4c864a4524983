export const EMBEDDED_FIGURES = {
  vault: 'BD in the vault',
  staked: 'BD staked',
  stakers: 'BD stakers',
  price: 'BD price',
} as const;
export type EmbeddedFigureName = keyof typeof EMBEDDED_FIGURES;

/** In the order in which the widget shows them. */
export const EMBEDDED_FIGURE_NAMES = Object.keys(EMBEDDED_FIGURES) as readonly EmbeddedFigureName[];

/** `auto` follows the light or dark setting of the reader's system. */
export const EMBED_THEMES = ['auto', 'light', 'dark'] as const;
export type EmbedTheme = (typeof EMBED_THEMES)[number];
