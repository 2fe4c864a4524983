import { groupDecimalText } from '../../../data/model/count.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Evidence } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { momentText } from '../ui/format.ts';
import { FocusedHeading } from './StakeForm.tsx';
import styles from './stake.module.css';
import type { StakeStage } from './use-stake.ts';

type Sent = Extract<StakeStage, { kind: 'sending' | 'unsent' | 'following' | 'ended' }>;

interface StakeSentProps {
  readonly stage: Sent;
  readonly link: ExplorerLink | null;
  readonly sendAgain: () => void;
  readonly follow: () => void;
  readonly back: () => void;
}

const TITLES = {
  sending: 'Sending the stake',
  unsent: 'The stake may not have been sent',
  following: 'Waiting for confirmation',
  confirmed: 'The stake is confirmed',
  finalized: 'The stake is final',
  failed: 'The stake failed',
  expired: 'The stake expired',
} as const;

/** A signed stake, until the chain has confirmed or rejected it. The visitor can leave at any time. */
export default function StakeSent({ stage, link, sendAgain, follow, back }: StakeSentProps) {
  const state = stage.kind === 'ended' ? stage.state : stage.kind;
  const { signature, order } = stage.signed;
  return (
    <div className={styles.form} data-stake={state} aria-busy={state === 'following'}>
      <FocusedHeading>{TITLES[state]}</FocusedHeading>
      <div className={styles.status} role="status">
        <StageText stage={stage} />
      </div>
      <p className={styles.signature}>
        <span className={styles.quiet}>Transaction</span>
        <Evidence id={signature} kind="tx" link={link} name="Signature" />
        <CopyButton text={signature} name="transaction signature" />
      </p>
      <div className={styles.actions}>
        {state === 'unsent' ? (
          <>
            <button type="button" className="button gold" onClick={sendAgain}>
              Send Again
            </button>
            <button type="button" className="button" onClick={follow}>
              Check status
            </button>
          </>
        ) : null}
        {state === 'confirmed' || state === 'finalized' ? (
          <>
            <a className="button gold" href="/virtual-card">
              Go to Card
            </a>
            <a className="button" href={`/my-position#wallet=${order.walletAddress}`}>
              My Position
            </a>
          </>
        ) : null}
        {state === 'sending' ? null : (
          <button type="button" className="button" onClick={back}>
            {stage.kind === 'ended' ? 'New Stake' : 'Back'}
          </button>
        )}
      </div>
    </div>
  );
}

function StageText({ stage }: { readonly stage: Sent }) {
  const { order } = stage.signed;
  const amount = `${groupDecimalText(order.amount)} BD`;
  switch (stage.kind) {
    case 'sending':
      return <p>Sending your signed stake of {amount} to the chain.</p>;
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
          <p>Your stake of {amount} was sent. Confirmation usually takes a few seconds.</p>
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
      if (stage.state === 'failed') {
        return (
          <p className={styles.failure}>
            {stage.error ?? 'The chain rejected the transaction.'} Nothing was staked.
          </p>
        );
      }
      return stage.state === 'expired' ? (
        <p className={styles.amber}>The transaction expired before it was confirmed. Nothing was staked.</p>
      ) : (
        <p>
          {amount} is staked and locked until {momentText(order.unlockDate)}.
        </p>
      );
  }
}
