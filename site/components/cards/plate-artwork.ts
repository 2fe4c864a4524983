import type { CardTier } from '../../../data/model/tiers.ts';
import { groundPath, rosettePath } from './guilloche.ts';
import { DESIGNS, PLATE, type PlateDesign } from './plate-design.ts';

/** Where the rosettes stand. */
export const PLATE_CENTRE = { x: 728, y: 296 } as const;
export const ROSETTE_OPACITY = 0.5;

/** The lines of a plate, as the paths of an SVG document of its size. */
export function plateLines(design: PlateDesign): { readonly ground: string; readonly rosettes: string } {
  return { ground: groundPath(design.ground), rosettes: design.rosettes.map(rosettePath).join('') };
}

/** The artwork of a tier's card as a complete SVG document. */
export function plateArtwork(tier: CardTier): string {
  const design = DESIGNS[tier];
  const { ground, rosettes } = plateLines(design);
  const size = `width="${PLATE.width}" height="${PLATE.height}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLATE.width} ${PLATE.height}" ${size}>` +
    `<rect ${size} fill="${design.paper}"/><g fill="none" stroke="${design.ink}" stroke-width="1">` +
    `<path opacity="${design.groundOpacity}" d="${ground}"/>` +
    `<path opacity="${ROSETTE_OPACITY}" transform="translate(${PLATE_CENTRE.x} ${PLATE_CENTRE.y})" d="${rosettes}"/>` +
    '</g></svg>'
  );
}
