import { useEffect } from 'react';
import { showToast } from '../../shell/toasts/show-toast.ts';
import TierActivatedDialog, { type TierActivatedProps } from '../tier-activated/TierActivatedDialog.tsx';
import { formatStake } from '../ui/format.ts';

/** The result for a wallet that qualifies: its tier and its stake. */
export default function VerifiedDialog(props: TierActivatedProps) {
  const { tier, stakedAmount } = props;
  useEffect(() => {
    // After the dialog opens: an earlier toast would be behind it.
    void showToast({
      title: 'Verification complete',
      text: `${tier} tier, ${formatStake(stakedAmount)} BD staked.`,
      kind: 'success',
      seconds: 5,
      // Clear of the buttons at the bottom of the dialog.
      place: 'top',
    });
  }, [tier, stakedAmount]);
  return <TierActivatedDialog {...props} />;
}
