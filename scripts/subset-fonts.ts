import '../data/runtime/node-version.ts';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import subsetFont from 'subset-font';
import { runMain } from '../data/runtime/shutdown.ts';
import { CORE_CHARACTERS, EASTERN_CHARACTERS, unicodeRange, WESTERN_CHARACTERS } from './font-characters.ts';

const SOURCE = 'node_modules/@fontsource-variable';
const TARGET = 'site/styles/fonts';
const LATIN = `${SOURCE}/geist/files/geist-latin-wght-normal.woff2`;
const WEIGHTS = { min: 400, max: 600 };

const FONTS = [
  { source: LATIN, name: 'geist-core.woff2', characters: CORE_CHARACTERS, weights: WEIGHTS },
  { source: LATIN, name: 'geist-western.woff2', characters: WESTERN_CHARACTERS, weights: WEIGHTS },
  {
    source: `${SOURCE}/geist/files/geist-latin-ext-wght-normal.woff2`,
    name: 'geist-eastern.woff2',
    characters: EASTERN_CHARACTERS,
    weights: WEIGHTS,
  },
  {
    source: `${SOURCE}/geist-mono/files/geist-mono-latin-wght-normal.woff2`,
    name: 'geist-mono-core.woff2',
    characters: CORE_CHARACTERS,
    weights: 400,
  },
] as const;

/**
 * Reduces the fonts to the weights in use. Splits the sans-serif font into one file with the common characters and two with
 * less common ones (docs/decisions/font-subset.md).
 */
await runMain('fonts', async () => {
  for (const { source, name, characters, weights } of FONTS) {
    const font = await subsetFont(await readFile(source), characters, {
      targetFormat: 'woff2',
      variationAxes: { wght: weights },
    });
    await writeFile(`${TARGET}/${name}`, font);
    process.stdout.write(
      `${TARGET}/${name}: ${font.length.toLocaleString('en')} bytes, ${unicodeRange(characters)}\n`,
    );
  }
  await copyFile(`${SOURCE}/geist/LICENSE`, `${TARGET}/LICENSE`);
});
