import { useEffect, useRef, useState } from 'react';
import { callFault, faultText } from '../../data/call-fault.ts';
import { orderStake, readProgress, type StakeOrder, sendStake } from '../../data/stake-calls.ts';
import type { SignedStake, StakeStage } from './stake-stage.ts';

/** Milliseconds for which a built stake can be signed and still be sent in time: its blockhash holds for about a minute. */
export const ORDER_HOLDS = 45_000;
/** Between two looks at a stake that was sent. */
export const LOOK_EVERY = 1_500;
/** From here on it takes longer than usual. */
export const SLOW_AFTER = 20_000;

interface StakeWallet {
  readonly walletAddress: string | null;
  /** @throws {Error} whose message is for the visitor */
  readonly signTransaction: (transaction: Uint8Array) => Promise<Uint8Array>;
}

export interface Staking {
  readonly stage: StakeStage;
  readonly build: (amount: string) => void;
  readonly sign: () => void;
  /** Sends what was signed again; it stakes once all the same. */
  readonly sendAgain: () => void;
  /** Looks whether what may have been sent has arrived. */
  readonly follow: () => void;
  /** Back to the form, with the amount kept. */
  readonly backToForm: () => void;
}

const UNBUILT = 'The stake could not be prepared. Nothing was sent. Please try again.';
const UNSENT = 'It is not known whether the stake was sent.';
const NOT_AS_SHOWN =
  'The transaction is not the stake that was shown, so it was not sent. Nothing was staked. Try again; if it stays, tell support.';

/** A stake from its amount to its confirmation. What the wallet signs is compared with what was shown. */
export function useStake({ walletAddress, signTransaction }: StakeWallet): Staking {
  const [stage, setStage] = useState<StakeStage>({ kind: 'form', fault: null });
  /** Counts what was begun, so that an answer that was overtaken changes nothing. */
  const turn = useRef(0);
  /** The order that the wallet was asked to sign last. */
  const asked = useRef<StakeOrder | null>(null);
  const begin = (next: StakeStage): number => {
    turn.current += 1;
    setStage(next);
    return turn.current;
  };
  const settle = (own: number, next: StakeStage) => {
    if (own === turn.current) setStage(next);
  };

  // An order is one wallet's. What was sent goes on, whatever wallet is connected by then.
  useEffect(() => {
    setStage((now) => {
      const isUnsigned = now.kind === 'building' || now.kind === 'review' || now.kind === 'signing';
      if (!isUnsigned || (now.kind !== 'building' && now.order.walletAddress === walletAddress)) return now;
      turn.current += 1;
      return { kind: 'form', fault: null };
    });
  }, [walletAddress]);

  const reviewed = stage.kind === 'review' && !stage.lapsed ? stage.order : null;
  useEffect(() => {
    if (reviewed === null) return;
    const timer = setTimeout(
      () => setStage((now) => (now.kind === 'review' ? { ...now, lapsed: true } : now)),
      ORDER_HOLDS,
    );
    return () => clearTimeout(timer);
  }, [reviewed]);

  const followed = stage.kind === 'following' ? stage.signed : null;
  useEffect(() => (followed === null ? undefined : watch(followed, setStage)), [followed]);

  const follow = (signed: SignedStake) =>
    begin({ kind: 'following', signed, since: Date.now(), isSlow: false, isBlind: false });

  const build = async (amount: string) => {
    if (walletAddress === null) return;
    const own = begin({ kind: 'building' });
    try {
      const order = await orderStake(walletAddress, amount);
      settle(own, { kind: 'review', order, lapsed: false });
    } catch (error) {
      settle(own, { kind: 'form', fault: faultText(error, UNBUILT) });
    }
  };

  const send = async (signed: SignedStake, isFirst: boolean) => {
    const own = begin({ kind: 'sending', signed });
    try {
      await sendStake(signed.transaction);
      if (own === turn.current) follow(signed);
    } catch (error) {
      const fault = faultText(error, UNSENT);
      // A refusal is the server's word that nothing was sent; an earlier attempt may have been, all the same.
      const isOver = isFirst && callFault(error) === 'refused';
      settle(own, isOver ? { kind: 'form', fault } : { kind: 'unsent', signed, fault });
    }
  };

  const sign = async (order: StakeOrder) => {
    // Two presses can come before the first is drawn: the wallet is asked once.
    if (asked.current === order) return;
    asked.current = order;
    const own = begin({ kind: 'signing', order });
    const { fromBase64, readTransaction, stakesAsShown, toBase64 } = await import('./stake-message.ts');
    let bytes: Uint8Array;
    try {
      const built = fromBase64(order.transaction);
      if (!stakesAsShown(built, order)) throw new Error(NOT_AS_SHOWN);
      bytes = await signTransaction(built);
      // A wallet may add to what it signs.
      if (!stakesAsShown(bytes, order)) throw new Error(NOT_AS_SHOWN);
    } catch (error) {
      settle(own, { kind: 'form', fault: error instanceof Error ? error.message : NOT_AS_SHOWN });
      return;
    }
    if (own !== turn.current) return;
    const [signature = ''] = readTransaction(bytes).signatures;
    await send({ order, transaction: toBase64(bytes), signature }, true);
  };

  return {
    stage,
    build: (amount) => void build(amount),
    sign: () => {
      if (stage.kind === 'review' && !stage.lapsed) void sign(stage.order);
    },
    sendAgain: () => {
      if (stage.kind === 'unsent') void send(stage.signed, false);
    },
    follow: () => {
      if (stage.kind === 'unsent') follow(stage.signed);
    },
    backToForm: () => void begin({ kind: 'form', fault: null }),
  };
}

/** Looks at a sent stake until it has ended. Answers how to stop. */
function watch(signed: SignedStake, setStage: (change: (now: StakeStage) => StakeStage) => void): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const look = async () => {
    let next: (now: StakeStage) => StakeStage;
    try {
      const { state, error } = await readProgress(
        signed.signature,
        signed.order.lastValidBlockHeight,
        ended.signal,
      );
      next = (now) => {
        if (now.kind !== 'following') return now;
        if (state !== 'pending') return { kind: 'ended', signed, state, error };
        return { ...now, isBlind: false, isSlow: Date.now() - now.since >= SLOW_AFTER };
      };
    } catch {
      next = (now) =>
        now.kind === 'following'
          ? { ...now, isBlind: true, isSlow: Date.now() - now.since >= SLOW_AFTER }
          : now;
    }
    if (ended.signal.aborted) return;
    setStage(next);
    timer = setTimeout(() => void look(), LOOK_EVERY);
  };
  void look();
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}
