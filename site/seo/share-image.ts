import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import opentype, { type Font, type PathCommand } from 'opentype.js';
import sharp from 'sharp';
import { medallionArtwork } from '../components/cards/guilloche.ts';
import favicon from '../public/favicon.svg?raw';

/** The size, in pixels, that social networks expect. */
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 80;
/** The top of the gold rule, and the width of the half medallion above it, in pixels. */
const RULE_Y = 556;
const MEDALLION_WIDTH = 320;
const COLORS = { ground: '#0B0C0E', text: '#F2EFE6', muted: '#A7A69E', gold: '#E3B341' };

const { resolve } = createRequire(import.meta.url);

async function readFont(weight: 400 | 600): Promise<Font> {
  const file = await readFile(resolve(`@fontsource/geist/files/geist-latin-${weight}-normal.woff`));
  return opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
}

/** The medallion artwork, which is drawn in black to serve as a mask, recolored in gold. */
const medallion = medallionArtwork()
  .replace(/^<svg[^>]*>/, '<g opacity="0.5" stroke-width="1.4">')
  .replace('</svg>', '</g>')
  .replace('stroke="#000"', `stroke="${COLORS.gold}"`);

const fonts = Promise.all([readFont(400), readFont(600)]);

const coordinates = (...numbers: readonly number[]) => numbers.map((number) => number.toFixed(1)).join(' ');

/** Converts an outline command to SVG path data. The library's own function writes NaN for coordinates close to an integer. */
function pathStep(command: PathCommand): string {
  switch (command.type) {
    case 'Q':
      return `Q${coordinates(command.x1, command.y1, command.x, command.y)}`;
    case 'C':
      return `C${coordinates(command.x1, command.y1, command.x2, command.y2, command.x, command.y)}`;
    case 'Z':
      return 'Z';
    default:
      return command.type + coordinates(command.x, command.y);
  }
}

const pathData = (commands: readonly PathCommand[]) => commands.map(pathStep).join('');

interface TextStyle {
  readonly font: Font;
  readonly size: number;
  readonly color: string;
  readonly width: number;
  readonly maxLines: number;
}

/** Draws text as outlines, which do not depend on installed fonts. @returns the paths, and the y coordinate below them */
function textOutlines(
  text: string,
  top: number,
  { font, size, color, width, maxLines }: TextStyle,
): [string, number] {
  const lines = breakLines(text, width, maxLines, (line) => font.getAdvanceWidth(line, size));
  const leading = size * 1.18;
  const paths = lines.map((line, index) => {
    const { commands } = font.getPath(line, MARGIN, top + size * 0.8 + index * leading, size);
    return `<path fill="${color}" d="${pathData(commands)}"/>`;
  });
  return [paths.join(''), top + lines.length * leading];
}

/** Draws the preview image of a shared page: PNG, 1200 × 630. */
export async function shareImage(texts: {
  readonly brand: string;
  readonly title: string;
  readonly description: string;
}): Promise<Buffer> {
  const [regular, strong] = await fonts;
  const width = WIDTH - 2 * MARGIN;
  const brandPath = pathData(strong.getPath(texts.brand, MARGIN + 76, 112, 34).commands);
  const titleStyle: TextStyle = { font: strong, size: 84, color: COLORS.text, width, maxLines: 2 };
  const descriptionStyle: TextStyle = {
    font: regular,
    size: 33,
    color: COLORS.muted,
    width: 800,
    maxLines: 4,
  };
  const [titlePaths, titleBottom] = textOutlines(texts.title, 190, titleStyle);
  const [descriptionPaths] = textOutlines(texts.description, titleBottom + 22, descriptionStyle);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
    <rect width="${WIDTH}" height="${HEIGHT}" fill="${COLORS.ground}"/>
    <svg x="${MARGIN}" y="72" width="56" height="56" viewBox="0 0 64 64">${favicon}</svg>
    <path fill="${COLORS.text}" d="${brandPath}"/>${titlePaths}${descriptionPaths}
    <svg x="${WIDTH - MARGIN - MEDALLION_WIDTH}" y="${RULE_Y - MEDALLION_WIDTH / 2}" width="${MEDALLION_WIDTH}" height="${MEDALLION_WIDTH / 2}" viewBox="-320 -320 640 320">${medallion}</svg>
    <rect x="${MARGIN}" y="${RULE_Y}" width="${width}" height="2" fill="${COLORS.gold}"/>
  </svg>`;
  return sharp(Buffer.from(svg)).png({ palette: true, colors: 16, effort: 10 }).toBuffer();
}

/**
 * Breaks text into at most `maxLines` lines that are at most `width` wide. Ends with an ellipsis if text is left out. A
 * word that is too wide gets its own line.
 */
export function breakLines(
  text: string,
  width: number,
  maxLines: number,
  measure: (line: string) => number,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || measure(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  if (lines.length <= maxLines) return lines;
  let last = lines[maxLines - 1] ?? '';
  while (measure(`${last} …`) > width && last.includes(' ')) last = last.slice(0, last.lastIndexOf(' '));
  return [...lines.slice(0, maxLines - 1), `${last} …`];
}
