import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { Sender, SendOutcome } from '../send-outcome.ts';

export const SENT: SendOutcome = { kind: 'sent', providerId: null };

/** For tests: a channel with scripted outcomes. */
export interface FakeSender extends Sender {
  /** The deliveries that it got, in order. */
  readonly asked: readonly LeasedDelivery[];
  /** The outcomes of the next attempts. Later attempts succeed. */
  next(...outcomes: readonly (SendOutcome | Promise<SendOutcome> | Error)[]): void;
  /** Waits for this many attempts. */
  isAsked(times: number): Promise<void>;
}

export function fakeSender(): FakeSender {
  const asked: LeasedDelivery[] = [];
  const outcomes: (SendOutcome | Promise<SendOutcome> | Error)[] = [];
  const waiting = new Set<() => void>();
  return {
    asked,
    next: (...more) => void outcomes.push(...more),
    isAsked: (times) =>
      new Promise((resolve) => {
        const check = () => {
          if (asked.length < times) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    maskedRecipient: () => 'a…@….com',
    async send(delivery, signal) {
      asked.push(delivery);
      for (const check of waiting) check();
      const outcome = outcomes.shift() ?? SENT;
      if (outcome instanceof Error) throw outcome;
      const aborted = new Promise<SendOutcome>((resolve) => {
        const giveUp = () => resolve({ kind: 'retry', code: 'ETIMEDOUT', error: 'aborted' });
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp);
      });
      return Promise.race([outcome, aborted]);
    },
  };
}
