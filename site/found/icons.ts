import sharp from 'sharp';
import favicon from '../public/favicon.svg?raw';

/** Icons that the site is installed with. A full one fills its square: the system cuts it to its own shape. */
export const ICONS = [
  { name: 'icon-192', size: 192, isFull: false },
  { name: 'icon-512', size: 512, isFull: false },
  { name: 'maskable-512', size: 512, isFull: true },
  { name: 'apple-touch', size: 180, isFull: true },
] as const;
type Icon = (typeof ICONS)[number];

const GROUND = '#E3B341';

/** The mark within the circle that every system leaves (https://w3c.github.io/manifest/#icon-masks). */
const FULL = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="${GROUND}"/><svg x="7" y="7" width="50" height="50" viewBox="0 0 64 64">${favicon}</svg></svg>`;

/** An icon as PNG. */
export function drawIcon({ size, isFull }: Icon): Promise<Buffer> {
  return sharp(Buffer.from(isFull ? FULL : favicon), { density: (72 * size) / 64 })
    .resize(size, size)
    .png({ palette: true })
    .toBuffer();
}
