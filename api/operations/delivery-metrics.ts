import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../../data/model/delivery-states.ts';
import {
  DELIVERY_CHANNELS,
  type DeliveryChannel,
  type DeliveryDepth,
} from '../../data/store/delivery-port.ts';

export function deliveryMetrics(
  registry: Registry,
  sources: {
    /** Unix ms; null if no delivery is waiting. */
    readonly nextDueAt: (channel: DeliveryChannel) => Promise<number | null>;
    /** Unix ms. */
    readonly now: () => number;
    readonly depths: () => Promise<readonly DeliveryDepth[]>;
    readonly pauses: () => ReadonlyMap<DeliveryChannel, string>;
  },
): { readonly countAttempt: (channel: DeliveryChannel, outcome: AttemptOutcome) => void } {
  new Gauge({
    name: 'portal_deliveries',
    help: 'Deliveries by channel and state (waiting, leased, dead). No value while the store cannot be read.',
    labelNames: ['channel', 'state'],
    registers: [registry],
    async collect() {
      const rows = await sources.depths().catch(() => null);
      this.reset();
      if (rows === null) return;
      for (const channel of DELIVERY_CHANNELS) {
        for (const state of ['waiting', 'leased', 'dead'] as const) {
          const row = rows.find((one) => one.channel === channel && one.state === state);
          this.set({ channel, state }, row?.deliveries ?? 0);
        }
      }
    },
  });
  new Gauge({
    name: 'portal_delivery_overdue_seconds',
    help: 'Seconds since the longest-waiting delivery became due, by channel; 0 if none is due. No value while the store cannot be read.',
    labelNames: ['channel'],
    registers: [registry],
    async collect() {
      const readDueAt = (channel: DeliveryChannel) => sources.nextDueAt(channel).catch(() => undefined);
      const dueTimes = await Promise.all(
        DELIVERY_CHANNELS.map(async (channel) => [channel, await readDueAt(channel)] as const),
      );
      this.reset();
      const now = sources.now();
      for (const [channel, at] of dueTimes) {
        if (at !== undefined) this.set({ channel }, Math.max(0, now - (at ?? now)) / 1_000);
      }
    },
  });
  new Gauge({
    name: 'portal_delivery_channel_paused',
    help: '1 while a channel is paused: it is unreachable, limits the rate, or rejects the credentials.',
    labelNames: ['channel'],
    registers: [registry],
    collect() {
      for (const channel of DELIVERY_CHANNELS) this.set({ channel }, Number(sources.pauses().has(channel)));
    },
  });
  const attemptCounter = new Counter({
    name: 'portal_delivery_attempts_total',
    help: 'Delivery attempts since the process started, by channel and outcome.',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  for (const channel of DELIVERY_CHANNELS) {
    for (const outcome of ATTEMPT_OUTCOMES) attemptCounter.inc({ channel, outcome }, 0);
  }
  return { countAttempt: (channel, outcome) => attemptCounter.inc({ channel, outcome }) };
}
