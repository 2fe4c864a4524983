import { Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import type { DeliveryDepth } from '../../data/store/delivery-port.ts';
import { deliveryMetrics } from './delivery-metrics.ts';

describe('the delivery metrics', () => {
  it('show the queue, paused channels and attempts, but leave out the queue while it cannot be read', async () => {
    const registry = new Registry();
    const depths: readonly DeliveryDepth[] = [{ channel: 'mail', state: 'waiting', deliveries: 3 }];
    let isUnreadable = false;
    const readOrFail = async <Value>(value: Value) => {
      if (isUnreadable) throw new Error('the store is closed');
      return value;
    };
    const { countAttempt } = deliveryMetrics(registry, {
      nextDueAt: (channel) => readOrFail(channel === 'mail' ? 10_000 : 99_000),
      now: () => 12_500,
      depths: () => readOrFail(depths),
      pauses: () => new Map([['telegram', 'refused']]),
    });
    countAttempt('mail', 'sent');
    countAttempt('mail', 'sent');
    countAttempt('telegram', 'unknown');
    const text = await registry.metrics();
    for (const line of [
      'portal_deliveries{channel="mail",state="waiting"} 3',
      'portal_deliveries{channel="mail",state="dead"} 0',
      'portal_deliveries{channel="telegram",state="leased"} 0',
      'portal_delivery_overdue_seconds{channel="mail"} 2.5',
      'portal_delivery_overdue_seconds{channel="telegram"} 0',
      'portal_delivery_channel_paused{channel="mail"} 0',
      'portal_delivery_channel_paused{channel="telegram"} 1',
      'portal_delivery_attempts_total{channel="mail",outcome="sent"} 2',
      'portal_delivery_attempts_total{channel="telegram",outcome="unknown"} 1',
      'portal_delivery_attempts_total{channel="telegram",outcome="dead"} 0',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    isUnreadable = true;
    expect(await registry.metrics()).not.toMatch(/^portal_(deliveries|delivery_overdue_seconds)\{/m);
  });
});
