import type { ChartLine } from './chart-line.ts';
import { thinPoints } from './thin-points.ts';

/** The user units that a plot is drawn in, whatever its size on the screen: it is stretched to fit. */
export const PLOT = { width: 10_000, height: 1_000 } as const;

/** Columns that a line is drawn in: its strokes are wider than a screen's share of one. */
const COLUMNS = 800;

export interface StepPath {
  readonly line: string;
  /** The ground under the line, down to the base of the plot. */
  readonly area: string;
}

/** A line of steps as the data of two SVG paths, between two values of the vertical axis. */
export function stepPath(line: ChartLine, bottom: number, top: number): StepPath {
  const { from, to, knownUntil } = line;
  const x = (at: number) => Math.round(((clamp(at, from, to) - from) / (to - from)) * PLOT.width);
  const y = (value: number) => Math.round(((top - value) / (top - bottom)) * PLOT.height);
  let path = '';
  let area = '';
  let height: number | null = null;
  const close = (at: number) => {
    path += `H${x(at)}`;
    area += `H${x(at)}V${PLOT.height}Z`;
    height = null;
  };
  for (const { at, value } of thinPoints(line.points, from, to, COLUMNS)) {
    if (value === null) {
      if (height !== null) close(at);
      continue;
    }
    const next = y(value);
    if (height === null) {
      path += `M${x(at)} ${next}`;
      area += `M${x(at)} ${PLOT.height}V${next}`;
    } else if (next !== height) {
      const step = `H${x(at)}V${next}`;
      path += step;
      area += step;
    }
    height = next;
  }
  if (height !== null) close(knownUntil);
  return { line: path, area };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
