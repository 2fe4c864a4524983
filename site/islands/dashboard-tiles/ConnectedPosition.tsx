import { useStore } from '@nanostores/react';
import { lazy, Suspense } from 'react';
import { liveIsland } from '../ui/Live.tsx';
import { $wallet } from '../wallet/wallet-stores.ts';

const HolderPosition = lazy(() => import('./HolderPosition.tsx'));

/** Renders nothing while no wallet is connected: the page then shows its introduction. */
export default liveIsland(function ConnectedPosition() {
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  if (walletAddress === null) return null;
  return (
    <Suspense fallback={null}>
      <HolderPosition wallet={walletAddress} />
    </Suspense>
  );
});
