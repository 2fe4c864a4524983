import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { eligibilityKey } from '../../data/card-calls.ts';
import type { EligibilityReading } from '../card/Eligibility.tsx';
import { useEligibility } from '../card/use-eligibility.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { formatStake } from '../figure/moved-amount.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { TierRise } from '../position/TierRise.tsx';
import { useWallet } from '../wallet/use-wallet.ts';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { StakeForm } from './StakeForm.tsx';
import { StakeTerms } from './StakeTerms.tsx';
import styles from './stake.module.css';
import { tierGaps } from './stake-amount.ts';
import { useStake } from './use-stake.ts';

const StakeReview = lazy(() =>
  import('./StakeReview.tsx').then(({ StakeReview: view }) => ({ default: view })),
);
const StakeSent = lazy(() => import('./StakeSent.tsx').then(({ StakeSent: view }) => ({ default: view })));

/** Between two looks at the wallet's stake (ms) until it shows what was just confirmed. */
const LOOK_AGAIN = 2_000;

/** Stakes BD of the connected wallet from the portal. */
export default function StakePortal({ explorer }: { readonly explorer: string }) {
  return (
    <LiveRoot>
      <WalletProvider>
        <ConnectedStake explorer={explorer} />
      </WalletProvider>
    </LiveRoot>
  );
}

/** BD that the wallet stakes, decimal text; null while it is not known. */
function stakedOf(reading: EligibilityReading): string | null {
  if (reading.kind !== 'known') return null;
  return reading.body.detectionMethod === 'stake_entry' ? reading.body.bdBalanceText : '0';
}

export function ConnectedStake({ explorer }: { readonly explorer: string }) {
  const wallet = useWallet();
  const { walletAddress } = wallet;
  const reading = useEligibility(walletAddress);
  const staking = useStake(wallet);
  const link = useExplorerLink(explorer);
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  const { stage } = staking;
  const staked = stakedOf(reading);
  const isDone = stage.kind === 'ended' && (stage.state === 'confirmed' || stage.state === 'finalized');

  const [stakedBefore, setStakedBefore] = useState<string | null>(null);
  if (stage.kind === 'review' && stakedBefore !== staked) setStakedBefore(staked);
  const awaitsStake = isDone && walletAddress !== null && staked === stakedBefore;
  useEffect(() => {
    if (!awaitsStake || walletAddress === null) return;
    const look = () => void client.invalidateQueries({ queryKey: eligibilityKey(walletAddress) });
    look();
    const timer = setInterval(look, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [awaitsStake, client, walletAddress]);

  const back = () => {
    if (isDone) setTyped('');
    staking.backToForm();
  };
  const isSent = ['sending', 'unsent', 'following', 'ended'].includes(stage.kind);
  if (walletAddress === null && !isSent) return <Disconnected {...wallet} />;
  const isStaking = staked !== null && staked !== '0';
  return (
    <div className={styles.panel}>
      {walletAddress === null ? null : (
        <WalletLine wallet={walletAddress} reading={reading} staked={staked} />
      )}
      <Suspense fallback={null}>
        {stage.kind === 'form' || stage.kind === 'building' ? (
          <StakeForm
            typed={typed}
            onTyped={setTyped}
            gaps={staked === null ? null : tierGaps(staked)}
            isStaking={isStaking}
            isBuilding={stage.kind === 'building'}
            fault={stage.kind === 'form' ? stage.fault : null}
            build={staking.build}
          />
        ) : stage.kind === 'review' || stage.kind === 'signing' ? (
          <StakeReview
            order={stage.order}
            isStaking={isStaking}
            lapsed={stage.kind === 'review' && stage.lapsed}
            isSigning={stage.kind === 'signing'}
            sign={staking.sign}
            refresh={() => staking.build(stage.order.amount)}
            back={back}
          />
        ) : (
          <StakeSent
            stage={stage}
            link={link}
            sendAgain={staking.sendAgain}
            follow={staking.follow}
            back={back}
          />
        )}
      </Suspense>
    </div>
  );
}

function Disconnected({ connect, isConnecting }: { connect: () => void; isConnecting: boolean }) {
  return (
    <div className={styles.panel}>
      <p className={styles.quiet}>
        Connect the wallet that holds your BD. The portal prepares the stake and your wallet signs it; the
        portal never holds your tokens or your keys.
      </p>
      <StakeTerms isStaking={false} />
      <button
        type="button"
        className="button gold script-only"
        onClick={() => connect()}
        aria-disabled={isConnecting}
      >
        {isConnecting ? 'Connecting…' : 'Connect Wallet'}
      </button>
    </div>
  );
}

interface WalletLineProps {
  readonly wallet: string;
  readonly reading: EligibilityReading;
  readonly staked: string | null;
}

/** Which wallet stakes, and what it has. */
function WalletLine({ wallet, reading, staked }: WalletLineProps) {
  return (
    <>
      <p>
        Wallet {shorten(wallet)} ·{' '}
        {reading.kind === 'known' ? (
          staked === '0' ? (
            <>{formatStake(reading.body.bdBalanceText)} BD held, none staked</>
          ) : (
            <>{formatStake(reading.body.bdBalanceText)} BD staked</>
          )
        ) : reading.kind === 'failed' ? (
          <>
            {reading.text} <RetryButton retry={reading.retry} what="the stake" />
          </>
        ) : (
          'reading what it stakes…'
        )}
      </p>
      {reading.kind === 'known' ? (
        <TierRise key={wallet} wallet={wallet} tier={reading.body.tier} staked={staked ?? '0'} />
      ) : null}
    </>
  );
}
