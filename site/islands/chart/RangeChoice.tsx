import { useId } from 'react';
import type { ChartRange } from '../../../data/contract/history.ts';
import styles from './chart.module.css';
import { RANGE_WORDS } from './chart-words.ts';

// From the words, since the contract would bring its schemas into the browser.
const RANGES = Object.entries(RANGE_WORDS) as readonly [ChartRange, string][];

interface RangeChoiceProps {
  readonly label: string;
  readonly range: ChartRange;
  readonly onRange: (range: ChartRange) => void;
}

/** How far back a chart reaches: one of four, walked by arrow keys. */
export function RangeChoice({ label, range, onRange }: RangeChoiceProps) {
  const name = useId();
  return (
    <fieldset className={`${styles.ranges} script-only`}>
      <legend className="visually-hidden">{label}</legend>
      {RANGES.map(([each, words]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === range}
            onChange={() => onRange(each)}
          />
          <span className={styles.range}>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
