import { useEffect, useRef, useState } from 'react';
import { callError, errorText } from '../../data/call-error.ts';
import { readProgress, type StakeProgress, sendOrder } from '../../data/stake-calls.ts';
import { fromBase64, toBase64 } from '../wallet/base64.ts';
import type { useWallet } from '../wallet/WalletProvider.tsx';

/** A transaction that the server built. */
interface Order {
  readonly walletAddress: string;
  /** The unsigned transaction, in base64. */
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
}

/** An order that the wallet has signed. The chain executes it once, however often it is sent. */
interface SignedOrder<O> {
  readonly order: O;
  /** Base64. */
  readonly transaction: string;
  readonly signature: string;
}

export type OrderStage<O> =
  | { readonly kind: 'form'; readonly failure: string | null }
  | { readonly kind: 'building' }
  /** `isExpired`: the order is too old to be sent. */
  | { readonly kind: 'review'; readonly order: O; readonly isExpired: boolean }
  | { readonly kind: 'signing'; readonly order: O }
  | { readonly kind: 'sending'; readonly signed: SignedOrder<O> }
  /** Sending failed. The chain may or may not have received the order. */
  | { readonly kind: 'unsent'; readonly signed: SignedOrder<O>; readonly failure: string }
  | {
      readonly kind: 'following';
      readonly signed: SignedOrder<O>;
      /** Unix ms. */
      readonly since: number;
      readonly isSlow: boolean;
      /** Whether the last read of the order's status failed. */
      readonly isUnreadable: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly signed: SignedOrder<O>;
      readonly state: Exclude<StakeProgress['state'], 'pending'>;
      readonly error: string | null;
    };

/** Milliseconds within which an order must be signed: the order's blockhash is valid for about a minute. */
const ORDER_VALID_MS = 45_000;
/** Milliseconds between two status reads of a sent order. */
const POLL_INTERVAL_MS = 1_500;
/** After this many polls without a confirmation, an order is sent again, because a node of the chain can drop it. */
const POLLS_TO_RESEND = 10;
/** Milliseconds after which an order counts as slow. */
const SLOW_AFTER_MS = 20_000;

type OrderingWallet = Pick<ReturnType<typeof useWallet>, 'walletAddress' | 'signTransaction'>;

const UNBUILT = 'The transaction could not be prepared. Nothing was sent. Please try again.';
const UNSENT = 'The transaction may not have been sent.';
const NOT_AS_SHOWN =
  'The transaction differs from what is shown, so it was not sent. Nothing was moved. Try again. If it keeps happening, contact support.';

interface OrderKind<O> {
  /** @param input what the visitor chose: an amount to stake, or a stake entry to withdraw */
  readonly build: (walletAddress: string, input: string) => Promise<O>;
  /** Loads the function that checks whether a transaction does exactly what the order shows. */
  readonly loadMatcher: () => Promise<(bytes: Uint8Array, shown: O) => boolean>;
}

