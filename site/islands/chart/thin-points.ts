import type { ChartPoint } from './chart-line.ts';

/**
 * What of a line can be seen over a number of columns: in each its first, lowest, highest and last point, and every gap.
 * So no peak is lost, and the work of drawing does not grow with the length of the history.
 */
export function thinPoints(
  points: readonly ChartPoint[],
  from: number,
  to: number,
  columns: number,
): readonly ChartPoint[] {
  if (points.length <= columns) return points;
  const perColumn = (to - from) / columns;
  const kept: ChartPoint[] = [];
  let begin = 0;
  while (begin < points.length) {
    const column = columnOf(points, begin, from, perColumn);
    let end = begin + 1;
    while (end < points.length && columnOf(points, end, from, perColumn) === column) end += 1;
    keepSeen(points, begin, end, kept);
    begin = end;
  }
  return kept;
}

function columnOf(points: readonly ChartPoint[], index: number, from: number, perColumn: number): number {
  const at = points[index]?.at ?? from;
  return Math.floor((at - from) / perColumn);
}

function keepSeen(points: readonly ChartPoint[], begin: number, end: number, kept: ChartPoint[]): void {
  let lowest = begin;
  let highest = begin;
  const value = (index: number) => points[index]?.value ?? null;
  for (let index = begin; index < end; index += 1) {
    const one = value(index);
    if (one === null) continue;
    const low = value(lowest);
    const high = value(highest);
    if (low === null || one < low) lowest = index;
    if (high === null || one > high) highest = index;
  }
  for (let index = begin; index < end; index += 1) {
    const point = points[index];
    if (point === undefined) continue;
    const isGap = point.value === null && value(index - 1) !== null;
    const endsGap = point.value !== null && index > 0 && value(index - 1) === null;
    const isEdge = index === begin || index === end - 1;
    if (isEdge || isGap || endsGap || index === lowest || index === highest) kept.push(point);
  }
}
