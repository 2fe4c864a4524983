import { memo } from 'react';
import styles from './chart.module.css';
import type { ChartLine } from './chart-line.ts';
import { PLOT, stepPath } from './step-path.ts';
import type { ValueAxis } from './value-axis.ts';

interface PlotLinesProps {
  readonly line: ChartLine;
  readonly axis: ValueAxis;
}

/** The ruled ground and the line upon it: drawn again when the data change, not when a cursor moves over it. */
export const PlotLines = memo(function PlotLines({ line, axis: { bottom, top, marks } }: PlotLinesProps) {
  const path = stepPath(line, bottom, top);
  return (
    <svg viewBox={`0 0 ${PLOT.width} ${PLOT.height}`} preserveAspectRatio="none" aria-hidden="true">
      {marks.map((mark) => {
        const y = ((top - mark) / (top - bottom)) * PLOT.height;
        return <path key={mark} className={styles.grid} d={`M0 ${y}H${PLOT.width}`} />;
      })}
      <path className={styles.area} d={path.area} />
      <path className={styles.line} d={path.line} />
    </svg>
  );
});
