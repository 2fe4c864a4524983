import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useWallet } from '../wallet/use-wallet.ts';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { LimitsTable, type LimitsWords } from './LimitsTable.tsx';
import { useEligibility } from './use-eligibility.ts';

/** The limits of every tier; the connected wallet's own is marked. */
export default function CardLimits({ words }: { readonly words: LimitsWords }) {
  return (
    <LiveRoot>
      <WalletProvider>
        <ConnectedLimits words={words} />
      </WalletProvider>
    </LiveRoot>
  );
}

function ConnectedLimits({ words }: { readonly words: LimitsWords }) {
  const reading = useEligibility(useWallet().walletAddress);
  return <LimitsTable words={words} tier={reading.kind === 'known' ? reading.body.tier : null} />;
}
