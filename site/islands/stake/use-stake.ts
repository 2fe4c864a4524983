import { useEffect, useRef, useState } from 'react';
import { callError, errorText } from '../../data/call-error.ts';
import {
  orderStake,
  readProgress,
  type StakeOrder,
  type StakeProgress,
  sendStake,
} from '../../data/stake-calls.ts';
import { fromBase64, toBase64 } from '../wallet/base64.ts';
import type { useWallet } from '../wallet/WalletProvider.tsx';

/** A stake that the wallet has signed. The chain executes it once, however often it is sent. */
interface SignedStake {
  readonly order: StakeOrder;
  /** Base64. */
  readonly transaction: string;
  readonly signature: string;
}

export type StakeStage =
  | { readonly kind: 'form'; readonly failure: string | null }
  | { readonly kind: 'building' }
  /** `isExpired`: the order is too old to be sent. */
  | { readonly kind: 'review'; readonly order: StakeOrder; readonly isExpired: boolean }
  | { readonly kind: 'signing'; readonly order: StakeOrder }
  | { readonly kind: 'sending'; readonly signed: SignedStake }
  /** Sending failed. The chain may or may not have received the stake. */
  | { readonly kind: 'unsent'; readonly signed: SignedStake; readonly failure: string }
  | {
      readonly kind: 'following';
      readonly signed: SignedStake;
      /** Unix ms. */
      readonly since: number;
      readonly isSlow: boolean;
      /** Whether the last read of the stake's status failed. */
      readonly isUnreadable: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly signed: SignedStake;
      readonly state: Exclude<StakeProgress['state'], 'pending'>;
      readonly error: string | null;
    };

/** Milliseconds within which an order must be signed: the order's blockhash is valid for about a minute. */
const ORDER_VALID = 45_000;
/** Milliseconds between two status reads of a sent stake. */
const POLL_INTERVAL = 1_500;
/** Milliseconds after which a stake counts as slow. */
const SLOW_AFTER = 20_000;

type StakeWallet = Pick<ReturnType<typeof useWallet>, 'walletAddress' | 'signTransaction'>;

const UNBUILT = 'The stake could not be prepared. Nothing was sent. Please try again.';
const UNSENT = 'The stake may not have been sent.';
const NOT_AS_SHOWN =
  'The transaction differs from the stake shown, so it was not sent. Nothing was staked. Try again. If it keeps happening, contact support.';

/** A stake from its amount to its confirmation. Sends only a transaction that matches the stake shown. */
export function useStake({ walletAddress, signTransaction }: StakeWallet) {
  const [stage, setStage] = useState<StakeStage>({ kind: 'form', failure: null });
  /** The number of the current attempt. A late response to an earlier attempt is ignored. */
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

  // An unsigned order is dropped if the wallet changes. A signed stake continues.
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
      // If the server refuses the first attempt, nothing was sent. If it refuses a later one, an earlier attempt may have
      // sent the stake.
      const nothingSent = isFirst && callError(error) === 'refused';
      settle(attempt, nothingSent ? { kind: 'form', failure } : { kind: 'unsent', signed, failure });
    }
  };

  const sign = async (order: StakeOrder) => {
    // The visitor may click twice before React renders, but the wallet must be asked only once.
    if (signing.current === order) return;
    signing.current = order;
    const attempt = begin({ kind: 'signing', order });
    const { readTransaction, matchesShownStake } = await import('./stake-message.ts');
    let bytes: Uint8Array;
    try {
      const built = fromBase64(order.transaction);
      if (!matchesShownStake(built, order)) throw new Error(NOT_AS_SHOWN);
      bytes = await signTransaction(built);
      // The wallet may have changed the transaction.
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
    build: (amount: string) => void build(amount),
    sign: () => {
      if (stage.kind === 'review' && !stage.isExpired) void sign(stage.order);
    },
    /** Sends the signed stake again. */
    sendAgain: () => {
      if (stage.kind === 'unsent') void send(stage.signed, false);
    },
    /** Waits for the confirmation of a stake that may have been sent. */
    follow: () => {
      if (stage.kind === 'unsent') follow(stage.signed);
    },
    backToForm: () => void begin({ kind: 'form', failure: null }),
  };
}

/** Polls a sent stake until it is confirmed, has failed or has expired. @returns a function that stops polling */
function watch(signed: SignedStake, setStage: (change: (now: StakeStage) => StakeStage) => void): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const poll = async () => {
    const { lastValidBlockHeight } = signed.order;
    const progress = await readProgress(signed.signature, lastValidBlockHeight, ended.signal).catch(
      () => null,
    );
    if (ended.signal.aborted) return;
    setStage((now) => {
      if (now.kind !== 'following') return now;
      if (progress !== null && progress.state !== 'pending') {
        return { kind: 'ended', signed, state: progress.state, error: progress.error };
      }
      return { ...now, isUnreadable: progress === null, isSlow: Date.now() - now.since >= SLOW_AFTER };
    });
    timer = setTimeout(() => void poll(), POLL_INTERVAL);
  };
  void poll();
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}
