import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { callError, errorText } from '../../data/call-error.ts';
import {
  type CardSecret,
  closeCard,
  eligibilityKey,
  type MyCard,
  makeCard,
  myCardKey,
  myCardQuery,
  revealSecret,
  setFrozen as setCardFrozen,
  setLimits,
  setSpendNotices,
} from '../../data/card-calls.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import type { EnteredCardholder } from './CardholderFields.tsx';
import type { CardWallet } from './use-card-wallet.ts';

export const SHOWN_SECONDS = 60;

/**
 * The revealed card number and CVV. They are hidden after `SHOWN_SECONDS`, and when this window loses the focus. They are kept
 * only in this state, never in a cache, in storage or in a URL.
 */
function useShownSecret() {
  const [secret, setSecret] = useState<CardSecret | null>(null);
  const hide = useCallback(() => setSecret(null), []);
  const show = useCallback((revealed: CardSecret) => {
    // The visitor may have left the page while the card loaded.
    if (document.visibilityState === 'visible') setSecret(revealed);
  }, []);
  useEffect(() => {
    if (secret === null) return;
    // Renders synchronously, because the browser may cache the page before the next render.
    const mask = () => flushSync(() => setSecret(null));
    const timer = setTimeout(() => setSecret(null), SHOWN_SECONDS * 1_000);
    window.addEventListener('blur', mask);
    window.addEventListener('pagehide', mask);
    document.addEventListener('visibilitychange', mask);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('blur', mask);
      window.removeEventListener('pagehide', mask);
      document.removeEventListener('visibilitychange', mask);
    };
  }, [secret]);
  return { secret, show, hide };
}
export type ShownSecret = ReturnType<typeof useShownSecret>;

export type CardTask =
  | 'none'
  | 'proving'
  | 'revealing'
  | 'changing'
  | 'checking'
  | 'limiting'
  | 'saving-notices'
  | 'closing';

type OwnCardTask = CardTask | 'generating';

interface StepFailure {
  readonly step: 'prove' | 'get';
  readonly text: string;
}

const GENERATION_FAILED = 'Unable to create virtual card. Please try again.';

