import styles from './share-bar.module.css';
import { HATCHES, placeShares, type Share } from './share-bar.ts';

interface SwatchProps {
  /** The id of the bar, and the index of the part in it. */
  readonly bar: string;
  readonly index: number;
}

/** The hatching of one part, for a legend. */
export function Swatch({ bar, index }: SwatchProps) {
  if (HATCHES[index] === undefined) throw new RangeError(`A bar has at most ${HATCHES.length} parts.`);
  return (
    <svg className={styles.swatch} viewBox="0 0 24 16" aria-hidden="true">
      <rect x="0.5" y="0.5" width="23" height="15" fill={`url(#${bar}-${index})`} />
    </svg>
  );
}

interface ShareBarProps {
  /** Prefix for the patterns' ids. */
  readonly id: string;
  readonly label: string;
  readonly shares: readonly Share[];
}

/** Parts of a whole as a hatched bar. A table beside it must contain the same figures. */
export function ShareBar({ id, label, shares }: ShareBarProps) {
  return (
    <svg className={styles.bar} role="img" aria-label={label}>
      <defs>
        {HATCHES.slice(0, shares.length).map(({ size, path, stroke }, index) => (
          <pattern key={path} id={`${id}-${index}`} width={size} height={size} patternUnits="userSpaceOnUse">
            <path d={path} strokeWidth={stroke} />
          </pattern>
        ))}
      </defs>
      {/* In percent, because a viewBox would stretch the hatching to the bar's width. */}
      {placeShares(shares, 100, 0.5).map(({ id: part, x, width }, index) => (
        <rect key={part} x={`${x}%`} width={`${width}%`} height="100%" fill={`url(#${id}-${index})`} />
      ))}
    </svg>
  );
}
