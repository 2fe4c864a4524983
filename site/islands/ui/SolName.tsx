import { useEffect, useState } from 'react';
import { readWalletName } from '../../data/wallet-name.ts';

/** A wallet's primary .sol name, shown beside the address and never instead of it. Nothing is shown without a name. */
export function SolName({ wallet }: { readonly wallet: string }) {
  const [found, setFound] = useState<{ readonly wallet: string; readonly name: string | null } | null>(null);
  useEffect(() => {
    let isShown = true;
    void readWalletName(wallet).then((name) => {
      if (isShown) setFound({ wallet, name });
    });
    return () => {
      isShown = false;
    };
  }, [wallet]);
  if (found?.wallet !== wallet || found.name === null) return null;
  return (
    <span style={{ display: 'block', overflowWrap: 'anywhere' }} data-sol-name translate="no">
      {found.name}
    </span>
  );
}
