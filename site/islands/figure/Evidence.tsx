import { shorten } from '../../../data/model/format.ts';
import styles from './evidence.module.css';

interface EvidenceProps {
  /** The full address or signature. */
  readonly id: string;
  /** Where anyone can check it; null where no public explorer shows the chain. */
  readonly href: string | null;
  /** What is shown, for those who do not see it beside its figure: `Vault address`. */
  readonly name: string;
}

/** An address or a signature: a link to the public explorer, or plain text where that shows another chain. */
export function Evidence({ id, href, name }: EvidenceProps) {
  if (href === null) {
    return (
      <span className={styles.evidence} title={id}>
        <span className="visually-hidden">{name} </span>
        {shorten(id)}
      </span>
    );
  }
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
