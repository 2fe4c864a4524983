import { useStore } from '@nanostores/react';
import { lazy, Suspense, useEffect } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { $wallet } from '../wallet/wallet-stores.ts';
import { $askedWallet, askForWallet } from './shown-wallet.ts';
import { usePosition } from './use-position.ts';
import { WalletForm } from './WalletForm.tsx';

/** Its table and all it shows is loaded for who asks for a wallet. */
const PositionView = lazy(() => import('./PositionView.tsx'));

/** What a wallet has staked: the one that is typed, or the one that is connected. */
export default function MyPosition({ explorer }: { readonly explorer: string }) {
  const asked = useStore($askedWallet, { ssr: 'initial' });
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  useEffect(() => {
    // Whoever asked for another wallet keeps looking at it.
    if (walletAddress !== null && $askedWallet.get().text === '') askForWallet(walletAddress);
  }, [walletAddress]);
  return (
    <LiveRoot>
      <WalletForm asked={asked} />
      {asked.address === null ? null : (
        <LivePosition wallet={asked.address} explorer={explorer} key={asked.address} />
      )}
    </LiveRoot>
  );
}

function LivePosition({ wallet, explorer }: { readonly wallet: string; readonly explorer: string }) {
  const reading = usePosition(wallet);
  return (
    <>
      <p className="visually-hidden" role="status">
        {reading.kind === 'known' ? `The position of wallet ${shorten(wallet)} is shown.` : null}
      </p>
      <Suspense fallback={null}>
        <PositionView wallet={wallet} link={useExplorerLink(explorer)} reading={reading} />
      </Suspense>
    </>
  );
}
