import { useEffect, useRef, useState } from 'react';
import { callError, errorText } from '../../data/call-error.ts';
import { readProgress, sendOrder } from '../../data/stake-calls.ts';
import { fromBase64, toBase64 } from '../wallet/base64.ts';
import type { useWallet } from '../wallet/WalletProvider.tsx';
import type { Order, OrderStage, SignedOrder } from './order-stage.ts';

/** Milliseconds within which an order must be signed: the order's blockhash is valid for about a minute. */
const ORDER_VALID_MS = 45_000;
const POLL_INTERVAL_MS = 1_500;
/** After every `POLLS_TO_RESEND` polls, an unconfirmed order is sent again, because a node can drop it. */
const POLLS_TO_RESEND = 10;
const SLOW_AFTER_MS = 20_000;

type OrderingWallet = Pick<ReturnType<typeof useWallet>, 'walletAddress' | 'signTransaction'>;

const NOT_BUILT_TEXT = 'The transaction could not be prepared. Nothing was sent. Please try again.';
const SEND_FAILED_TEXT = 'The transaction may not have been sent.';
const NOT_AS_SHOWN_TEXT =
  'The transaction differs from what is shown, so it was not sent. Nothing was moved. Try again. If it keeps happening, contact support.';

/**
 * Loads the screen that follows a signed order. It is loaded before the wallet signs, so that a failed request cannot hide an
 * order that was sent.
 */
export const loadOrderSent = () => import('./OrderSent.tsx');

interface OrderSpec<O> {
  /** @param input what the visitor chose: an amount to stake, or a stake entry to withdraw */
  readonly build: (walletAddress: string, input: string) => Promise<O>;
  /** Loads the function that checks whether a transaction does exactly what the order shows. */
  readonly loadMatcher: () => Promise<(bytes: Uint8Array, order: O) => boolean>;
}

/**
 * Builds an order, has the wallet sign it, sends it and follows it until it ends. Sends only a transaction that matches what is
 * shown.
 */
