import { describe, expect, it } from 'vitest';
import { SUBMITTED_AT, submitApplication } from '../testing/sample-submissions.ts';
import { openPrograms, store, useAppStore } from '../testing/test-stores.ts';

const DAY = 86_400_000;

describe('a lease', () => {
  useAppStore();

  it('lasts as long as its program asked for, whatever the clocks of the programs are', async () => {
    await submitApplication(store);
    const [other] = await openPrograms(1);
    const claim = (now: number, duration: number) =>
      store.deliveries.claimDue({ channel: 'mail', now, leasedUntil: now + duration, limit: 1 });
    const slow = SUBMITTED_AT;
    const fast = Date.now() + DAY;
    await claim(slow, DAY / 2);
    expect(await other?.deliveries.expiredLeases(fast)).toEqual([]);
    const [expired] = await claim(fast, 0);
    expect(await other?.deliveries.expiredLeases(slow)).toMatchObject([{ id: expired?.id }]);
  });
});
