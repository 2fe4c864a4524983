import { HATCHES } from './hatches.ts';
import styles from './share-bar.module.css';

interface SwatchProps {
  /** The id of the bar that the part belongs to, and the part's place in it. */
  readonly bar: string;
  readonly index: number;
}

/** The hatching of one part of a bar, beside the part's name. */
export function Swatch({ bar, index }: SwatchProps) {
  if (HATCHES[index] === undefined) throw new RangeError(`A bar has at most ${HATCHES.length} parts.`);
  return (
    <svg className={styles.swatch} viewBox="0 0 24 16" aria-hidden="true">
      <rect x="0.5" y="0.5" width="23" height="15" fill={`url(#${bar}-${index})`} />
    </svg>
  );
}
