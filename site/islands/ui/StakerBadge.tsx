import type { BadgeName } from '../../../data/model/tiers.ts';
import { Dash } from './ReadStates.tsx';
import styles from './ui.module.css';

export function StakerBadge({ badge }: { readonly badge: BadgeName | null }) {
  return badge === null ? (
    <Dash why="No badge" />
  ) : (
    <span className={styles.badge} data-badge={badge}>
      {badge}
    </span>
  );
}
