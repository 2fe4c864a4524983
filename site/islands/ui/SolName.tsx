import { useEffect, useState } from 'react';
import { readWalletName } from '../../data/wallet-name.ts';

/** A wallet's primary .sol name; nothing if it has none. Show it next to the address, never instead of it. */
export function SolName({ wallet }: { readonly wallet: string }) {
  const [lookup, setLookup] = useState<{ readonly wallet: string; readonly name: string | null } | null>(
    null,
  );
  useEffect(() => {
    let isMounted = true;
    void readWalletName(wallet).then((name) => {
      if (isMounted) setLookup({ wallet, name });
    });
    return () => {
      isMounted = false;
    };
  }, [wallet]);
  if (lookup?.wallet !== wallet || lookup.name === null) return null;
  return (
    <span style={{ display: 'block', overflowWrap: 'anywhere' }} data-sol-name translate="no">
      {lookup.name}
    </span>
  );
}
