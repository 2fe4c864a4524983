import { shorten } from '../../../data/model/format.ts';
import styles from './evidence.module.css';

interface EvidenceProps {
  /** The full address or signature. */
  readonly id: string;
  readonly href: string;
  /** What the link shows, for those who do not see it beside its figure: `Vault address`. */
  readonly name: string;
}

/** An address or a signature as a link to the public explorer, where anyone can check the figure. */
export function Evidence({ id, href, name }: EvidenceProps) {
  return (
    <a className={styles.evidence} href={href} target="_blank" rel="noopener noreferrer" title={id}>
      <span className="visually-hidden">{name} </span>
      <span className={styles.id}>{shorten(id)}</span>
      <svg className={styles.out} viewBox="0 0 10 10" aria-hidden="true">
        <path d="M2 8 8 2M3.5 2H8v4.5" />
      </svg>
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}
