import { CopyButton } from '../copy/CopyButton.tsx';
import { Bone } from '../figure/Bone.tsx';
import { Dash } from '../figure/Dash.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import styles from './staking.module.css';

interface AddressLineProps {
  readonly label: string;
  /** Undefined while it is being read; null where it could not be. */
  readonly address: string | null | undefined;
  readonly link: ExplorerLink | null;
}

/** A line of a definition list: an address in full, linked to the explorer, with a button that copies it. */
export function AddressLine({ label, address, link }: AddressLineProps) {
  return (
    <div className={styles.line}>
      <dt>{label}</dt>
      <dd>
        {address === undefined ? (
          <>
            <Bone width={24} />
            <LoadingWords />
          </>
        ) : address === null ? (
          <Dash />
        ) : (
          <>
            <Address address={address} link={link} />
            <CopyButton text={address} name={label.toLowerCase()} />
          </>
        )}
      </dd>
    </div>
  );
}

function Address({ address, link }: { readonly address: string; readonly link: ExplorerLink | null }) {
  if (link === null) return <span className={styles.address}>{address}</span>;
  return (
    <a className={styles.address} href={link('address', address)} target="_blank" rel="noopener noreferrer">
      {address}
      <span className="visually-hidden"> at the explorer (opens in a new tab)</span>
    </a>
  );
}
