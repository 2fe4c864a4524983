import { useContext, useMemo, useSyncExternalStore } from 'react';
import { shortenAround } from '../../../data/model/format.ts';
import { $network } from '../../data/connection.ts';
import { useOwnName } from '../address-book/own-names.ts';
import { type ExplorerLink, explorerLink } from './explorer-link.ts';
import styles from './figure.module.css';
import { OwnName } from './OwnName.tsx';
import { SearchTextContext } from './search-text.ts';

const subscribeToNetwork = (onChange: () => void) => $network.listen(onChange);
const readCluster = () => $network.get()?.health?.cluster ?? null;

/** Null while the chain is unknown or private. */
export function useExplorerLink(explorerUrl: string): ExplorerLink | null {
  const shownCluster = useSyncExternalStore(subscribeToNetwork, readCluster, () => null);
  return useMemo(() => explorerLink(explorerUrl, shownCluster), [explorerUrl, shownCluster]);
}

interface LinkedIdProps {
  /** The full address or signature. */
  readonly id: string;
  readonly kind: 'address' | 'tx';
  /** Null if no public explorer shows the chain: the id is then plain text. */
  readonly link: ExplorerLink | null;
  /** What screen readers say before the id, such as `Vault address`. */
  readonly name: string;
  /** Whether the table's search covers this id. If so, the matching part is visible and highlighted. */
  readonly isSearched?: boolean;
}

/** A shortened address or signature, linked to the public explorer, with the visitor's own name for an address. */
export function LinkedId(props: LinkedIdProps) {
  return (
    <>
      <ShortId {...props} />
      {props.kind === 'address' ? <OwnName address={props.id} /> : null}
    </>
  );
}

function ShortId({ id, kind, link, name, isSearched = false }: LinkedIdProps) {
  const searchText = useContext(SearchTextContext);
  const { before, match, after } = shortenAround(id, isSearched ? searchText : '');
  const short = (
    <>
      {before}
      {match === '' ? null : <mark>{match}</mark>}
      {after}
    </>
  );
  if (link === null) {
    return (
      <span className={styles.link} title={id}>
        <span className="visually-hidden">{name} </span>
        <span>{short}</span>
      </span>
    );
  }
  return (
    <a className={styles.link} href={link(kind, id)} target="_blank" rel="noopener noreferrer" title={id}>
      <span className="visually-hidden">{name} </span>
      <span className={styles.short}>{short}</span>
      <svg className={styles.externalIcon} viewBox="0 0 10 10" aria-hidden="true">
        <path d="M2 8 8 2M3.5 2H8v4.5" />
      </svg>
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}

/** A wallet with the visitor's own name for it; nothing if it has no name. For lists without space for every wallet. */
export function NamedWallet({
  wallet,
  link,
}: Pick<LinkedIdProps, 'link'> & { readonly wallet: string | null }) {
  const name = useOwnName(wallet);
  if (wallet === null || name === null) return null;
  return (
    <span data-named-wallet>
      <LinkedId id={wallet} kind="address" link={link} name="Wallet" />
    </span>
  );
}

/** Makes text focusable, so that keyboard users can scroll it. */
const SCROLLABLE = { tabIndex: 0 } as const;

/** A full address, linked to the public explorer. Never breaks across lines. */
export function FullAddress({ id, link }: Pick<LinkedIdProps, 'id' | 'link'>) {
  if (link === null) {
    return (
      <span className="full-id" {...SCROLLABLE}>
        {id}
      </span>
    );
  }
  return (
    <a className="full-id" href={link('address', id)} target="_blank" rel="noopener noreferrer">
      {id}
      <span className="visually-hidden"> in the explorer (opens in a new tab)</span>
    </a>
  );
}
