import type { ReactNode } from 'react';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { FocusedHeading } from '../ui/FocusedHeading.tsx';
import { LinkedId } from '../ui/LinkedId.tsx';
import type { OrderStage } from './order-stage.ts';
import styles from './stake.module.css';

interface SentOrder {
  readonly walletAddress: string;
  /** BD, decimal text. */
  readonly amount: string;
}

type SentStage<O> = Extract<OrderStage<O>, { kind: 'sending' | 'send-failed' | 'following' | 'ended' }>;

interface OrderTexts {
  readonly noun: 'stake' | 'withdrawal';
  /** Shown after a failure, to say that nothing changed, such as `Nothing was withdrawn.` */
  readonly unchangedText: string;
  /** Where the visitor will find the result later, as the end of a sentence: `the stake will show under My Position.` */
  readonly resultLocation: string;
}

interface OrderSentProps {
  readonly stage: SentStage<SentOrder>;
  readonly texts: OrderTexts;
  readonly confirmedText: string;
  readonly nextAction: ReactNode;
  readonly link: ExplorerLink | null;
  readonly sendAgain: () => void;
  readonly follow: () => void;
  readonly back: () => void;
  /** The label of the back button once the order is confirmed, has failed or has expired. */
  readonly backLabel: string;
}

const TITLES = {
  sending: 'Sending the {what}',
  'send-failed': 'The {what} may not have been sent',
  following: 'Waiting for confirmation',
  confirmed: 'The {what} is confirmed',
  finalized: 'The {what} is final',
  failed: 'The {what} failed',
  expired: 'The {what} expired',
} as const;

/** The visitor can go back at any time, except while the order is being sent. */
export default function OrderSent(props: OrderSentProps) {
  const { stage, texts, confirmedText, nextAction, link, sendAgain, follow, back, backLabel } = props;
  const state = stage.kind === 'ended' ? stage.state : stage.kind;
  const { signature } = stage.signedOrder;
  return (
    <div className={styles.form} data-stake={state} aria-busy={state === 'following'}>
      <FocusedHeading>{TITLES[state].replace('{what}', texts.noun)}</FocusedHeading>
      <div className={styles.status} role="status">
        <StageText stage={stage} texts={texts} confirmedText={confirmedText} />
      </div>
      <p className={styles.signature}>
        <span className={styles.quiet}>Transaction</span>
        <LinkedId id={signature} kind="tx" link={link} name="Signature" />
        <CopyButton text={signature} name="transaction signature" />
      </p>
      <div className={styles.actions}>
        {state === 'send-failed' ? (
          <>
            <button type="button" className="button gold" onClick={sendAgain}>
              Send Again
            </button>
            <button type="button" className="button" onClick={follow}>
              Check status
            </button>
          </>
        ) : null}
        {state === 'confirmed' || state === 'finalized' ? nextAction : null}
        {state === 'sending' ? null : (
          <button type="button" className="button" onClick={back}>
            {stage.kind === 'ended' ? backLabel : 'Back'}
          </button>
        )}
      </div>
    </div>
  );
}

function StageText({
  stage,
  texts,
  confirmedText,
}: Pick<OrderSentProps, 'stage' | 'texts' | 'confirmedText'>) {
  const { noun, unchangedText, resultLocation } = texts;
  const amount = `${groupDecimalText(stage.signedOrder.order.amount)} BD`;
  switch (stage.kind) {
    case 'sending':
      return (
        <p>
          Sending your signed {noun} of {amount} to the chain.
        </p>
      );
    case 'send-failed':
      return (
        <>
          <p className={styles.failure}>{stage.failure}</p>
          <p>Sending the same signed {noun} again is safe: the chain executes it only once.</p>
        </>
      );
    case 'following':
      return (
        <>
          {stage.isSent ? (
            <p>
              Your {noun} of {amount} was sent. Confirmation usually takes a few seconds.
            </p>
          ) : (
            <p data-warning="may-be-sent">
              Your {noun} of {amount} may have been sent. We are looking for it on the chain.
            </p>
          )}
          {stage.isSlow ? (
            <p className={styles.amber} data-warning="slow">
              This is taking longer than usual. You can leave this page: {resultLocation}
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
            {stage.error ?? 'The chain rejected the transaction.'} {unchangedText}
          </p>
        );
      }
      return stage.state === 'expired' ? (
        <p className={styles.amber}>The transaction expired before it was confirmed. {unchangedText}</p>
      ) : (
        <p>{confirmedText}</p>
      );
  }
}
