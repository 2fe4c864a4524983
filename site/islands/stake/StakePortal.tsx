import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { EXACT_DECIMALS, exactUnits } from '../../../data/model/amounts.ts';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { shorten } from '../../../data/model/format.ts';
import { cardTier } from '../../../data/model/tiers.ts';
import { eligibilityKey } from '../../data/card-calls.ts';
import { availableBalanceKey, availableBalanceQuery, orderStake } from '../../data/stake-calls.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { useReadAfterMovements } from '../../data/wallet-movements.ts';
import { type EligibilityReading, stakedText, useEligibility } from '../card/use-eligibility.ts';
import { formatStake, momentText } from '../ui/format.ts';
import { useExplorerLink } from '../ui/LinkedId.tsx';
import { OwnName } from '../ui/OwnName.tsx';
import { RetryButton } from '../ui/ReadStates.tsx';
import { useWallet, walletIsland } from '../wallet/WalletProvider.tsx';
import { type AvailableReading, BALANCE_INTERVAL_MS, StakeForm, StakeTerms } from './StakeForm.tsx';
import styles from './stake.module.css';
import { amountOfLink, parseTypedAmount } from './stake-amount.ts';
import { loadOrderSent, useOrder } from './use-order.ts';

// If the tier fails to load, the panel still shows the stake.
const ActiveTier = lazy(() => import('../position/ActiveTier.tsx').catch(() => ({ default: () => <></> })));
const StakeReview = lazy(() => import('./StakeReview.tsx'));
const ShareStake = lazy(() => import('./ShareStake.tsx'));
const OrderSent = lazy(loadOrderSent);

/**
 * After a confirmation, the wallet's stake is read every `intervalMs` until it changes, for at most `limitMs`.
 */
const REREAD_TIMING = { intervalMs: 5_000, limitMs: 60_000 } as const;

const ORDER_TEXTS = {
  noun: 'stake',
  unchangedText: 'Nothing was staked.',
  resultLocation: 'the stake will show under My Position.',
} as const;

/** How to build and check the order that stakes an amount (BD, decimal text). */
const STAKE_ORDER_SPEC = {
  build: orderStake,
  loadMatcher: async () => (await import('./transaction-check.ts')).matchesShownStake,
} as const;

export default walletIsland(ConnectedStake);

function useAvailableBalance(walletAddress: string | null): AvailableReading {
  const { data, isError, isFetching, isRefetchError, refetch } = useQuery({
    ...availableBalanceQuery(walletAddress ?? ''),
    enabled: walletAddress !== null,
    refetchInterval: BALANCE_INTERVAL_MS,
  });
  useReadAfterMovements(walletAddress, availableBalanceKey);
  const retry = { run: () => void refetch(), running: isFetching };
  if (data !== undefined) return { kind: 'known', body: data, retry: isRefetchError ? retry : null };
  return isError ? { kind: 'failed', retry } : { kind: 'reading' };
}

