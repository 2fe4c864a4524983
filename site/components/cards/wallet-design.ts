import type { CardTier } from '../../../data/model/tiers.ts';
import type { Outline, Rosette } from './guilloche.ts';
import { DESIGNS, type PlateDesign } from './plate-design.ts';

/** Numbers from 0 up to 1, always the same for the same text (FNV-1a for the seed, mulberry32 for the sequence). */
function drawsOf(text: string): () => number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** By how many lobes a plate differs from its tier's: an even number, so that the half of them stays whole. */
const LOBE_STEPS = [-4, -2, 0, 2, 4] as const;

/**
 * The plate of a tier as it is engraved for one wallet: the hand and the inks of the tier, with lobes, swings and waves
 * that no other wallet's plate is likely to have. The same wallet always has the same. All outlines swell alike, and no
 * further than on the tier's own plate, so that the rosettes do not run into each other.
 */
export function walletDesign(tier: CardTier, wallet: string): PlateDesign {
  const design = DESIGNS[tier];
  const draw = drawsOf(`${tier} ${wallet}`);
  const between = (from: number, to: number) => from + (to - from) * draw();
  const [largest = 8] = design.rosettes.map(({ outer }) => outer.waves[0]?.lobes ?? 8);
  const step = LOBE_STEPS[Math.floor(draw() * LOBE_STEPS.length)] ?? 0;
  const scale = (largest + step) / largest;

  const reach = between(0.45, 1);

  const outline = ({ radius, waves }: Outline): Outline => ({
    radius,
    waves: waves.map(({ lobes, amplitude }) => ({ lobes: lobes * scale, amplitude: amplitude * reach })),
  });
  const rosette = ({ inner, outer, swings, lines }: Rosette): Rosette => ({
    inner: outline(inner),
    outer: outline(outer),
    swings: swings + Math.floor(between(-1, 4)),
    lines,
  });

  const rosettes = design.rosettes.map(rosette);
  const stretch = between(0.75, 1.3);
  const waves = design.ground.waves.map(({ length, amplitude, shift }) => ({
    length: length * stretch,
    amplitude: amplitude * between(0.7, 1.2),
    shift: shift * between(0.6, 1.5),
  }));
  return { ...design, rosettes, ground: { ...design.ground, waves } };
}
