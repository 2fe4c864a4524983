/** A4 in points (1/72 inch). */

export const PAPER = { width: 595.28, height: 841.89 } as const;

export const BODY = { left: 52, right: PAPER.width - 52, top: 55, bottom: 795 } as const;
export const BODY_WIDTH = BODY.right - BODY.left;
export const BODY_HEIGHT = BODY.bottom - BODY.top;

/** The light theme's colors. */
export const INK = {
  paper: '#FBFAF6',
  text: '#16181C',
  muted: '#5C5B54',
  line: '#E4E1D8',
  strongLine: '#B9B5A8',
  gold: '#7A5A00',
  red: '#B3261E',
} as const;

export const HAIRLINE = 0.6;

export type Face = 'regular' | 'medium' | 'strong' | 'mono';

/** Sizes are in points. */
export interface Style {
  readonly face: Face;
  readonly size: number;
  readonly color: string;
  /** Letter spacing. */
  readonly spacing?: number;
  /** Whether all digits have the same width, for columns of figures. */
  readonly isTabular?: boolean;
}

export const STYLES = {
  title: { face: 'medium', size: 46, color: INK.text, spacing: -1.6 },
  lead: { face: 'regular', size: 13.5, color: INK.muted },
  figure: { face: 'medium', size: 23, color: INK.text, spacing: -0.6 },
  part: { face: 'medium', size: 22, color: INK.text, spacing: -0.6 },
  chapter: { face: 'medium', size: 13.5, color: INK.text, spacing: -0.2 },
  warning: { face: 'strong', size: 9, color: INK.red },
  heading: { face: 'strong', size: 9.8, color: INK.text },
  body: { face: 'regular', size: 9.5, color: INK.text },
  quiet: { face: 'regular', size: 9, color: INK.muted },
  cell: { face: 'regular', size: 8.8, color: INK.text },
  small: { face: 'regular', size: 8, color: INK.muted },
  number: { face: 'mono', size: 8.4, color: INK.gold },
  pageNumber: { face: 'mono', size: 8, color: INK.muted },
} as const satisfies Record<string, Style>;

/** Distance from one baseline to the next, in points. */
export const LEADING = { body: 12.8, cell: 11.4, quiet: 12.2 } as const;