export function ConnectedStake({ explorer: explorerUrl }: { readonly explorer: string }) {
  const wallet = useWallet();
  const { walletAddress } = wallet;
  const reading = useEligibility(walletAddress);
  const availableReading = useAvailableBalance(walletAddress);
  const stakeOrder = useOrder(wallet, STAKE_ORDER_SPEC);
  const link = useExplorerLink(explorerUrl);
  const [typedEntry, setTypedEntry] = useState({ wallet: walletAddress, amount: '' });
  const changeAmount = (amount: string) => setTypedEntry({ wallet: walletAddress, amount });
  /** The amount in the link that opened the page. It is used until the visitor types an amount. */
  const [linkedAmount, setLinkedAmount] = useState('');
  useEffect(() => setLinkedAmount(amountOfLink(location.search)), []);
  const client = useQueryClient();
  const { stage } = stakeOrder;
  const staked = reading.kind === 'known' ? stakedText(reading.body) : null;
  const isDone = stage.kind === 'ended' && (stage.state === 'confirmed' || stage.state === 'finalized');

  const [stakedBefore, setStakedBefore] = useState<string | null>(null);
  if (stage.kind === 'review' && stakedBefore !== staked) setStakedBefore(staked);
  const awaitsStake = isDone && walletAddress !== null && staked === stakedBefore;
  useEffect(() => {
    if (isDone && walletAddress !== null)
      void client.invalidateQueries({ queryKey: availableBalanceKey(walletAddress) });
  }, [isDone, client, walletAddress]);
  useEffect(() => {
    if (!awaitsStake) return;
    const rereadStake = () => void client.invalidateQueries({ queryKey: eligibilityKey(walletAddress) });
    rereadStake();
    const timer = setInterval(rereadStake, REREAD_TIMING.intervalMs);
    const stopTimer = setTimeout(() => clearInterval(timer), REREAD_TIMING.limitMs);
    return () => {
      clearInterval(timer);
      clearTimeout(stopTimer);
    };
  }, [awaitsStake, client, walletAddress]);

  const back = () => {
    if (isDone) {
      changeAmount('');
      setLinkedAmount('');
    }
    stakeOrder.backToForm();
  };
  const hasSignedOrder = ['sending', 'send-failed', 'following', 'ended'].includes(stage.kind);
  // Ignores an amount that was typed for another wallet.
  const typedText =
    typedEntry.wallet === walletAddress && typedEntry.amount !== '' ? typedEntry.amount : linkedAmount;
  const shareSection = <ShareSection amount={parseTypedAmount(typedText)} />;
  if (walletAddress === null && !hasSignedOrder)
    return <DisconnectedPanel {...wallet} shareSection={shareSection} />;
  const isStaking = staked !== null && staked !== '0';
  return (
    <div className={styles.panel}>
      {walletAddress === null ? null : (
        <WalletLine wallet={walletAddress} reading={reading} staked={staked} />
      )}
      <Suspense fallback={null}>
        {stage.kind === 'form' || stage.kind === 'building' ? (
          <StakeForm
            walletAddress={walletAddress}
            typedText={typedText}
            onTypedText={(amount) => {
              setLinkedAmount('');
              changeAmount(amount);
            }}
            staked={staked}
            availableReading={availableReading}
            isBuilding={stage.kind === 'building'}
            failure={stage.kind === 'form' ? stage.failure : null}
            build={stakeOrder.build}
            shareLink={shareSection}
          />
        ) : stage.kind === 'review' || stage.kind === 'signing' ? (
          <StakeReview
            order={stage.order}
            isStaking={isStaking}
            isExpired={stage.kind === 'review' && stage.isExpired}
            isSigning={stage.kind === 'signing'}
            sign={stakeOrder.sign}
            refresh={() => stakeOrder.build(stage.order.amount)}
            back={back}
          />
        ) : (
          <OrderSent
            stage={stage}
            texts={ORDER_TEXTS}
            confirmedText={`${groupDecimalText(stage.signedOrder.order.amount)} BD is staked and locked until ${momentText(stage.signedOrder.order.unlockDate)}.`}
            nextAction={
              <>
                <a className="button gold" href="/virtual-card">
                  Go to Card
                </a>
                <a className="button" href={`/my-position#wallet=${stage.signedOrder.order.walletAddress}`}>
                  My Position
                </a>
              </>
            }
            link={link}
            sendAgain={stakeOrder.sendAgain}
            follow={stakeOrder.follow}
            back={back}
            backLabel="New Stake"
          />
        )}
      </Suspense>
    </div>
  );
}

/** The links and codes are loaded when the section is opened. */
function ShareSection({ amount }: { readonly amount: string | null }) {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  // The visitor may have opened the section before the page hydrated.
  useEffect(() => setOpen(details.current?.open ?? false), []);
  return (
    <details
      ref={details}
      className="script-only no-print"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="button">Stake from a phone, or share</summary>
      <Suspense fallback={null}>{isOpen ? <ShareStake amount={amount} /> : null}</Suspense>
    </details>
  );
}

interface DisconnectedPanelProps {
  readonly connect: () => void;
  readonly isConnecting: boolean;
  readonly shareSection: ReactNode;
}

function DisconnectedPanel({ connect, isConnecting, shareSection }: DisconnectedPanelProps) {
  const isHydrated = useHydrated();
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
        onClick={() => {
          if (!isConnecting) connect();
        }}
        disabled={!isHydrated}
        aria-disabled={isConnecting}
      >
        {isConnecting ? 'Connecting…' : 'Connect Wallet'}
      </button>
      {shareSection}
    </div>
  );
}

interface WalletLineProps {
  readonly wallet: string;
  readonly reading: EligibilityReading;
  /** BD, decimal text; null if unknown. */
  readonly staked: string | null;
}

function WalletLine({ wallet, reading, staked }: WalletLineProps) {
  return (
    <>
      <p>
        Wallet <span className="short-id">{shorten(wallet)}</span>
        <OwnName address={wallet} /> ·{' '}
        {reading.kind === 'known' ? (
          `${formatStake(reading.body.bdBalanceText)} BD ${staked === '0' ? 'held, none staked' : 'staked'}`
        ) : reading.kind === 'failed' ? (
          <>
            {reading.text} <RetryButton retry={reading.retry} what="the stake" />
          </>
        ) : (
          'checking the stake…'
        )}
      </p>
      {staked !== null ? (
        <Suspense fallback={null}>
          <ActiveTier
            key={wallet}
            wallet={wallet}
            tier={cardTier(exactUnits(staked), EXACT_DECIMALS) ?? 'None'}
            staked={staked}
          />
        </Suspense>
      ) : null}
    </>
  );
}
