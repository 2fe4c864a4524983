import { Counter, Gauge, type Registry } from 'prom-client';
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  DELIVERY_CHANNELS,
  type DeliveryChannel,
  type DeliveryDepth,
} from '../../data/store/delivery-port.ts';

export interface DeliverySources {
  readonly depths: () => Promise<readonly DeliveryDepth[]>;
  /** Channels that rest. */
  readonly pauses: () => ReadonlyMap<DeliveryChannel, string>;
}

/** Registers the metrics of delivery. @returns counts a try. */
export function deliveryMetrics(
  registry: Registry,
  { depths, pauses }: DeliverySources,
): { readonly attempted: (channel: DeliveryChannel, outcome: AttemptOutcome) => void } {
  new Gauge({
    name: 'portal_deliveries',
    help: 'Deliveries that wait, are under way, or were given up, by channel. Absent where the store cannot be read.',
    labelNames: ['channel', 'state'],
    registers: [registry],
    async collect() {
      const rows = await depths().catch(() => null);
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
    name: 'portal_delivery_channel_paused',
    help: '1 where a channel rests: it cannot be reached, asks for patience, or refuses the portal.',
    labelNames: ['channel'],
    registers: [registry],
    collect() {
      for (const channel of DELIVERY_CHANNELS) this.set({ channel }, Number(pauses().has(channel)));
    },
  });
  const attempts = new Counter({
    name: 'portal_delivery_attempts_total',
    help: 'Tries to deliver since the start, by channel and outcome.',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  for (const channel of DELIVERY_CHANNELS) {
    for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ channel, outcome }, 0);
  }
  return { attempted: (channel, outcome) => attempts.inc({ channel, outcome }) };
}
