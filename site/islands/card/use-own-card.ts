import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { callFault, faultText } from '../../data/call-fault.ts';
import {
  eligibilityKey,
  type MyCard,
  makeCard,
  myCardKey,
  myCardQuery,
  revealSecret,
  setFrozen as setCardFrozen,
} from '../../data/card-calls.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import type { CardTask } from './OwnCard.tsx';
import type { CardWallet } from './use-card-wallet.ts';
import { type ShownSecret, useShownSecret } from './use-shown-secret.ts';

/** What is under way with the card of the connected wallet, or on the way to one. */
export type OwnCardTask = CardTask | 'generating';

export interface OwnCardState {
  /** Null where there is none, or the wallet is not proved. */
  readonly card: CardSummary | null;
  /** Whether the wallet's card is still being asked for. */
  readonly isReading: boolean;
  /** Cards left of all; null while it is not known. */
  readonly cardsLeft: number | null;
  readonly shown: ShownSecret;
  readonly task: OwnCardTask;
  readonly fault: string | null;
  readonly prove: () => void;
  readonly generate: (holderName: string) => void;
  readonly reveal: () => void;
  readonly setFrozen: (frozen: boolean) => void;
  /** Reads the wallet's card again where that failed; null where it did not fail. */
  readonly retry: (() => void) | null;
}

const GENERATION_FAILED = 'Unable to create virtual card. Please try again.';

/** The card of the connected wallet, and what its owner can do to it. */
export function useOwnCard(wallet: CardWallet): OwnCardState {
  const { walletAddress, isProved } = wallet;
  const client = useQueryClient();
  const shown = useShownSecret();
  const { hide } = shown;
  const [task, setTask] = useState<OwnCardTask>('none');
  const [fault, setFault] = useState<string | null>(null);
  // Two presses can come before the first is drawn.
  const busy = useRef(false);
  const mine = useQuery({ ...myCardQuery(walletAddress ?? ''), enabled: isProved === true });
  const { data, isLoading, isError, refetch } = mine;

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was shown or said belongs to the wallet that was connected.
  useEffect(() => {
    hide();
    setFault(null);
    setTask('none');
  }, [walletAddress, hide]);
  useEffect(() => {
    // The server knows of no proof any more.
    if (isProved === true && data === null) wallet.forgetProof();
  }, [isProved, data, wallet.forgetProof]);

  /** What comes back for a wallet that is no longer the connected one is not told of another. */
  const tell = (text: string) => {
    if (walletAddress !== null && wallet.isStill(walletAddress)) setFault(text);
  };
  /** What failed for want of a proof asks for one, too. */
  const fail = (error: unknown, otherwise: string) => {
    if (callFault(error) === 'not-proved') wallet.forgetProof();
    tell(faultText(error, otherwise));
  };
  const tellUnsigned = (error: unknown) =>
    tell(error instanceof Error ? error.message : 'The wallet did not sign. Try again.');
  const keep = (card: CardSummary) =>
    client.setQueryData<MyCard | null>(myCardKey(card.walletAddress), (before) =>
      before ? { ...before, card } : before,
    );
  /** One thing at a time. */
  const run = async (kind: OwnCardTask, work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setTask(kind);
    setFault(null);
    try {
      await work();
    } finally {
      busy.current = false;
      setTask('none');
    }
  };

  const prove = () =>
    run('proving', async () => {
      try {
        await wallet.prove();
      } catch (error) {
        tellUnsigned(error);
      }
    });

  const generate = (holderName: string) =>
    run('generating', async () => {
      if (walletAddress === null) return;
      try {
        const { card, ...secret } = await makeCard(walletAddress, holderName);
        client.setQueryData<MyCard | null>(myCardKey(walletAddress), (before) => ({
          card,
          cardsLeft: Math.max(0, (before?.cardsLeft ?? 1) - 1),
        }));
        if (wallet.isStill(walletAddress)) shown.show(secret);
        void showToast({
          title: 'Virtual Card Generated',
          text: 'Number and CVV are shown for a minute.',
          kind: 'success',
        });
      } catch (error) {
        fail(error, `Generation Failed: ${GENERATION_FAILED}`);
        void showToast({
          title: 'Generation Failed',
          text: GENERATION_FAILED,
          kind: 'failure',
          seconds: 10,
        });
        // What the server knows may differ from what is shown: a card that exists, a stake that is gone.
        void client.invalidateQueries({ queryKey: myCardKey(walletAddress) });
        void client.invalidateQueries({ queryKey: eligibilityKey(walletAddress) });
      }
    });

  const card = isProved === true && data?.card?.walletAddress === walletAddress ? (data?.card ?? null) : null;

  const reveal = () =>
    run('proving', async () => {
      if (card === null) return;
      try {
        await wallet.proveAnew();
      } catch (error) {
        tellUnsigned(error);
        return;
      }
      setTask('revealing');
      try {
        const secret = await revealSecret(card.cardId);
        if (wallet.isStill(card.walletAddress)) shown.show(secret);
      } catch (error) {
        fail(error, 'The card could not be revealed. Please try again.');
      }
    });

  const setFrozen = (frozen: boolean) =>
    run('changing', async () => {
      if (card === null) return;
      try {
        keep(await setCardFrozen(card.cardId, frozen));
        if (frozen) hide();
      } catch (error) {
        fail(error, `The card could not be ${frozen ? 'frozen' : 'unfrozen'}. It is as it was.`);
      }
    });

  return {
    card,
    isReading: isLoading,
    cardsLeft: data?.cardsLeft ?? null,
    shown,
    task,
    fault,
    prove: () => void prove(),
    generate: (holderName) => void generate(holderName),
    reveal: () => void reveal(),
    setFrozen: (frozen) => void setFrozen(frozen),
    retry: isError ? () => void refetch() : null,
  };
}
