import { useEffect } from 'react';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { formatStake } from '../figure/moved-amount.ts';
import TierActivatedDialog, { type TierActivatedProps } from '../tier-activated/TierActivatedDialog.tsx';

/** Tells that a wallet's stake qualifies: its tier and how much it is. */
export default function VerifiedDialog(props: TierActivatedProps) {
  const { tier, stakedAmount } = props;
  useEffect(() => {
    // Once the dialog is open: a toast of before would lie behind it.
    void showToast({
      title: 'Verification complete',
      text: `${tier} tier, ${formatStake(stakedAmount)} BD staked.`,
      kind: 'success',
      seconds: 5,
      // Its buttons stand at the bottom.
      place: 'top',
    });
  }, [tier, stakedAmount]);
  return <TierActivatedDialog {...props} />;
}
