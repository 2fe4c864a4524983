import { type KeyboardEvent, type PointerEvent, type ReactNode, useId } from 'react';
import { markLabels, timeMarks, type ValueAxis } from './axes.ts';
import styles from './chart.module.css';
import { nextStopIndex, PLOT } from './chart-line.ts';

interface PlotProps {
  readonly title: string;
  readonly axis: ValueAxis;
  /** The start and the end of the horizontal axis, in Unix ms. */
  readonly from: number;
  readonly to: number;
  /** What the arrow keys move between, such as `changes`. */
  readonly stopsName: string;
  readonly stopCount: number;
  readonly stopIndex: number;
  readonly spokenText: string;
  /** The horizontal position of the cursor, from 0 to 1. */
  readonly cursor: number;
  readonly isChosen: boolean;
  /** Called with the index of the stop that the cursor moves to; null releases the cursor. */
  readonly onIndex: (index: number | null) => void;
  /** Called with the horizontal position of the pointer, from 0 to 1. */
  readonly onPosition: (position: number) => void;
  /** The shapes, in the units of `PLOT`. */
  readonly shapes: ReactNode;
  readonly children?: ReactNode;
}

export const percent = (share: number) => `${share * 100}%`;

/** The position of a value on an axis, from 0 at the top to 1 at the bottom. */
export const depthOf = (value: number, { top, bottom }: ValueAxis) => (top - value) / (top - bottom);

/** A plot with a cursor that visitors move by keyboard, mouse or touch. Screen readers announce the values at the cursor. */
export function Plot(props: PlotProps) {
  const { title, axis, from, to, stopsName, stopCount, stopIndex, cursor, isChosen, onIndex, onPosition } =
    props;
  const helpId = useId();
  const labels = markLabels(axis);
  const maxLabelLength = Math.max(...labels.map(({ length }) => length));

  const moveByKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.key === 'Escape' ? null : nextStopIndex(event.key, stopIndex, stopCount);
    if (next === null && event.key !== 'Escape') return;
    event.preventDefault();
    onIndex(next);
  };
  const moveByPointer = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (width > 0) onPosition((event.clientX - left) / width);
  };

  return (
    <div className={styles.frame} style={{ gridTemplateColumns: `${maxLabelLength + 1}ch minmax(0, 1fr)` }}>
      <div className={styles.marks} aria-hidden="true">
        {axis.marks.map((mark, markIndex) => (
          <span key={mark} className={styles.mark} style={{ top: percent(depthOf(mark, axis)) }}>
            {labels[markIndex]}
          </span>
        ))}
      </div>
      <div
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${title} over time`}
        aria-describedby={helpId}
        aria-valuemin={0}
        aria-valuemax={Math.max(stopCount - 1, 0)}
        aria-valuenow={stopIndex}
        aria-valuetext={props.spokenText}
        onKeyDown={moveByKey}
        onPointerDown={moveByPointer}
        onPointerMove={moveByPointer}
        onPointerLeave={(event) => event.pointerType === 'mouse' && onIndex(null)}
      >
        <svg viewBox={`0 0 ${PLOT.width} ${PLOT.height}`} preserveAspectRatio="none" aria-hidden="true">
          {axis.marks.map((mark) => (
            <path
              key={mark}
              className={styles.grid}
              d={`M0 ${depthOf(mark, axis) * PLOT.height}H${PLOT.width}`}
            />
          ))}
          {props.shapes}
        </svg>
        <span className={styles.cursor} data-chosen={isChosen} style={{ left: percent(cursor) }} />
        {props.children}
      </div>
      <div className={styles.timeAxis} aria-hidden="true">
        {timeMarks(from, to).map(({ at, label }) => (
          <span key={at} className={styles.time} style={{ left: percent((at - from) / (to - from)) }}>
            {label}
          </span>
        ))}
      </div>
      <span className="visually-hidden" id={helpId}>
        Use the arrow keys to move between {stopsName}, Page Up and Page Down to move further, and Home and
        End to move to either end.
      </span>
    </div>
  );
}
