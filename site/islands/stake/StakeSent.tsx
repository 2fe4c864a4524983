import { useEffect, useRef } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import { FullId } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { groupDecimalText } from '../../../data/model/count.ts';
import { momentText } from '../ui/format.ts';
import styles from './stake.module.css';
import type { SignedStake, StakeStage } from './use-stake.ts';

type Sent = Extract<StakeStage, { kind: 'sending' | 'unsent' | 'following' | 'ended' }>;

interface StakeSentProps {
  readonly stage: Sent;
  readonly link: ExplorerLink | null;
  readonly sendAgain: () => void;
  readonly follow: () => void;
  /** Returns to the form, with the amount unless it is staked. */
  readonly back: () => void;
}

const TITLES = {
  sending: 'Sending the stake',
  unsent: 'The stake may not have been sent',
  following: 'Waiting for the chain',
} as const;

const ENDS = {
  confirmed: 'The stake is confirmed',
  finalized: 'The stake is final',
  failed: 'The stake failed',
  expired: 'The stake expired',
} as const;

/** A signed stake until the chain has confirmed or rejected it. The visitor can leave at any time. */
export function StakeSent({ stage, link, sendAgain, follow, back }: StakeSentProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { signed } = stage;
  const end = stage.kind === 'ended' ? stage.state : null;
  return (
    <div className={styles.form} data-stake={end ?? stage.kind} aria-busy={stage.kind === 'following'}>
      <h3 ref={heading} tabIndex={-1}>
        {stage.kind === 'ended' ? ENDS[stage.state] : TITLES[stage.kind]}
      </h3>
      <div className={styles.status} role="status">
        <StageText stage={stage} />
      </div>
      <Signature signed={signed} link={link} />
      <div className={styles.actions}>
        {stage.kind === 'unsent' ? (
          <>
            <button type="button" className="button gold" onClick={sendAgain}>
              Send Again
            </button>
            <button type="button" className="button" onClick={follow}>
              Check status
            </button>
          </>
        ) : null}
        {end === 'confirmed' || end === 'finalized' ? (
          <>
            <a className="button gold" href="/virtual-card">
              Go to Card
            </a>
            <a className="button" href={`/my-position#wallet=${signed.order.walletAddress}`}>
              My Position
            </a>
          </>
        ) : null}
        {stage.kind === 'sending' ? null : (
          <button type="button" className="button" onClick={back}>
            {end === null ? 'Back' : 'New Stake'}
          </button>
        )}
      </div>
    </div>
  );
}

function StageText({ stage }: { readonly stage: Sent }) {
  const amount = `${groupDecimalText(stage.signed.order.amount)} BD`;
  switch (stage.kind) {
    case 'sending':
      return <p>{amount}. Signed. Sending it to the chain.</p>;
    case 'unsent':
      return (
        <>
          <p className={styles.failure}>{stage.failure}</p>
          <p>Sending the same signed stake again is safe: the chain executes it once.</p>
        </>
      );
    case 'following':
      return (
        <>
          <p>{amount}. Sent. Confirmation usually takes a few seconds.</p>
          {stage.isSlow ? (
            <p className={styles.amber} data-warning="slow">
              This is taking longer than usual. You can leave this page: the stake will show under My
              Position.
            </p>
          ) : null}
          {stage.isUnreadable ? (
            <p className={styles.amber} data-warning="unreadable">
              We can’t reach Solana right now. Retrying…
            </p>
          ) : null}
        </>
      );
    case 'ended':
      return <End stage={stage} amount={amount} />;
  }
}

function End({
  stage: { state, error, signed },
  amount,
}: {
  readonly stage: Extract<Sent, { kind: 'ended' }>;
  readonly amount: string;
}) {
  switch (state) {
    case 'confirmed':
    case 'finalized':
      return (
        <p>
          {amount} is staked and locked until {momentText(signed.order.unlockDate)}.
        </p>
      );
    case 'failed':
      return <p className={styles.failure}>{error ?? 'The chain rejected it.'} Nothing was staked.</p>;
    case 'expired':
      return (
        <p className={styles.amber}>The transaction expired before it was confirmed. Nothing was staked.</p>
      );
  }
}

function Signature({ signed, link }: { readonly signed: SignedStake; readonly link: ExplorerLink | null }) {
  const { signature } = signed;
  return (
    <div className={styles.signature}>
      <p className={styles.quiet}>Transaction</p>
      <FullId id={signature} kind="tx" link={link} className={styles.address} />
      <CopyButton text={signature} name="transaction signature" />
    </div>
  );
}
