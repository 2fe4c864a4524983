import type { CardTier } from '../../../data/model/tiers.ts';
import {
  createOutline,
  type Ground,
  groundPath,
  type Outline,
  type Rosette,
  rosettePath,
} from './guilloche.ts';

/**
 * A pseudorandom number generator, seeded with a string: FNV-1a hashes the seed, and mulberry32 generates numbers
 * that are at least 0 and less than 1.
 */
function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let index = 0; index < seed.length; index += 1) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * One of these steps, derived from the wallet, is added to the outermost rosette's number of lobes. The lobes of the rosettes'
 * other waves are scaled in proportion. All steps are even, because some waves have half as many lobes.
 */
const LOBE_STEPS = [-4, -2, 0, 2, 4] as const;

/**
 * The artwork of a tier for one wallet: the tier's style and colors, with lobes, swings and waves derived from the
 * wallet. A wallet always gets the same artwork, which is almost certainly unique. The amplitudes of all
 * rosettes are scaled by the same factor of at most 1, so that the rosettes do not overlap.
 */
export function walletDesign(tier: CardTier, wallet: string): CardDesign {
  const design = DESIGNS[tier];
  const nextRandom = seededRandom(`${tier} ${wallet}`);
  const randomBetween = (from: number, to: number) => from + (to - from) * nextRandom();
  const [outermostLobes = 8] = design.rosettes.map(({ outer }) => outer.waves[0]?.lobes ?? 8);
  const step = LOBE_STEPS[Math.floor(nextRandom() * LOBE_STEPS.length)] ?? 0;
  const lobeScale = (outermostLobes + step) / outermostLobes;
  const amplitudeScale = randomBetween(0.45, 1);

  const scaleOutline = ({ radius, waves }: Outline): Outline => ({
    radius,
    waves: waves.map(({ lobes, amplitude }) => ({
      lobes: lobes * lobeScale,
      amplitude: amplitude * amplitudeScale,
    })),
  });
  const rosettes = design.rosettes.map(({ inner, outer, swings, lineCount }) => ({
    inner: scaleOutline(inner),
    outer: scaleOutline(outer),
    swings: swings + Math.floor(randomBetween(-1, 4)),
    lineCount,
  }));
  const stretch = randomBetween(0.75, 1.3);
  const waves = design.ground.waves.map(({ length, amplitude, shift }) => ({
    length: length * stretch,
    amplitude: amplitude * randomBetween(0.7, 1.2),
    shift: shift * randomBetween(0.6, 1.5),
  }));
  return { ...design, rosettes, ground: { ...design.ground, waves } };
}

/** The center of the rosettes, in user units. */
export const CARD_CENTER = { x: 728, y: 296 } as const;
export const ROSETTE_OPACITY = 0.5;

export function cardLines(design: CardDesign): { readonly ground: string; readonly rosettes: string } {
  return { ground: groundPath(design.ground), rosettes: design.rosettes.map(rosettePath).join('') };
}

export function tierArtwork(tier: CardTier): string {
  const design = DESIGNS[tier];
  const { ground, rosettes } = cardLines(design);
  const size = `width="${CARD_SIZE.width}" height="${CARD_SIZE.height}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CARD_SIZE.width} ${CARD_SIZE.height}" ${size}>` +
    `<rect ${size} fill="${design.paper}"/><g fill="none" stroke="${design.ink}" stroke-width="1">` +
    `<path opacity="${design.groundOpacity}" d="${ground}"/>` +
    `<path opacity="${ROSETTE_OPACITY}" transform="translate(${CARD_CENTER.x} ${CARD_CENTER.y})" d="${rosettes}"/>` +
    '</g></svg>'
  );
}

/** Size of the artwork in user units, in the proportions of a payment card. */
export const CARD_SIZE = { width: 1000, height: 630 } as const;

interface CardDesign {
  readonly paper: string;
  readonly ink: string;
  readonly ground: Ground;
  readonly groundOpacity: number;
  /** Ordered from the outside in. */
  readonly rosettes: readonly Rosette[];
}

function createGround(length: number, amplitude: number): Ground {
  return {
    width: CARD_SIZE.width,
    top: -40,
    gap: 14,
    lineCount: 52,
    waves: [
      { length, amplitude, shift: 0.1 },
      { length: length / 3, amplitude: amplitude / 5, shift: -0.16 },
    ],
  };
}

const DESIGNS: Readonly<Record<CardTier, CardDesign>> = {
  Duckling: {
    paper: '#262930',
    ink: '#C9CCD2',
    ground: createGround(520, 20),
    groundOpacity: 0.15,
    rosettes: [
      { inner: createOutline(112, 8, -10), outer: createOutline(226, 8, 30), swings: 8, lineCount: 15 },
      { inner: createOutline(44, 8, 4), outer: createOutline(96, 8, -12), swings: 4, lineCount: 14 },
    ],
  },
  Banker: {
    paper: '#1D180E',
    ink: '#E3B341',
    ground: createGround(420, 26),
    groundOpacity: 0.15,
    rosettes: [
      { inner: createOutline(196, 12, 18), outer: createOutline(286, 12, 30), swings: 18, lineCount: 9 },
      { inner: createOutline(96, 12, -12), outer: createOutline(186, 12, 18), swings: 6, lineCount: 18 },
      { inner: createOutline(36, 6, 5), outer: createOutline(82, 12, -10), swings: 6, lineCount: 8 },
    ],
  },
  Raven: {
    paper: '#08090A',
    ink: '#E3B341',
    ground: createGround(340, 32),
    groundOpacity: 0.16,
    rosettes: [
      { inner: createOutline(282, 16, 22), outer: createOutline(390, 16, 34), swings: 24, lineCount: 9 },
      { inner: createOutline(186, 16, -16), outer: createOutline(272, 16, 22), swings: 8, lineCount: 20 },
      { inner: createOutline(98, 8, 12), outer: createOutline(178, 16, -16), swings: 16, lineCount: 7 },
      { inner: createOutline(34, 8, -5), outer: createOutline(84, 8, 12), swings: 4, lineCount: 12 },
    ],
  },
};
