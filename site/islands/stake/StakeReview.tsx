import { groupDecimalText } from '../../../data/model/count.ts';
import type { StakeOrder } from '../../data/stake-calls.ts';
import { Definition } from '../ui/Definition.tsx';
import { FullId } from '../ui/Evidence.tsx';
import { FocusedHeading } from '../ui/FocusedHeading.tsx';
import { momentText } from '../ui/format.ts';
import { StakeTerms } from './StakeForm.tsx';
import styles from './stake.module.css';
import { solText } from './stake-amount.ts';

interface StakeReviewProps {
  readonly order: StakeOrder;
  readonly isStaking: boolean;
  /** Whether the order is too old to be sent. */
  readonly isExpired: boolean;
  readonly isSigning: boolean;
  readonly sign: () => void;
  readonly refresh: () => void;
  readonly back: () => void;
}

export default function StakeReview(props: StakeReviewProps) {
  const { order, isStaking, isExpired, isSigning, sign, refresh, back } = props;
  return (
    <div className={styles.form} data-stake="review">
      <FocusedHeading>What you are about to sign</FocusedHeading>
      <dl className="definitions">
        <Definition name="Stake">{groupDecimalText(order.amount)} BD</Definition>
        <Definition name="From wallet">
          <FullId id={order.walletAddress} kind="address" link={null} />
        </Definition>
        <Definition name="Locked until">{momentText(order.unlockDate)}</Definition>
        <Definition name="Network fee">
          {solText(order.fee)}
          {order.priorityFee === '0' ? null : `, including ${solText(order.priorityFee)} for priority`}
        </Definition>
        <Definition name="Account deposit (rent)">{solText(order.rent)}</Definition>
      </dl>
      <StakeTerms isStaking={isStaking} />
      {isExpired ? (
        <p className={styles.amber} role="status">
          This quote has expired. Refresh it to see current figures.
        </p>
      ) : null}
      <div className={styles.actions}>
        {isExpired ? (
          <button type="button" className="button gold" onClick={refresh}>
            Refresh the quote
          </button>
        ) : (
          <button type="button" className="button gold" onClick={sign} aria-disabled={isSigning}>
            {isSigning ? 'Waiting for your wallet…' : 'Sign and Stake'}
          </button>
        )}
        <button type="button" className="button" onClick={back}>
          {isSigning ? 'Stop Waiting' : 'Change Amount'}
        </button>
      </div>
    </div>
  );
}