/** An order from the visitor's choice to its confirmation. Sends only a transaction that matches what is shown. */
export function useOrder<O extends Order>(
  { walletAddress, signTransaction }: OrderingWallet,
  kind: OrderKind<O>,
) {
  const [stage, setStage] = useState<OrderStage<O>>({ kind: 'form', failure: null });
  /** The number of the current attempt. A late response to an earlier attempt is ignored. */
  const attempts = useRef(0);
  /** The order that the wallet is signing. */
  const signingOrder = useRef<O | null>(null);
  const begin = (next: OrderStage<O>): number => {
    attempts.current += 1;
    setStage(next);
    return attempts.current;
  };
  const settle = (attempt: number, next: OrderStage<O>) => {
    if (attempt === attempts.current) setStage(next);
  };

  // Once the order is no longer shown, nothing more is signed or sent for it.
  useEffect(
    () => () => {
      attempts.current += 1;
    },
    [],
  );

  // If the wallet changes, an unsigned order is dropped, and a signed order continues.
  useEffect(() => {
    setStage((now) => {
      const isUnsigned = now.kind === 'building' || now.kind === 'review' || now.kind === 'signing';
      if (!isUnsigned || (now.kind !== 'building' && now.order.walletAddress === walletAddress)) return now;
      attempts.current += 1;
      return { kind: 'form', failure: null };
    });
  }, [walletAddress]);

  const reviewedOrder = stage.kind === 'review' && !stage.isExpired ? stage.order : null;
  useEffect(() => {
    if (reviewedOrder === null) return;
    const timer = setTimeout(
      () => setStage((now) => (now.kind === 'review' ? { ...now, isExpired: true } : now)),
      ORDER_VALID_MS,
    );
    return () => clearTimeout(timer);
  }, [reviewedOrder]);

  const followedOrder = stage.kind === 'following' ? stage.signed : null;
  useEffect(() => (followedOrder === null ? undefined : watch(followedOrder, setStage)), [followedOrder]);

  const follow = (signed: SignedOrder<O>) =>
    begin({ kind: 'following', signed, since: Date.now(), isSlow: false, isUnreadable: false });

  const build = async (input: string) => {
    if (walletAddress === null) return;
    const attempt = begin({ kind: 'building' });
    try {
      const order = await kind.build(walletAddress, input);
      settle(attempt, { kind: 'review', order, isExpired: false });
    } catch (error) {
      settle(attempt, { kind: 'form', failure: errorText(error, UNBUILT) });
    }
  };

  const send = async (signed: SignedOrder<O>, isFirst: boolean) => {
    const attempt = begin({ kind: 'sending', signed });
    try {
      await sendOrder(signed.transaction);
      if (attempt === attempts.current) follow(signed);
    } catch (error) {
      const failure = errorText(error, UNSENT);
      // If the server refuses the first attempt, nothing was sent. If it refuses a later one, an earlier attempt may have
      // sent it.
      const isRejected = isFirst && callError(error) === 'refused';
      settle(attempt, isRejected ? { kind: 'form', failure } : { kind: 'unsent', signed, failure });
    }
  };

  const sign = async (order: O) => {
    // The visitor may click twice before React renders, but the wallet must be asked only once.
    if (signingOrder.current === order) return;
    signingOrder.current = order;
    const attempt = begin({ kind: 'signing', order });
    const [{ readTransaction }, matches] = await Promise.all([
      import('./transaction-check.ts'),
      kind.loadMatcher(),
    ]);
    let bytes: Uint8Array;
    try {
      const built = fromBase64(order.transaction);
      if (!matches(built, order)) throw new Error(NOT_AS_SHOWN);
      bytes = await signTransaction(built);
      // The wallet may have changed the transaction.
      if (!matches(bytes, order)) throw new Error(NOT_AS_SHOWN);
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
    build: (input: string) => void build(input),
    sign: () => {
      if (stage.kind === 'review' && !stage.isExpired) void sign(stage.order);
    },
    sendAgain: () => {
      if (stage.kind === 'unsent') void send(stage.signed, false);
    },
    /** Waits for the confirmation of an order that may have been sent. */
    follow: () => {
      if (stage.kind === 'unsent') follow(stage.signed);
    },
    backToForm: () => void begin({ kind: 'form', failure: null }),
  };
}

/** Polls a sent order until it is confirmed, has failed or has expired. @returns a function that stops polling */
function watch<O extends Order>(
  signed: SignedOrder<O>,
  setStage: (change: (now: OrderStage<O>) => OrderStage<O>) => void,
): () => void {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  let polls = 0;
  const poll = async () => {
    polls += 1;
    // Sending again is safe, because the chain executes an order only once. If the order has expired, the next status says so.
    if (polls % POLLS_TO_RESEND === 0) void sendOrder(signed.transaction).catch(() => undefined);
    const { lastValidBlockHeight } = signed.order;
    const progress = await readProgress(signed.signature, lastValidBlockHeight, controller.signal).catch(
      () => null,
    );
    if (controller.signal.aborted) return;
    setStage((now) => {
      if (now.kind !== 'following') return now;
      if (progress !== null && progress.state !== 'pending') {
        return { kind: 'ended', signed, state: progress.state, error: progress.error };
      }
      return { ...now, isUnreadable: progress === null, isSlow: Date.now() - now.since >= SLOW_AFTER_MS };
    });
    timer = setTimeout(() => void poll(), POLL_INTERVAL_MS);
  };
  void poll();
  return () => {
    controller.abort();
    clearTimeout(timer);
  };
}
