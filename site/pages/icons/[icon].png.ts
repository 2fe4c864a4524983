import type { APIRoute, GetStaticPaths } from 'astro';
import sharp from 'sharp';
import favicon from '../../public/favicon.svg?raw';

/** Icons of the installed app. A full icon fills the whole square, because the system crops it to the shape of its icons. */
const ICONS = [
  { name: 'icon-192', size: 192, isFull: false },
  { name: 'icon-512', size: 512, isFull: false },
  { name: 'maskable-512', size: 512, isFull: true },
  { name: 'apple-touch', size: 180, isFull: true },
] as const;
type Icon = (typeof ICONS)[number];

const BACKGROUND = '#E3B341';

/** The mark, kept within the safe zone of maskable icons (https://w3c.github.io/manifest/#icon-masks). */
const FULL_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="${BACKGROUND}"/><svg x="7" y="7" width="50" height="50" viewBox="0 0 64 64">${favicon}</svg></svg>`;

function drawIcon({ size, isFull }: Icon): Promise<Buffer> {
  return sharp(Buffer.from(isFull ? FULL_ICON : favicon), { density: (72 * size) / 64 })
    .resize(size, size)
    .png({ palette: true })
    .toBuffer();
}

export const getStaticPaths = (() =>
  ICONS.map((icon) => ({ params: { icon: icon.name }, props: { icon } }))) satisfies GetStaticPaths;

export const GET: APIRoute<{ icon: (typeof ICONS)[number] }> = async ({ props }) =>
  new Response(new Uint8Array(await drawIcon(props.icon)), { headers: { 'Content-Type': 'image/png' } });
