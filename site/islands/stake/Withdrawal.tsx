import { useStore } from '@nanostores/react';
import { lazy, Suspense } from 'react';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { shorten } from '../../../data/model/format.ts';
import { orderWithdrawal } from '../../data/stake-calls.ts';
import { Definition } from '../ui/Definition.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { FocusedHeading } from '../ui/FocusedHeading.tsx';
import { FullAddress } from '../ui/LinkedId.tsx';
import { OwnName } from '../ui/OwnName.tsx';
import { connect, signTransaction } from '../wallet/wallet-actions.ts';
import { $wallet } from '../wallet/wallet-stores.ts';
import { OrderReview } from './OrderReview.tsx';
import styles from './stake.module.css';
import { loadOrderSent, useOrder } from './use-order.ts';
import { OrderAmount } from './Worth.tsx';

const OrderSent = lazy(loadOrderSent);

/** How to build and check the order that withdraws one stake, which is identified by the address of its entry. */
const WITHDRAWAL_ORDER_SPEC = {
  build: async (walletAddress: string, entry: string) => {
    const order = await orderWithdrawal(walletAddress, entry);
    if (order.entry !== entry) throw new Error('The portal prepared the withdrawal of a different stake.');
    return order;
  },
  loadMatcher: async () => (await import('./transaction-check.ts')).matchesShownWithdrawal,
} as const;

const ORDER_TEXTS = {
  noun: 'withdrawal',
  unchangedText: 'Nothing was withdrawn.',
  resultLocation: 'the BD will show in your wallet.',
} as const;

interface WithdrawalProps {
  readonly ownerAddress: string;
  readonly entry: string;
  readonly link: ExplorerLink | null;
  readonly close: () => void;
}

/** The portal builds the transaction, and the wallet that made the stake signs it. */
export default function Withdrawal({ ownerAddress, entry, link, close }: WithdrawalProps) {
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  const { stage, build, sign, sendAgain, follow, backToForm } = useOrder(
    { walletAddress, signTransaction },
    WITHDRAWAL_ORDER_SPEC,
  );
  switch (stage.kind) {
    case 'form':
    case 'building':
      return (
        <div className={styles.form} data-withdrawal={stage.kind}>
          <FocusedHeading>Withdraw this stake</FocusedHeading>
          <p>
            The BD goes back to wallet <span className="short-id">{shorten(ownerAddress)}</span>
            <OwnName address={ownerAddress} />. Your tier and your place among the stakers end with the stake.
            This transaction pays no reward.
          </p>
          {stage.kind === 'form' && stage.failure !== null ? (
            <p className={styles.failure} role="alert">
              {stage.failure}
            </p>
          ) : null}
          <div className={styles.actions}>
            {walletAddress === ownerAddress ? (
              <button
                type="button"
                className="button gold"
                aria-disabled={stage.kind === 'building'}
                onClick={() => {
                  if (stage.kind === 'form') build(entry);
                }}
              >
                {stage.kind === 'building' ? 'Checking…' : 'Review Withdrawal'}
              </button>
            ) : (
              <ConnectOwner ownerAddress={ownerAddress} />
            )}
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
          </div>
        </div>
      );
    case 'review':
    case 'signing': {
      const { order } = stage;
      return (
        <OrderReview
          order={order}
          signLabel="Sign and Withdraw"
          backLabel="Back"
          terms={null}
          isSigning={stage.kind === 'signing'}
          isExpired={stage.kind === 'review' && stage.isExpired}
          sign={sign}
          refresh={() => build(entry)}
          back={backToForm}
          details={
            <>
              <Definition name="Withdraw">
                <OrderAmount amount={order.amount} />
              </Definition>
              <Definition name="To wallet">
                <FullAddress id={order.walletAddress} link={null} />
              </Definition>
            </>
          }
        />
      );
    }
    default: {
      const { amount } = stage.signedOrder.order;
      const isDone = stage.kind === 'ended' && (stage.state === 'confirmed' || stage.state === 'finalized');
      return (
        <Suspense fallback={null}>
          <OrderSent
            stage={stage}
            texts={ORDER_TEXTS}
            confirmedText={`${groupDecimalText(amount)} BD is back in your wallet.`}
            nextAction={null}
            link={link}
            sendAgain={sendAgain}
            follow={follow}
            back={isDone ? close : backToForm}
            backLabel={isDone ? 'Close' : 'Back'}
          />
        </Suspense>
      );
    }
  }
}

function ConnectOwner({ ownerAddress }: { readonly ownerAddress: string }) {
  const { walletAddress, isConnecting } = useStore($wallet, { ssr: 'initial' });
  if (walletAddress !== null) {
    return (
      <p className={styles.amber}>
        You are connected with <span className="short-id">{shorten(walletAddress)}</span>
        <OwnName address={walletAddress} />. Switch to{' '}
        <span className="short-id">{shorten(ownerAddress)}</span>
        <OwnName address={ownerAddress} /> in your wallet to withdraw.
      </p>
    );
  }
  return (
    <button
      type="button"
      className="button gold"
      aria-disabled={isConnecting}
      onClick={() => {
        if (!isConnecting) connect();
      }}
    >
      {isConnecting ? 'Connecting…' : 'Connect Wallet'}
    </button>
  );
}
