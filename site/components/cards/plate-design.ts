import type { CardTier } from '../../../data/model/tiers.ts';
import type { Ground, Outline, Rosette } from './guilloche.ts';

/** Size of a plate's artwork in user units: the proportion of a payment card. */
export const PLATE = { width: 1000, height: 630 } as const;

/** What a plate is drawn from. */
export interface PlateDesign {
  readonly paper: string;
  readonly ink: string;
  readonly ground: Ground;
  readonly groundOpacity: number;
  /** From the outside in. */
  readonly rosettes: readonly Rosette[];
}

function outline(radius: number, lobes: number, amplitude: number): Outline {
  return {
    radius,
    waves: [
      { lobes, amplitude },
      { lobes: lobes * 2, amplitude: amplitude * 0.22 },
    ],
  };
}

function ground(length: number, amplitude: number): Ground {
  return {
    width: PLATE.width,
    top: -40,
    gap: 14,
    lines: 52,
    waves: [
      { length, amplitude, shift: 0.1 },
      { length: length / 3, amplitude: amplitude / 5, shift: -0.16 },
    ],
  };
}

/** The artwork of each tier: one hand, richer with the tier. */
export const DESIGNS: Readonly<Record<CardTier, PlateDesign>> = {
  Duckling: {
    paper: '#262930',
    ink: '#C9CCD2',
    ground: ground(520, 20),
    groundOpacity: 0.15,
    rosettes: [
      { inner: outline(112, 8, -10), outer: outline(226, 8, 30), swings: 8, lines: 15 },
      { inner: outline(44, 8, 4), outer: outline(96, 8, -12), swings: 4, lines: 14 },
    ],
  },
  Banker: {
    paper: '#1D180E',
    ink: '#E3B341',
    ground: ground(420, 26),
    groundOpacity: 0.15,
    rosettes: [
      { inner: outline(196, 12, 18), outer: outline(286, 12, 30), swings: 18, lines: 9 },
      { inner: outline(96, 12, -12), outer: outline(186, 12, 18), swings: 6, lines: 18 },
      { inner: outline(36, 6, 5), outer: outline(82, 12, -10), swings: 6, lines: 8 },
    ],
  },
  Raven: {
    paper: '#08090A',
    ink: '#E3B341',
    ground: ground(340, 32),
    groundOpacity: 0.16,
    rosettes: [
      { inner: outline(282, 16, 22), outer: outline(390, 16, 34), swings: 24, lines: 9 },
      { inner: outline(186, 16, -16), outer: outline(272, 16, 22), swings: 8, lines: 20 },
      { inner: outline(98, 8, 12), outer: outline(178, 16, -16), swings: 16, lines: 7 },
      { inner: outline(34, 8, -5), outer: outline(84, 8, 12), swings: 4, lines: 12 },
    ],
  },
};
