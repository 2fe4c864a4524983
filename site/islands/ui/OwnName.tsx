import { useOwnName } from '../address-book/own-names.ts';

/** The visitor's own name for an address; nothing if there is none. Show it next to the address, never instead of it. */
export function OwnName({ address }: { readonly address: string | null }) {
  const name = useOwnName(address);
  if (name === null) return null;
  return (
    <span style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }} data-own-name translate="no">
      <span className="visually-hidden">, your name for it: </span> (<bdi>{name}</bdi>)
    </span>
  );
}
