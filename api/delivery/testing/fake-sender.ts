import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { Sender, SendOutcome } from '../send-outcome.ts';

export const SENT: SendOutcome = { kind: 'sent', providerId: null };

/** For tests: a channel that does what it is told. */
export interface FakeSender extends Sender {
  /** What it was asked to send, in order. */
  readonly asked: readonly LeasedDelivery[];
  /** How the next tries go; after them each is sent. */
  next(...outcomes: readonly (SendOutcome | Promise<SendOutcome> | Error)[]): void;
  /** Waits until it was asked so often. */
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
        const look = () => {
          if (asked.length < times) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    maskedRecipient: () => 'a…@….com',
    async send(delivery, signal) {
      asked.push(delivery);
      for (const tell of waiting) tell();
      const outcome = outcomes.shift() ?? SENT;
      if (outcome instanceof Error) throw outcome;
      const brokenOff = new Promise<SendOutcome>((resolve) => {
        const giveUp = () => resolve({ kind: 'retry', code: 'ETIMEDOUT', error: 'broken off' });
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp);
      });
      return Promise.race([outcome, brokenOff]);
    },
  };
}
