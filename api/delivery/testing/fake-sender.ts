import { vi } from 'vitest';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { Sender, SendOutcome } from '../send-outcome.ts';

export const SENT_OUTCOME: SendOutcome = { kind: 'sent', providerId: null };

export interface FakeSender extends Sender {
  readonly deliveries: readonly LeasedDelivery[];
  /** Sets the outcomes of the next attempts. Later attempts succeed. */
  setNextOutcomes(...outcomes: readonly (SendOutcome | Promise<SendOutcome> | Error)[]): void;
  /** Waits until this many attempts have been made in total. */
  waitForAttempts(times: number): Promise<void>;
}

export function fakeSender(): FakeSender {
  const deliveries: LeasedDelivery[] = [];
  const outcomes: (SendOutcome | Promise<SendOutcome> | Error)[] = [];
  return {
    deliveries,
    setNextOutcomes: (...more) => void outcomes.push(...more),
    waitForAttempts: async (times) =>
      void (await vi.waitUntil(() => deliveries.length >= times, { timeout: 60_000, interval: 1 })),
    maskedRecipient: () => 'a…@….com',
    async send(delivery, signal) {
      deliveries.push(delivery);
      const outcome = outcomes.shift() ?? SENT_OUTCOME;
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
