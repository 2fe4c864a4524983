import type { StakerBadge } from '../../../data/model/tiers.ts';
import { Dash } from './ReadStates.tsx';
import styles from './ui.module.css';

export function Badge({ badge }: { readonly badge: StakerBadge | null }) {
  return badge === null ? (
    <Dash why="No badge" />
  ) : (
    <span className={styles.badge} data-badge={badge}>
      {badge}
    </span>
  );
}
