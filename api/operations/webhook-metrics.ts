import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../../data/model/delivery-states.ts';
import { WEBHOOK_STATES } from '../../data/model/webhooks.ts';
import type { WebhookStore } from '../../data/store/webhook-port.ts';

export function webhookMetrics(
  registry: Registry,
  store: Pick<WebhookStore, 'depths' | 'endpoints'>,
): (outcome: AttemptOutcome) => void {
  new Gauge({
    name: 'portal_webhook_deliveries',
    help: 'Webhook events of active endpoints by state (waiting, leased, dead). No value while the store cannot be read.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const rows = await store.depths().catch(() => null);
      this.reset();
      if (rows === null) return;
      for (const state of ['waiting', 'leased', 'dead'] as const) {
        this.set({ state }, rows.find((row) => row.state === state)?.deliveries ?? 0);
      }
    },
  });
  new Gauge({
    name: 'portal_webhook_endpoints',
    help: 'Webhook endpoints by state (active, paused, disabled). No value while the store cannot be read.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const endpoints = await store.endpoints().catch(() => null);
      this.reset();
      if (endpoints === null) return;
      for (const state of WEBHOOK_STATES) {
        this.set({ state }, endpoints.filter((endpoint) => endpoint.state === state).length);
      }
    },
  });
  const attemptCounter = new Counter({
    name: 'portal_webhook_attempts_total',
    help: 'Attempts to send a webhook since the start, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ATTEMPT_OUTCOMES) attemptCounter.inc({ outcome }, 0);
  return (outcome) => attemptCounter.inc({ outcome });
}
