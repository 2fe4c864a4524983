import { useEffect, useRef } from 'react';
import { CopyButton } from '../copy/CopyButton.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { momentText } from '../position/moment-text.ts';
import { exactly } from './StakeReview.tsx';
import styles from './stake.module.css';
import type { SignedStake, StakeStage } from './stake-stage.ts';

type Sent = Extract<StakeStage, { kind: 'sending' | 'unsent' | 'following' | 'ended' }>;

interface StakeSentProps {
  readonly stage: Sent;
  readonly link: ExplorerLink | null;
  readonly sendAgain: () => void;
  readonly follow: () => void;
  /** Back to the form; the amount is kept unless it is staked. */
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
  expired: 'The stake was not taken in time',
} as const;

/** A stake that was signed, until the chain says what became of it. There is a way out at every moment. */
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
      <div className={styles.told} role="status">
        <Words stage={stage} />
      </div>
      <Signature signed={signed} link={link} />
      <div className={styles.ways}>
        {stage.kind === 'unsent' ? (
          <>
            <button type="button" className="button gold" onClick={sendAgain}>
              Send Again
            </button>
            <button type="button" className="button" onClick={follow}>
              Look for It
            </button>
          </>
        ) : null}
        {end === 'confirmed' || end === 'finalized' ? (
          <>
            <a className="button gold" href="/virtual-card">
              Go to the Card
            </a>
            <a className="button" href={`/my-position#wallet=${signed.order.walletAddress}`}>
              My Position
            </a>
          </>
        ) : null}
        {stage.kind === 'sending' ? null : (
          <button type="button" className="button" onClick={back}>
            {end === null ? 'Leave It' : 'Another Stake'}
          </button>
        )}
      </div>
    </div>
  );
}

function Words({ stage }: { readonly stage: Sent }) {
  const amount = `${exactly(stage.signed.order.amount)} BD`;
  switch (stage.kind) {
    case 'sending':
      return <p>{amount}. Your wallet has signed; the portal sends it to the chain.</p>;
    case 'unsent':
      return (
        <>
          <p className={styles.fault}>{stage.fault}</p>
          <p>Sending the same signed stake again is safe: the chain takes it once.</p>
        </>
      );
    case 'following':
      return (
        <>
          <p>{amount}. Sent; this usually takes a few seconds.</p>
          {stage.isSlow ? (
            <p className={styles.amber}>
              This takes longer than usual. You can leave: what was sent goes on without this page, and shows
              under My Position.
            </p>
          ) : null}
          {stage.isBlind ? (
            <p className={styles.amber}>The chain cannot be read at the moment. The portal keeps looking.</p>
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
          {amount} are staked and locked until {momentText(signed.order.unlockDate)}.
        </p>
      );
    case 'failed':
      return <p className={styles.fault}>{error ?? 'The chain refused it.'} Nothing was staked.</p>;
    case 'expired':
      return <p className={styles.amber}>The chain did not take it before it lapsed. Nothing was staked.</p>;
  }
}

function Signature({ signed, link }: { readonly signed: SignedStake; readonly link: ExplorerLink | null }) {
  const { signature } = signed;
  const href = link?.('tx', signature) ?? null;
  return (
    <div className={styles.signature}>
      <p className={styles.quiet}>Transaction</p>
      <p className={styles.address}>
        {href === null ? (
          signature
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {signature}
            <span className="visually-hidden"> at the explorer (opens in a new tab)</span>
          </a>
        )}
      </p>
      <CopyButton text={signature} name="transaction signature" />
    </div>
  );
}
