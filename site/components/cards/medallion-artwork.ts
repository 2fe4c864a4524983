import { rosettePath } from './guilloche.ts';

/** Half the width of the medallion, in user units. */
const REACH = 320;

/** The house's medallion as SVG path data around 0, 0: one rosette within another, to be drawn in lines. */
export function rosettesPath(): string {
  const wave = (radius: number, lobes: number, amplitude: number) => ({
    radius,
    waves: [
      { lobes, amplitude },
      { lobes: lobes * 2, amplitude: amplitude * 0.22 },
    ],
  });
  return [
    { inner: wave(232, 18, 14), outer: wave(290, 18, 22), swings: 27, lines: 7 },
    { inner: wave(146, 18, -12), outer: wave(224, 18, 14), swings: 9, lines: 18 },
    { inner: wave(74, 9, 9), outer: wave(138, 18, -12), swings: 15, lines: 7 },
    { inner: wave(28, 9, -4), outer: wave(66, 9, 9), swings: 4, lines: 12 },
  ]
    .map(rosettePath)
    .join('');
}

/** The medallion as a complete SVG document, black on nothing, for use as a mask, so that each page inks it in its own theme. */
export function medallionArtwork(): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-REACH} ${-REACH} ${REACH * 2} ${REACH * 2}">` +
    `<path fill="none" stroke="#000" d="${rosettesPath()}"/></svg>`
  );
}
