import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HeldLease, LeaseStore } from '../lease-port.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { PROPERTY_RUNS } from '../testing/test-stores.ts';
import { quoteIdentifier } from './connection.ts';
import type { Database } from './database.ts';
import { openLeases } from './lease-store.ts';
import { openStorePart } from './open-store-part.ts';

const LONG_MS = 3_600_000;

describe('a lease', () => {
  let schema: string;
  let programs: readonly Database[];
  let leases: readonly [LeaseStore, LeaseStore, LeaseStore];

  beforeEach(async () => {
    schema = newSchema();
    const open = () => openStorePart(testSettings(schema, { poolSize: 1 }), 'index');
    const opened = [await open(), await open(), await open()] as const;
    programs = opened;
    leases = [openLeases(opened[0]), openLeases(opened[1]), openLeases(opened[2])];
  });
  afterEach(async () => {
    for (const db of programs) await db.close();
    await withDatabase(schema, (db) =>
      db.run({ text: `drop schema ${quoteIdentifier(schema)} cascade`, name: undefined }),
    );
  });

  const expire = () =>
    withDatabase(schema, (db) =>
      db.run(db.statement(`update $.leases set "expiresAt" = now() - interval '1 ms'`)),
    );

  it('goes to one of several programs that try to take it at the same time, and to no other while it lasts', async () => {
    const takeAll = (holderPrefix: string) =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          leases[index % 3]?.take('index', `${holderPrefix} ${index}`, LONG_MS),
        ),
      );
    const first = (await takeAll('first')).filter((lease) => lease !== null);
    expect(first).toHaveLength(1);
    expect(new Set(await takeAll('later'))).toEqual(new Set([null]));
    expect(await leases[0].take('another', 'first', LONG_MS)).not.toBeNull();
  });

  it('goes to one program with a higher fence once it has expired, and the previous holder cannot renew or end it', async () => {
    const [old, next] = leases;
    const before = await old.take('index', 'old', 0);
    if (before === null) throw new Error('The lease was not free.');
    const taken = await Promise.all(['a', 'b', 'c'].map((holder) => next.take('index', holder, LONG_MS)));
    const [held, ...others] = taken.filter((lease) => lease !== null);
    expect(others).toEqual([]);
    expect(held?.fence).toBeGreaterThan(before.fence);
    expect(await old.renew('index', before, LONG_MS)).toBe(false);
    await old.release('index', before);
    expect(await old.take('index', 'old', LONG_MS)).toBeNull();
  });

  it('is extended by renewal, even after it expired, if nobody has taken it', async () => {
    const [holder, other] = leases;
    const lease = await holder.take('index', 'holder', LONG_MS);
    if (lease === null) throw new Error('The lease was not free.');
    await expire();
    expect(await holder.renew('index', lease, LONG_MS)).toBe(true);
    expect(await other.take('index', 'other', LONG_MS)).toBeNull();
  });

  it('can be taken by another program once its holder ends it', async () => {
    const [holder, other] = leases;
    const lease = await holder.take('index', 'holder', LONG_MS);
    if (lease === null) throw new Error('The lease was not free.');
    await holder.release('index', lease);
    expect((await other.take('index', 'other', LONG_MS))?.fence).toBeGreaterThan(lease.fence);
  });

  it('does not depend on the clocks of the programs', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime('1990-01-01');
    const [behind, ahead] = leases;
    expect(await behind.take('index', 'behind', LONG_MS)).not.toBeNull();
    vi.setSystemTime('2090-01-01');
    expect(await ahead.take('index', 'ahead', LONG_MS)).toBeNull();
  });

  it('has at most one holder after any sequence of calls, and a higher fence each time it is taken', async () => {
    const program = fc.constantFrom(0, 1, 2);
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ what: fc.constant('take' as const), program }) },
      {
        weight: 1,
        arbitrary: fc.record({ what: fc.constantFrom('renew' as const, 'release' as const), program }),
      },
      { weight: 1, arbitrary: fc.record({ what: fc.constant('expire' as const) }) },
    );
    let leaseNumber = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        leaseNumber += 1;
        const lastLeases: (HeldLease | null)[] = [null, null, null];
        let fence = 0;
        let holder: number | null = null;
        let isExpired = true;
        for (const next of steps) {
          if (next.what === 'expire') {
            await expire();
            isExpired = true;
            continue;
          }
          const store = leases[next.program];
          const lastLease = lastLeases[next.program] ?? null;
          if (next.what === 'take') {
            const lease =
              (await store?.take(String(leaseNumber), `program ${next.program}`, LONG_MS)) ?? null;
            const isFree = isExpired || holder === next.program;
            expect(lease !== null).toBe(isFree);
            if (lease === null) continue;
            expect(lease.fence).toBeGreaterThan(fence);
            [fence, holder, isExpired] = [lease.fence, next.program, false];
            lastLeases[next.program] = lease;
          } else if (lastLease !== null && next.what === 'renew') {
            const isHeld = lastLease.fence === fence;
            expect(await store?.renew(String(leaseNumber), lastLease, LONG_MS)).toBe(isHeld);
            if (isHeld) isExpired = false;
          } else if (lastLease !== null) {
            await store?.release(String(leaseNumber), lastLease);
            if (lastLease.fence === fence) isExpired = true;
          }
        }
      }),
      PROPERTY_RUNS,
    );
  });
});
