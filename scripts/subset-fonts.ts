import '../data/runtime/node-version.ts';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import subsetFont from 'subset-font';
import { runMain } from '../data/runtime/shutdown.ts';
import { CORE_CHARACTERS } from './core-characters.ts';

const SOURCE = 'node_modules/@fontsource-variable';
const TARGET = 'site/styles/fonts';

const FONTS = [
  {
    source: `${SOURCE}/geist/files/geist-latin-wght-normal.woff2`,
    name: 'geist-core.woff2',
    weights: { min: 400, max: 600 },
  },
  {
    source: `${SOURCE}/geist-mono/files/geist-mono-latin-wght-normal.woff2`,
    name: 'geist-mono-core.woff2',
    weights: 400,
  },
] as const;

/** Cuts the fonts down to what nearly every page is written with: half the bytes before the first word is drawn. */
await runMain('fonts', async () => {
  for (const { source, name, weights } of FONTS) {
    const font = await subsetFont(await readFile(source), CORE_CHARACTERS, {
      targetFormat: 'woff2',
      variationAxes: { wght: weights },
    });
    await writeFile(`${TARGET}/${name}`, font);
    process.stdout.write(`${TARGET}/${name}: ${font.length.toLocaleString('en')} bytes\n`);
  }
  await copyFile(`${SOURCE}/geist/LICENSE`, `${TARGET}/LICENSE`);
});
