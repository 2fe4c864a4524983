import { HATCHES } from './hatches.ts';
import styles from './share-bar.module.css';
import { placeShares, type Share } from './share-bar.ts';

interface ShareBarProps {
  /** Begins the ids of the bar's patterns. */
  readonly id: string;
  readonly label: string;
  readonly shares: readonly Share[];
}

/** Parts of a whole as one engraved bar. A picture of a table that stands beside it and says the same in words. */
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
      {/* In percent of the bar's width, so that no hatching is stretched with it. */}
      {placeShares(shares, 100, 0.5).map(({ id: part, x, width }, index) => (
        <rect key={part} x={`${x}%`} width={`${width}%`} height="100%" fill={`url(#${id}-${index})`} />
      ))}
    </svg>
  );
}
