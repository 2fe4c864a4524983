import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useWallet } from '../wallet/use-wallet.ts';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { EligibilityPanel } from './Eligibility.tsx';
import { useEligibility } from './use-eligibility.ts';

/** The panel beside the card: whether the connected wallet's stake earns one. */
export default function CardEligibility() {
  return (
    <LiveRoot>
      <WalletProvider>
        <ConnectedEligibility />
      </WalletProvider>
    </LiveRoot>
  );
}

function ConnectedEligibility() {
  return <EligibilityPanel reading={useEligibility(useWallet().walletAddress)} />;
}