export function useOwnCard(wallet: CardWallet) {
  const { walletAddress, isProven } = wallet;
  const client = useQueryClient();
  const shownSecret = useShownSecret();
  const { hide } = shownSecret;
  const [task, setTask] = useState<OwnCardTask>('none');
  const [failure, setFailure] = useState<StepFailure | null>(null);
  // The visitor may click twice before React renders.
  const isBusy = useRef(false);
  const ownCardQuery = useQuery({ ...myCardQuery(walletAddress ?? ''), enabled: isProven === true });
  const { data, isError, isSuccess, isFetching, refetch } = ownCardQuery;

  const [shownAddress, setShownAddress] = useState(walletAddress);
  if (shownAddress !== walletAddress) {
    // Clears the screen, because everything on it belongs to the previous wallet.
    setShownAddress(walletAddress);
    hide();
    setFailure(null);
    setTask('none');
  }
  // If the server no longer has a proof, it responds with a 401, and `data` is null. After a new proof, `data` stays null
  // until the card has been read again.
  const isProofGone = isProven === true && data === null && isSuccess && !isFetching;
  useEffect(() => {
    if (isProofGone) wallet.forgetProof();
  }, [isProofGone, wallet.forgetProof]);

  const showFailure = (newFailure: StepFailure, address = walletAddress) => {
    if (address !== null && wallet.isStillConnected(address)) setFailure(newFailure);
  };
  /** Shows why a call failed. If the server no longer accepts the proof, returns to the ownership step. */
  const showCallFailure = (error: unknown, fallback: string) => {
    const isUnproven = callError(error) === 'not-proven';
    if (isUnproven) wallet.forgetProof();
    showFailure({ step: isUnproven ? 'prove' : 'get', text: errorText(error, fallback) });
    // Reads the card again, because the page may show an outdated one.
    void client.invalidateQueries({ queryKey: myCardKey(walletAddress ?? '') });
  };
  const showSigningFailure = (step: StepFailure['step'], error: unknown, address = walletAddress) => {
    const text = error instanceof Error ? error.message : 'The wallet did not sign. Try again.';
    showFailure({ step, text }, address);
  };
  const updateCachedCard = (card: CardSummary) =>
    client.setQueryData<MyCard | null>(myCardKey(card.walletAddress), (before) =>
      before ? { ...before, card: card.state === 'closed' ? null : card } : before,
    );
  const runTask = async (kind: OwnCardTask, work: () => Promise<void>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setTask(kind);
    setFailure(null);
    try {
      await work();
    } finally {
      isBusy.current = false;
      setTask('none');
    }
  };

  /**
   * @param address the connected wallet, which may have connected after the last render
   * @returns whether its ownership is proven
   */
  const prove = async (address = walletAddress) => {
    let isProven = false;
    await runTask('proving', async () => {
      try {
        await wallet.prove();
        isProven = true;
      } catch (error) {
        showSigningFailure('prove', error, address);
      }
    });
    return isProven;
  };

  const generate = (holderName: string, cardholder: EnteredCardholder | null = null) =>
    runTask('generating', async () => {
      if (walletAddress === null) return;
      try {
        const { card, ...secret } = await makeCard(walletAddress, holderName, cardholder);
        client.setQueryData<MyCard | null>(myCardKey(walletAddress), (before) => ({
          card,
          lastClosed: null,
          noticesTo: before?.noticesTo ?? null,
          applied: before?.applied ?? null,
          cardholderFields: before?.cardholderFields ?? [],
          cardsLeft: Math.max(0, (before?.cardsLeft ?? 1) - 1),
        }));
        if (wallet.isStillConnected(walletAddress)) shownSecret.show(secret);
        void showToast({
          title: 'Virtual Card Generated',
          text: `Number and CVV stay visible for ${SHOWN_SECONDS} seconds.`,
          kind: 'success',
        });
      } catch (error) {
        showCallFailure(error, `Generation Failed: ${GENERATION_FAILED}`);
        void showToast({ title: 'Generation Failed', text: GENERATION_FAILED, kind: 'failure', seconds: 10 });
        void client.invalidateQueries({ queryKey: eligibilityKey(walletAddress) });
      }
    });

  const card = isProven === true && data?.card?.walletAddress === walletAddress ? (data?.card ?? null) : null;

  /** @returns whether the wallet signed */
  const proveAgain = async () => {
    try {
      await wallet.proveFresh();
      return true;
    } catch (error) {
      showSigningFailure('get', error);
      return false;
    }
  };

  const reveal = () =>
    runTask('proving', async () => {
      if (card === null || !(await proveAgain())) return;
      setTask('revealing');
      try {
        const secret = await revealSecret(card.cardId);
        if (wallet.isStillConnected(card.walletAddress)) shownSecret.show(secret);
      } catch (error) {
        showCallFailure(error, 'Could not reveal the card. Please try again.');
      }
    });

  const setFrozen = (frozen: boolean) =>
    runTask('changing', async () => {
      if (card === null) return;
      try {
        updateCachedCard(await setCardFrozen(card.cardId, frozen));
        if (frozen) hide();
      } catch (error) {
        showCallFailure(error, `Could not ${frozen ? 'freeze' : 'unfreeze'} the card. Nothing changed.`);
      }
    });

  const changeLimits = async (daily: number, monthly: number) => {
    let isChanged = false;
    await runTask('limiting', async () => {
      if (card === null) return;
      const isHigher = daily > card.limits.daily || monthly > card.limits.monthly;
      if (isHigher && !(await proveAgain())) return;
      try {
        updateCachedCard(await setLimits(card.cardId, daily, monthly));
        isChanged = true;
      } catch (error) {
        showCallFailure(error, 'Could not change the limits. Nothing changed.');
      }
    });
    return isChanged;
  };

  const switchSpendNotices = (isOn: boolean) =>
    runTask('saving-notices', async () => {
      if (card === null) return;
      try {
        updateCachedCard(await setSpendNotices(card.cardId, isOn));
      } catch (error) {
        showCallFailure(error, 'Could not change the payment notifications. Nothing changed.');
      }
    });

  const close = () =>
    runTask('closing', async () => {
      if (card === null || !(await proveAgain())) return;
      try {
        const closed = await closeCard(card.cardId);
        updateCachedCard(closed);
        hide();
        // A toast announces the outcome, because the button that had the focus is gone.
        const texts =
          closed.state === 'closed'
            ? { title: 'Virtual Card Closed', text: 'It can no longer be used for payments.' }
            : { title: 'Closing Virtual Card', text: 'The issuer has not confirmed it yet. We keep trying.' };
        void showToast({ ...texts, kind: 'success' });
        await client.invalidateQueries({ queryKey: myCardKey(card.walletAddress) });
      } catch (error) {
        showCallFailure(error, 'Could not close the card. Nothing changed.');
      }
    });

  const signOut = () =>
    runTask('changing', async () => {
      try {
        await wallet.signOut();
      } catch (error) {
        showFailure({ step: 'prove', text: errorText(error, 'Could not sign out. Please try again.') });
      }
    });

  return {
    /** Null if the wallet has no card, or its ownership is not proven. */
    card,
    /**
     * The wallet's last card, if the wallet has no card now and the last one was closed for a reason that `closedFor` lists;
     * otherwise null.
     */
    lastClosed: (isProven === true && data?.lastClosed) || null,
    isReading: isFetching && !data,
    /** The reference number of the wallet's newest application; null if there is none. */
    applicationReference: data?.applied ?? null,
    /** The number of cards that can still be issued; null if unknown. */
    cardsLeft: data?.cardsLeft ?? null,
    shown: shownSecret,
    task,
    failure,
    prove,
    /** The data that the issuer requires for a new card, in addition to the name on the card. */
    cardholderFields: data?.cardholderFields ?? [],
    generate: (holderName: string, cardholder?: EnteredCardholder) => void generate(holderName, cardholder),
    reveal: () => void reveal(),
    setFrozen: (frozen: boolean) => void setFrozen(frozen),
    changeLimits,
    /** How messages about the card are sent: by email, or by email and Telegram; null if the wallet has no application. */
    noticesTo: data?.noticesTo ?? null,
    switchSpendNotices: (isOn: boolean) => void switchSpendNotices(isOn),
    close: () => void close(),
    signOut: () => void signOut(),
    /** Reads the card again; null unless the last read failed. */
    retry: isError ? { run: () => void refetch(), running: isFetching } : null,
  };
}
export type OwnCard = ReturnType<typeof useOwnCard>;
