import { useEffect, useRef, useState } from 'react';
import { callError, errorText } from '../../data/call-error.ts';
import {
  orderStake,
  readProgress,
  type StakeOrder,
  type StakeProgress,
  sendStake,
} from '../../data/stake-calls.ts';

/** A stake that the wallet signed. Sending it twice stakes once. */
export interface SignedStake {
  readonly order: StakeOrder;
  /** Base64. */
  readonly transaction: string;
  readonly signature: string;
}

/** The stages of a stake, from its amount to its confirmation. */
export type StakeStage =
  | { readonly kind: 'form'; readonly failure: string | null }
  | { readonly kind: 'building' }
  /** `isExpired`: too old to send. */
  | { readonly kind: 'review'; readonly order: StakeOrder; readonly isExpired: boolean }
  | { readonly kind: 'signing'; readonly order: StakeOrder }
  | { readonly kind: 'sending'; readonly signed: SignedStake }
  /** Unknown whether the chain has it. */
  | { readonly kind: 'unsent'; readonly signed: SignedStake; readonly failure: string }
  | {
      readonly kind: 'following';
      readonly signed: SignedStake;
      /** Unix ms. */
      readonly since: number;
      readonly isSlow: boolean;
      /** Whether the last read of its status failed. */
      readonly isUnreadable: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly signed: SignedStake;
      readonly state: Exclude<StakeProgress['state'], 'pending'>;
      readonly error: string | null;
    };

/** Milliseconds during which a built stake can be signed. Its blockhash is valid for about a minute. */
const ORDER_VALID = 45_000;
/** Milliseconds between two status reads of a sent stake. */
const POLL_INTERVAL = 1_500;
/** Milliseconds after which a stake counts as slow. */
const SLOW_AFTER = 20_000;

interface StakeWallet {
  readonly walletAddress: string | null;
  /** @throws {Error} with a message for the visitor */
  readonly signTransaction: (transaction: Uint8Array) => Promise<Uint8Array>;
}

interface Staking {
  readonly stage: StakeStage;
  readonly build: (amount: string) => void;
  readonly sign: () => void;
  /** Sends the signed stake again. It is executed once. */
  readonly sendAgain: () => void;
  /** Follows a stake that may have been sent. */
  readonly follow: () => void;
  /** Returns to the form and keeps the amount. */
  readonly backToForm: () => void;
}

const UNBUILT = 'The stake could not be prepared. Nothing was sent. Please try again.';
const UNSENT = 'The stake may not have been sent.';
const NOT_AS_SHOWN =
  'The transaction differs from the stake shown, so it was not sent. Nothing was staked. Try again. If it keeps happening, contact support.';

/** A stake from its amount to its confirmation. Sends only a transaction that matches the stake shown. */
export function useStake({ walletAddress, signTransaction }: StakeWallet): Staking {
  const [stage, setStage] = useState<StakeStage>({ kind: 'form', failure: null });
  /** Counts the attempts, so that a late response to an earlier one is ignored. */
  const attempts = useRef(0);
  /** The order that the wallet is signing. */
  const signing = useRef<StakeOrder | null>(null);
  const begin = (next: StakeStage): number => {
    attempts.current += 1;
    setStage(next);
    return attempts.current;
  };
  const settle = (attempt: number, next: StakeStage) => {
    if (attempt === attempts.current) setStage(next);
  };

  // An order belongs to one wallet. A sent stake continues whichever wallet is connected.
  useEffect(() => {
    setStage((now) => {
      const isUnsigned = now.kind === 'building' || now.kind === 'review' || now.kind === 'signing';
      if (!isUnsigned || (now.kind !== 'building' && now.order.walletAddress === walletAddress)) return now;
      attempts.current += 1;
      return { kind: 'form', failure: null };
    });
  }, [walletAddress]);

  const reviewed = stage.kind === 'review' && !stage.isExpired ? stage.order : null;
  useEffect(() => {
    if (reviewed === null) return;
    const timer = setTimeout(
      () => setStage((now) => (now.kind === 'review' ? { ...now, isExpired: true } : now)),
      ORDER_VALID,
    );
    return () => clearTimeout(timer);
  }, [reviewed]);

  const followed = stage.kind === 'following' ? stage.signed : null;
  useEffect(() => (followed === null ? undefined : watch(followed, setStage)), [followed]);

  const follow = (signed: SignedStake) =>
    begin({ kind: 'following', signed, since: Date.now(), isSlow: false, isUnreadable: false });

  const build = async (amount: string) => {
    if (walletAddress === null) return;
    const attempt = begin({ kind: 'building' });
    try {
      const order = await orderStake(walletAddress, amount);
      settle(attempt, { kind: 'review', order, isExpired: false });
    } catch (error) {
      settle(attempt, { kind: 'form', failure: errorText(error, UNBUILT) });
    }
  };

  const send = async (signed: SignedStake, isFirst: boolean) => {
    const attempt = begin({ kind: 'sending', signed });
    try {
      await sendStake(signed.transaction);
      if (attempt === attempts.current) follow(signed);
    } catch (error) {
      const failure = errorText(error, UNSENT);
      // After a refusal this attempt has sent nothing, but an earlier one may have.
      const nothingSent = isFirst && callError(error) === 'refused';
      settle(attempt, nothingSent ? { kind: 'form', failure } : { kind: 'unsent', signed, failure });
    }
  };

  const sign = async (order: StakeOrder) => {
    // The visitor may click twice before React renders: ask the wallet once.
    if (signing.current === order) return;
    signing.current = order;
    const attempt = begin({ kind: 'signing', order });
    const { fromBase64, readTransaction, matchesShownStake, toBase64 } = await import('./stake-message.ts');
    let bytes: Uint8Array;
    try {
      const built = fromBase64(order.transaction);
      if (!matchesShownStake(built, order)) throw new Error(NOT_AS_SHOWN);
      bytes = await signTransaction(built);
      // A wallet may add instructions.
      if (!matchesShownStake(bytes, order)) throw new Error(NOT_AS_SHOWN);
    } catch (error) {
      settle(attempt, { kind: 'form', failure: error instanceof Error ? error.message : NOT_AS_SHOWN });
      return;
    }
    if (attempt !== attempts.current) return;
    const [signature = ''] = readTransaction(bytes).signatures;
    await send({ order, transaction: toBase64(bytes), signature }, true);
  };

  return {
    stage,
    build: (amount) => void build(amount),
    sign: () => {
      if (stage.kind === 'review' && !stage.isExpired) void sign(stage.order);
    },
    sendAgain: () => {
      if (stage.kind === 'unsent') void send(stage.signed, false);
    },
    follow: () => {
      if (stage.kind === 'unsent') follow(stage.signed);
    },
    backToForm: () => void begin({ kind: 'form', failure: null }),
  };
}

/** Polls the status of a sent stake until it has ended. @returns a function that stops polling */
function watch(signed: SignedStake, setStage: (change: (now: StakeStage) => StakeStage) => void): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const poll = async () => {
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
        return { ...now, isUnreadable: false, isSlow: Date.now() - now.since >= SLOW_AFTER };
      };
    } catch {
      next = (now) =>
        now.kind === 'following'
          ? { ...now, isUnreadable: true, isSlow: Date.now() - now.since >= SLOW_AFTER }
          : now;
    }
    if (ended.signal.aborted) return;
    setStage(next);
    timer = setTimeout(() => void poll(), POLL_INTERVAL);
  };
  void poll();
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}
