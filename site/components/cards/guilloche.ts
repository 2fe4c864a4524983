/**
 * Guilloché: the interlaced curves that engraving machines cut into banknotes. A rosette is a wave that
 * swings between two outlines about a centre; a ground is one wave laid line under line. Curves are written as cubic Béziers with the exact
 * tangents of the wave, so a handful of segments a wave is smooth at any size.
 */

/** A closed outline about a centre: r(θ) = radius + Σ amplitude · cos(lobes · θ). Lengths are SVG user units. */
export interface Outline {
  readonly radius: number;
  readonly waves: readonly { readonly lobes: number; readonly amplitude: number }[];
}

/** A wave that swings between two outlines `swings` times about the centre, drawn `lines` times, evenly apart in phase. */
export interface Rosette {
  readonly inner: Outline;
  readonly outer: Outline;
  readonly swings: number;
  readonly lines: number;
}

/** A wave along the x axis, drawn `lines` times: y(x) = Σ amplitude · sin(2π x ÷ length + phase + shift · line). */
export interface Ground {
  readonly width: number;
  readonly top: number;
  readonly gap: number;
  readonly lines: number;
  readonly waves: readonly { readonly length: number; readonly amplitude: number; readonly shift: number }[];
}

interface CurvePoint {
  readonly x: number;
  readonly y: number;
  /** Derivatives by the curve's parameter. */
  readonly dx: number;
  readonly dy: number;
}

const SEGMENTS_PER_WAVE = 4;

/** A tenth of a unit is finer than any screen shows; whole tenths keep the path short. */
function tenths(value: number): number {
  return Math.round(value * 10);
}

/** A Bézier path through points that are `step` apart in the parameter (Hermite form, so tangents are exact). */
function pathThrough(points: readonly CurvePoint[], step: number): string {
  const third = step / 3;
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${tenths(point.x) / 10} ${tenths(point.y) / 10}`;
      // Relative to where the pen really stands, which is the rounded point, so that roundings do not add up.
      const penX = tenths(before.x);
      const penY = tenths(before.y);
      const offsets = [
        tenths(before.x + before.dx * third) - penX,
        tenths(before.y + before.dy * third) - penY,
        tenths(point.x - point.dx * third) - penX,
        tenths(point.y - point.dy * third) - penY,
        tenths(point.x) - penX,
        tenths(point.y) - penY,
      ];
      return `c${offsets.map((offset) => offset / 10).join(' ')}`;
    })
    .join('');
}

/** Radius of an outline at an angle, and its derivative. */
function outlineAt(outline: Outline, angle: number): readonly [radius: number, slope: number] {
  let [radius, slope] = [outline.radius, 0];
  for (const { lobes, amplitude } of outline.waves) {
    radius += amplitude * Math.cos(lobes * angle);
    slope -= amplitude * lobes * Math.sin(lobes * angle);
  }
  return [radius, slope];
}

function rosettePoint(rosette: Rosette, phase: number, angle: number): CurvePoint {
  const [inner, innerSlope] = outlineAt(rosette.inner, angle);
  const [outer, outerSlope] = outlineAt(rosette.outer, angle);
  const swing = Math.cos(rosette.swings * angle + phase);
  const swingSlope = -rosette.swings * Math.sin(rosette.swings * angle + phase);
  const radius = (inner + outer + (outer - inner) * swing) / 2;
  const slope =
    (innerSlope + outerSlope + (outerSlope - innerSlope) * swing + (outer - inner) * swingSlope) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { x: radius * cos, y: radius * sin, dx: slope * cos - radius * sin, dy: slope * sin + radius * cos };
}

/** The path of a rosette about the origin, all its lines in one. */
export function rosettePath(rosette: Rosette): string {
  const segments = rosette.swings * SEGMENTS_PER_WAVE;
  const step = (2 * Math.PI) / segments;
  return Array.from({ length: rosette.lines }, (_, line) => {
    const phase = (2 * Math.PI * line) / rosette.lines;
    const points = Array.from({ length: segments + 1 }, (_, index) =>
      rosettePoint(rosette, phase, index * step),
    );
    return `${pathThrough(points, step)}Z`;
  }).join('');
}

/** The path of a ground, all its lines in one. */
export function groundPath(ground: Ground): string {
  const shortest = Math.min(...ground.waves.map((wave) => wave.length));
  const segments = Math.ceil((ground.width / shortest) * SEGMENTS_PER_WAVE);
  const step = ground.width / segments;
  return Array.from({ length: ground.lines }, (_, line) =>
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
    const turn = (2 * Math.PI) / length;
    y += amplitude * Math.sin(turn * x + shift * line);
    slope += amplitude * turn * Math.cos(turn * x + shift * line);
  }
  return { x, y, dx: 1, dy: slope };
}
