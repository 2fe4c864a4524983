import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Eligibility, eligibilityQuery, myCardQuery } from '../../data/card-calls.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { denialToast } from '../verification/denial.ts';
import { checkError } from '../verification/verify-stake.ts';
import { $wallet } from '../wallet/wallet-stores.ts';
import type { CardWallet } from './use-card-wallet.ts';
import { stakedText } from './use-eligibility.ts';

/**
 * Starts a card application. `apply` goes through the steps that are still needed: it connects a wallet, checks the stake,
 * asks for a proof of ownership, and opens the form.
 * @param marketUrl the URL of a page where visitors can buy BD
 */
export function useApplication(
  wallet: Pick<CardWallet, 'connect'>,
  prove: (walletAddress: string) => Promise<boolean>,
  marketUrl: string,
) {
  const client = useQueryClient();
  const [applicantEligibility, setApplicantEligibility] = useState<Eligibility | null>(null);
  const [isApplying, setApplying] = useState(false);
  // The visitor may click twice before React renders.
  const isBusy = useRef(false);

  async function prepareApplication(): Promise<Eligibility | null> {
    if ($wallet.get().walletAddress === null) await wallet.connect();
    const { walletAddress } = $wallet.get();
    if (walletAddress === null) return null;
    const eligibility = await client.fetchQuery(eligibilityQuery(walletAddress));
    if (!eligibility.eligible) {
      const { detectionMethod } = eligibility;
      await showToast(denialToast({ detectionMethod, stakedAmount: stakedText(eligibility) }, marketUrl));
      return null;
    }
    if (!(await prove(walletAddress))) return null;
    const myCard = await client.fetchQuery(myCardQuery(walletAddress));
    if (myCard === null) {
      await showToast({
        title: 'Verification Failed',
        text: 'The portal has no proof that this wallet is yours. Prove ownership again, then apply.',
        kind: 'failure',
        seconds: 10,
      });
      return null;
    }
    // A wallet that has a card cannot apply for one. The steps on the page show the card, or that no cards are left.
    return myCard.card === null && myCard.cardsLeft > 0 ? eligibility : null;
  }

  const apply = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    setApplying(true);
    try {
      setApplicantEligibility(await prepareApplication());
    } catch (error) {
      // The toast needs no retry button: the steps on the page show the error with one.
      const { message: text } = checkError(error);
      void showToast({ title: 'Verification Failed', text, kind: 'failure', seconds: 10 });
    } finally {
      isBusy.current = false;
      setApplying(false);
    }
  };

  return {
    /** The eligibility of the wallet that is applying; null while the form is closed. */
    applicant: applicantEligibility,
    isApplying,
    apply: () => void apply(),
    close: () => setApplicantEligibility(null),
  };
}
export type Application = ReturnType<typeof useApplication>;
