import type { StakeOrder } from '../../data/stake-calls.ts';
import { Definition } from '../ui/Definition.tsx';
import { momentText } from '../ui/format.ts';
import { FullAddress } from '../ui/LinkedId.tsx';
import { OrderReview } from './OrderReview.tsx';
import { StakeTerms } from './StakeForm.tsx';
import { OrderAmount } from './Worth.tsx';

interface StakeReviewProps {
  readonly order: StakeOrder;
  readonly isStaking: boolean;
  readonly isExpired: boolean;
  readonly isSigning: boolean;
  readonly sign: () => void;
  readonly refresh: () => void;
  readonly back: () => void;
}

export default function StakeReview({ isStaking, ...review }: StakeReviewProps) {
  const { amount, walletAddress, unlockDate } = review.order;
  return (
    <OrderReview
      {...review}
      signLabel="Sign and Stake"
      backLabel="Change Amount"
      terms={<StakeTerms isStaking={isStaking} />}
      details={
        <>
          <Definition name="Stake">
            <OrderAmount amount={amount} />
          </Definition>
          <Definition name="From wallet">
            <FullAddress id={walletAddress} link={null} />
          </Definition>
          <Definition name="Locked until">{momentText(unlockDate)}</Definition>
        </>
      }
    />
  );
}
