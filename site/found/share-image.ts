import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import opentype, { type Font, type PathCommand } from 'opentype.js';
import sharp from 'sharp';
import { medallionArtwork } from '../components/cards/medallion-artwork.ts';
import favicon from '../public/favicon.svg?raw';
import { breakLines } from './line-breaks.ts';

/** Size in pixels, as the networks ask for. */
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 80;
/** Where the line lies, and how wide the medallion on it is. */
const LINE = 556;
const MOON = 320;
const COLOURS = { ground: '#0B0C0E', text: '#F2EFE6', muted: '#A7A69E', gold: '#E3B341' };

const { resolve } = createRequire(import.meta.url);

async function readFont(weight: 400 | 600): Promise<Font> {
  const file = await readFile(resolve(`@fontsource/geist/files/geist-latin-${weight}-normal.woff`));
  return opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
}

/** The medallion in the house's gold, half of it above the line. It is drawn to be a mask: black on nothing. */
const moon = medallionArtwork()
  .replace(/^<svg[^>]*>/, '<g opacity="0.5" stroke-width="1.4">')
  .replace('</svg>', '</g>')
  .replace('stroke="#000"', `stroke="${COLOURS.gold}"`);

const fonts = Promise.all([readFont(400), readFont(600)]);

const place = (...numbers: readonly number[]) => numbers.map((number) => number.toFixed(1)).join(' ');

/** An outline's step as SVG path data. The library's own writer loses coordinates to its rounding. */
function step(command: PathCommand): string {
  switch (command.type) {
    case 'Q':
      return `Q${place(command.x1, command.y1, command.x, command.y)}`;
    case 'C':
      return `C${place(command.x1, command.y1, command.x2, command.y2, command.x, command.y)}`;
    case 'Z':
      return 'Z';
    default:
      return command.type + place(command.x, command.y);
  }
}

const pathData = (commands: readonly PathCommand[]) => commands.map(step).join('');

interface Lines {
  readonly font: Font;
  readonly size: number;
  readonly colour: string;
  readonly width: number;
  readonly most: number;
}

/** Text as outlines, which look the same wherever the site is built. Answers them and where they end. */
function outlines(text: string, top: number, { font, size, colour, width, most }: Lines): [string, number] {
  const lines = breakLines(text, width, most, (line) => font.getAdvanceWidth(line, size));
  const leading = size * 1.18;
  const paths = lines.map((line, index) => {
    const { commands } = font.getPath(line, MARGIN, top + size * 0.8 + index * leading, size);
    return `<path fill="${colour}" d="${pathData(commands)}"/>`;
  });
  return [paths.join(''), top + lines.length * leading];
}

/** The picture that stands for a page where it is shared: 1200 × 630, PNG. */
export async function shareImage(words: {
  readonly house: string;
  readonly title: string;
  readonly description: string;
}): Promise<Buffer> {
  const [regular, strong] = await fonts;
  const width = WIDTH - 2 * MARGIN;
  const house = pathData(strong.getPath(words.house, MARGIN + 76, 112, 34).commands);
  const title: Lines = { font: strong, size: 84, colour: COLOURS.text, width, most: 2 };
  const text: Lines = { font: regular, size: 33, colour: COLOURS.muted, width: 800, most: 4 };
  const [titlePaths, titleEnd] = outlines(words.title, 190, title);
  const [textPaths] = outlines(words.description, titleEnd + 22, text);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
    <rect width="${WIDTH}" height="${HEIGHT}" fill="${COLOURS.ground}"/>
    <svg x="${MARGIN}" y="72" width="56" height="56" viewBox="0 0 64 64">${favicon}</svg>
    <path fill="${COLOURS.text}" d="${house}"/>${titlePaths}${textPaths}
    <svg x="${WIDTH - MARGIN - MOON}" y="${LINE - MOON / 2}" width="${MOON}" height="${MOON / 2}" viewBox="-320 -320 640 320">${moon}</svg>
    <rect x="${MARGIN}" y="${LINE}" width="${width}" height="2" fill="${COLOURS.gold}"/>
  </svg>`;
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 16, effort: 10 }).toBuffer();
}