export function useOrder<O extends Order>(
  { walletAddress, signTransaction }: OrderingWallet,
  spec: OrderSpec<O>,
) {
  const [stage, setStage] = useState<OrderStage<O>>({ kind: 'form', failure: null });
  /** The number of the current attempt. A late response to an earlier attempt is ignored. */
  const attemptNumber = useRef(0);
  const signingOrder = useRef<O | null>(null);
  const startAttempt = (next: OrderStage<O>): number => {
    attemptNumber.current += 1;
    setStage(next);
    return attemptNumber.current;
  };
  const showOutcome = (attempt: number, next: OrderStage<O>) => {
    if (attempt === attemptNumber.current) setStage(next);
  };

  // Once the order is no longer shown, nothing more is signed or sent for it.
  useEffect(
    () => () => {
      attemptNumber.current += 1;
    },
    [],
  );

  // If the wallet changes, an unsigned order is discarded, but a signed order continues.
  useEffect(() => {
    setStage((current) => {
      const isUnsigned =
        current.kind === 'building' || current.kind === 'review' || current.kind === 'signing';
      if (!isUnsigned || (current.kind !== 'building' && current.order.walletAddress === walletAddress))
        return current;
      attemptNumber.current += 1;
      return { kind: 'form', failure: null };
    });
  }, [walletAddress]);

  const reviewedOrder = stage.kind === 'review' && !stage.isExpired ? stage.order : null;
  useEffect(() => {
    if (reviewedOrder === null) return;
    const timer = setTimeout(
      () => setStage((current) => (current.kind === 'review' ? { ...current, isExpired: true } : current)),
      ORDER_VALID_MS,
    );
    return () => clearTimeout(timer);
  }, [reviewedOrder]);

  const followedOrder = stage.kind === 'following' ? stage.signedOrder : null;
  useEffect(
    () => (followedOrder === null ? undefined : pollProgress(followedOrder, setStage)),
    [followedOrder],
  );

  const follow = (signedOrder: SignedOrder<O>, isSent: boolean) =>
    startAttempt({
      kind: 'following',
      signedOrder,
      isSent,
      since: Date.now(),
      isSlow: false,
      isUnreadable: false,
    });

  const build = async (input: string) => {
    if (walletAddress === null) return;
    const attempt = startAttempt({ kind: 'building' });
    try {
      const order = await spec.build(walletAddress, input);
      showOutcome(attempt, { kind: 'review', order, isExpired: false });
    } catch (error) {
      showOutcome(attempt, { kind: 'form', failure: errorText(error, NOT_BUILT_TEXT) });
    }
  };

  const send = async (signedOrder: SignedOrder<O>, isFirst: boolean) => {
    const attempt = startAttempt({ kind: 'sending', signedOrder });
    let isSent = false;
    try {
      await sendOrder(signedOrder.transaction);
      isSent = true;
    } catch (error) {
      const isRefused = callError(error) === 'refused';
      if (isFirst || !isRefused) {
        const failure = errorText(error, SEND_FAILED_TEXT);
        showOutcome(
          attempt,
          isRefused ? { kind: 'form', failure } : { kind: 'send-failed', signedOrder, failure },
        );
        return;
      }
      // An earlier attempt may have sent the order, so only the chain can say what became of it.
    }
    if (attempt === attemptNumber.current) follow(signedOrder, isSent);
  };

  const sign = async (order: O) => {
    // The visitor may click twice before React renders, but the wallet must be asked only once.
    if (signingOrder.current === order) return;
    signingOrder.current = order;
    const attempt = startAttempt({ kind: 'signing', order });
    const checks = await Promise.all([
      import('./transaction-check.ts'),
      spec.loadMatcher(),
      loadOrderSent(),
    ]).catch(() => null);
    if (checks === null) {
      showOutcome(attempt, { kind: 'form', failure: NOT_BUILT_TEXT });
      return;
    }
    const [{ readTransaction }, matches] = checks;
    let bytes: Uint8Array;
    try {
      const unsignedBytes = fromBase64(order.transaction);
      if (!matches(unsignedBytes, order)) throw new Error(NOT_AS_SHOWN_TEXT);
      bytes = await signTransaction(unsignedBytes);
      // The wallet may have changed the transaction.
      if (!matches(bytes, order)) throw new Error(NOT_AS_SHOWN_TEXT);
    } catch (error) {
      showOutcome(attempt, {
        kind: 'form',
        failure: error instanceof Error ? error.message : NOT_AS_SHOWN_TEXT,
      });
      return;
    }
    if (attempt !== attemptNumber.current) return;
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
      if (stage.kind === 'send-failed') void send(stage.signedOrder, false);
    },
    /** Waits for the confirmation of an order that may have been sent. */
    follow: () => {
      if (stage.kind === 'send-failed') follow(stage.signedOrder, false);
    },
    backToForm: () => void startAttempt({ kind: 'form', failure: null }),
  };
}

/** @returns a function that stops polling */
function pollProgress<O extends Order>(
  signedOrder: SignedOrder<O>,
  setStage: (change: (current: OrderStage<O>) => OrderStage<O>) => void,
): () => void {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  let pollCount = 0;
  const poll = async () => {
    pollCount += 1;
    // Sending again is safe, because the chain executes an order only once. If the order has expired, the next status says so.
    if (pollCount % POLLS_TO_RESEND === 0) void sendOrder(signedOrder.transaction).catch(() => undefined);
    const { lastValidBlockHeight } = signedOrder.order;
    const progress = await readProgress(signedOrder.signature, lastValidBlockHeight).catch(() => null);
    if (isStopped) return;
    setStage((current) => {
      if (current.kind !== 'following') return current;
      if (progress !== null && progress.state !== 'pending') {
        return { kind: 'ended', signedOrder, state: progress.state, error: progress.error };
      }
      return {
        ...current,
        isUnreadable: progress === null,
        isSlow: Date.now() - current.since >= SLOW_AFTER_MS,
      };
    });
    timer = setTimeout(() => void poll(), POLL_INTERVAL_MS);
  };
  void poll();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
