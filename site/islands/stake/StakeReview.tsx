import type { StakeOrder } from '../../data/stake-calls.ts';
import { Definition } from '../ui/Definition.tsx';
import { momentText } from '../ui/format.ts';
import { FullAddress } from '../ui/LinkedId.tsx';
import { OrderReview, type OrderReviewProps } from './OrderReview.tsx';
import { StakeTerms } from './StakeForm.tsx';
import { OrderAmount } from './Worth.tsx';

interface StakeReviewProps extends Omit<OrderReviewProps, 'details' | 'terms' | 'signLabel' | 'backLabel'> {
  readonly order: StakeOrder;
  readonly isStaking: boolean;
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
