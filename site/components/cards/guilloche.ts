/**
 * Guilloché: the interlaced curves of banknotes. A rosette is a wave that swings between two outlines around
 * a center. A ground is a wave that is repeated line by line from top to bottom. Curves are cubic Béziers with the
 * exact tangents of the wave, so a few segments per wave look smooth at any size.
 */

/** A closed outline around a center: r(θ) = radius + Σ amplitude · cos(lobes · θ). Lengths are SVG user units. */
export interface Outline {
  readonly radius: number;
  readonly waves: readonly { readonly lobes: number; readonly amplitude: number }[];
}

/** A wave that swings `swings` times between two outlines, drawn `lineCount` times with evenly spaced phases. */
export interface Rosette {
  readonly inner: Outline;
  readonly outer: Outline;
  /** How many times the wave goes from the outer outline to the inner one and back in one turn around the center. */
  readonly swings: number;
  readonly lineCount: number;
}

/**
 * Waves along the x axis, drawn `lineCount` times:
 * y(x) = top + gap · line + Σ amplitude · sin(2π x ÷ length + shift · line).
 */
export interface Ground {
  readonly width: number;
  readonly top: number;
  readonly gap: number;
  readonly lineCount: number;
  readonly waves: readonly { readonly length: number; readonly amplitude: number; readonly shift: number }[];
}

interface CurvePoint {
  readonly x: number;
  readonly y: number;
  /** Derivatives with respect to the curve's parameter. */
  readonly dx: number;
  readonly dy: number;
}

const SEGMENTS_PER_WAVE = 4;

/** Tenths of a unit are finer than any screen can show and keep the path short. */
function toTenths(value: number): number {
  return Math.round(value * 10);
}

/** A Bézier path through points whose parameters are `step` apart (Hermite form, so tangents are exact). */
function pathThrough(points: readonly CurvePoint[], step: number): string {
  const third = step / 3;
  return points
    .map((point, index) => {
      const previousPoint = points[index - 1];
      if (previousPoint === undefined) return `M${toTenths(point.x) / 10} ${toTenths(point.y) / 10}`;
      // The offsets start from the rounded previous point, so that rounding errors do not add up.
      const penX = toTenths(previousPoint.x);
      const penY = toTenths(previousPoint.y);
      const offsets = [
        toTenths(previousPoint.x + previousPoint.dx * third) - penX,
        toTenths(previousPoint.y + previousPoint.dy * third) - penY,
        toTenths(point.x - point.dx * third) - penX,
        toTenths(point.y - point.dy * third) - penY,
        toTenths(point.x) - penX,
        toTenths(point.y) - penY,
      ];
      return `c${offsets.map((offset) => offset / 10).join(' ')}`;
    })
    .join('');
}

function outlineAt(outline: Outline, angle: number): readonly [radius: number, slope: number] {
  let [radius, slope] = [outline.radius, 0];
  for (const { lobes, amplitude } of outline.waves) {
    radius += amplitude * Math.cos(lobes * angle);
    slope -= amplitude * lobes * Math.sin(lobes * angle);
  }
  return [radius, slope];
}

function rosettePoint(rosette: Rosette, phase: number, angle: number): CurvePoint {
  const [innerRadius, innerSlope] = outlineAt(rosette.inner, angle);
  const [outerRadius, outerSlope] = outlineAt(rosette.outer, angle);
  const swing = Math.cos(rosette.swings * angle + phase);
  const swingSlope = -rosette.swings * Math.sin(rosette.swings * angle + phase);
  const radius = (innerRadius + outerRadius + (outerRadius - innerRadius) * swing) / 2;
  const slope =
    (innerSlope + outerSlope + (outerSlope - innerSlope) * swing + (outerRadius - innerRadius) * swingSlope) /
    2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { x: radius * cos, y: radius * sin, dx: slope * cos - radius * sin, dy: slope * sin + radius * cos };
}

/** The path of all lines of a rosette, centered on the origin. */
export function rosettePath(rosette: Rosette): string {
  const segments = rosette.swings * SEGMENTS_PER_WAVE;
  const step = (2 * Math.PI) / segments;
  return Array.from({ length: rosette.lineCount }, (_, line) => {
    const phase = (2 * Math.PI * line) / rosette.lineCount;
    const points = Array.from({ length: segments + 1 }, (_, index) =>
      rosettePoint(rosette, phase, index * step),
    );
    return `${pathThrough(points, step)}Z`;
  }).join('');
}

export function groundPath(ground: Ground): string {
  const shortestLength = Math.min(...ground.waves.map((wave) => wave.length));
  const segments = Math.ceil((ground.width / shortestLength) * SEGMENTS_PER_WAVE);
  const step = ground.width / segments;
  return Array.from({ length: ground.lineCount }, (_, line) =>
    pathThrough(
      Array.from({ length: segments + 1 }, (_, index) => groundPoint(ground, line, index * step)),
      step,
    ),
  ).join('');
}

function groundPoint(ground: Ground, line: number, x: number): CurvePoint {
  let y = ground.top + line * ground.gap;
  let slope = 0;
  for (const { length, amplitude, shift } of ground.waves) {
    const waveNumber = (2 * Math.PI) / length;
    y += amplitude * Math.sin(waveNumber * x + shift * line);
    slope += amplitude * waveNumber * Math.cos(waveNumber * x + shift * line);
  }
  return { x, y, dx: 1, dy: slope };
}

/** An outline with a main wave and a finer one on top of it. */
export function createOutline(radius: number, lobes: number, amplitude: number): Outline {
  return {
    radius,
    waves: [
      { lobes, amplitude },
      { lobes: lobes * 2, amplitude: amplitude * 0.22 },
    ],
  };
}

/** The BlackDuck medallion as SVG path data around 0, 0: nested rosettes, to be stroked. */
export function medallionPath(): string {
  return [
    { inner: createOutline(232, 18, 14), outer: createOutline(290, 18, 22), swings: 27, lineCount: 7 },
    { inner: createOutline(146, 18, -12), outer: createOutline(224, 18, 14), swings: 9, lineCount: 18 },
    { inner: createOutline(74, 9, 9), outer: createOutline(138, 18, -12), swings: 15, lineCount: 7 },
    { inner: createOutline(28, 9, -4), outer: createOutline(66, 9, 9), swings: 4, lineCount: 12 },
  ]
    .map(rosettePath)
    .join('');
}

/** The medallion as an SVG document for use as a mask: each theme gives it a color. */
export function medallionArtwork(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-320 -320 640 640"><path fill="none" stroke="#000" d="${medallionPath()}"/></svg>`;
}
