import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppStore } from './ports.ts';
import type { Acting } from './record-port.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { SUBMITTED_AT, sampleApplication, sampleRequest, sampleTerms } from './testing/sample-submissions.ts';

const ADMIN: Acting = { adminId: 'admin-1', address: '192.0.2.1', at: SUBMITTED_AT + 60_000 };

describe.each(ADAPTERS)('decisions on records in the $name store', ({ open }) => {
  let world: StoreWorld;
  let store: AppStore;
  beforeEach(async () => {
    world = await open();
    store = await world.openApp();
  });
  afterEach(() => world.dispose());

  async function apply(changes: Parameters<typeof sampleApplication>[0] = {}): Promise<string> {
    const outcome = await store.applications.submitApplication(sampleApplication(changes), sampleTerms());
    if (outcome.kind !== 'accepted') throw new Error(`The application was answered ${outcome.kind}.`);
    return String(outcome.answer.referenceNumber);
  }
  async function request(changes: Parameters<typeof sampleRequest>[0] = {}): Promise<string> {
    const outcome = await store.applications.submitVerificationRequest(sampleRequest(changes), sampleTerms());
    if (outcome.kind !== 'accepted') throw new Error(`The request was answered ${outcome.kind}.`);
    return String(outcome.answer.referenceNumber);
  }

  describe('of card applications are decided', () => {
    const seen = async (referenceNumber: string) => {
      const whole = await store.records.record(referenceNumber);
      if (whole?.kind !== 'card-application') throw new Error('There is no such application.');
      return whole;
    };

    it('with the event that the applicant sees, the audit record, the letter and who did it', async () => {
      const referenceNumber = await apply();
      const decided = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        decision: 'refused',
        reason: 'Too young.',
      } as const;
      const outcome = await store.records.decideApplication(decided, ADMIN);
      expect(outcome).toEqual({ kind: 'decided', status: 'refused', changedAt: ADMIN.at });
      const whole = await seen(referenceNumber);
      expect(whole.record.status).toBe('refused');
      expect(whole.timeline.at(-1)).toEqual({ at: ADMIN.at, status: 'refused', note: 'Too young.' });
      expect(whole.decisions).toEqual([
        { at: ADMIN.at, by: 'admin-1', decision: 'refused', reason: 'Too young.' },
      ]);
      expect(whole.deliveries.filter(({ event }) => event === 'card-application.refused')).toMatchObject([
        { channel: 'mail', audience: 'applicant', state: 'waiting' },
      ]);
      const status = await store.applications.statusOf(referenceNumber, 'ada@example.com');
      expect(status?.events.at(-1)).toMatchObject({ status: 'refused', note: 'Too young.' });
      const [audited] = await store.auditTrail(1);
      expect(audited).toMatchObject({ action: 'card-application.refused', actor: 'admin-1' });
      expect(JSON.stringify(audited)).not.toContain('Too young');
    });

    it('by one of two who decide on the same state, and the other is told', async () => {
      const referenceNumber = await apply();
      const decided = { referenceNumber, changedAt: SUBMITTED_AT, reason: null };
      const outcomes = await Promise.all([
        store.records.decideApplication({ ...decided, decision: 'approved' }, ADMIN),
        store.records.decideApplication(
          { ...decided, decision: 'in-review' },
          { ...ADMIN, adminId: 'admin-2' },
        ),
      ]);
      expect(outcomes[0]).toMatchObject({ kind: 'decided', status: 'approved' });
      expect(outcomes[1]).toMatchObject({
        kind: 'changed',
        status: 'approved',
        last: { by: 'admin-1', decision: 'approved', at: ADMIN.at },
      });
      expect((await seen(referenceNumber)).decisions).toHaveLength(1);
    });

    it('only along the way that they go, and never back', async () => {
      const referenceNumber = await apply();
      let changedAt = SUBMITTED_AT;
      for (const decision of ['in-review', 'approved', 'card-issued'] as const) {
        const outcome = await store.records.decideApplication(
          { referenceNumber, changedAt, decision, reason: null },
          // A clock that stands still or goes back makes no state pass for another.
          { ...ADMIN, at: SUBMITTED_AT },
        );
        if (outcome.kind !== 'decided') throw new Error(`It was answered ${outcome.kind}.`);
        expect(outcome.changedAt).toBeGreaterThan(changedAt);
        changedAt = outcome.changedAt;
      }
      const back = { referenceNumber, changedAt, decision: 'approved', reason: null } as const;
      expect(await store.records.decideApplication(back, ADMIN)).toMatchObject({ kind: 'closed' });
      expect(await store.records.decideApplication({ ...back, referenceNumber: 'BD-1' }, ADMIN)).toEqual({
        kind: 'unknown',
      });
      expect((await store.records.counts(0)).applications).toEqual({
        received: 0,
        'in-review': 0,
        approved: 0,
        refused: 0,
        'card-issued': 1,
      });
    });
  });

  describe('of verification are decided', () => {
    it('by an approval that whitelists the wallet for a tier, and writes to the sender', async () => {
      const referenceNumber = await request();
      const { walletAddress } = sampleRequest();
      const approval = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        decision: 'approved',
        tier: 'Banker',
        reason: null,
      } as const;
      expect(await store.records.decideRequest(approval, ADMIN)).toMatchObject({
        kind: 'decided',
        walletAddress,
      });
      expect(await store.sessions.whitelistedTier(walletAddress)).toBe('Banker');
      const whole = await store.records.record(referenceNumber);
      expect(whole).toMatchObject({ kind: 'verification-request', whitelistedTier: 'Banker' });
      expect(whole?.deliveries.map(({ event }) => event)).toContain('verification-request.approved');
      expect(await store.records.decideRequest(approval, ADMIN)).toMatchObject({ kind: 'changed' });
    });

    it('by a refusal that whitelists nothing', async () => {
      const referenceNumber = await request();
      const refusal = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        decision: 'refused',
        reason: 'No stake.',
      } as const;
      await store.records.decideRequest(refusal, ADMIN);
      expect(await store.sessions.whitelistedTier(sampleRequest().walletAddress)).toBeNull();
      expect(await store.applications.requestByReference(referenceNumber)).toMatchObject({
        status: 'refused',
        refusalReason: 'No stake.',
      });
    });
  });

  it('keep the team’s notes, which name who wrote them and never reach the sender', async () => {
    const referenceNumber = await apply();
    const note = await store.records.addNote({ referenceNumber, text: 'Called back.' }, ADMIN);
    expect(note).toMatchObject({ by: 'admin-1', text: 'Called back.', at: ADMIN.at });
    expect((await store.records.record(referenceNumber))?.notes).toEqual([note]);
    expect(await store.records.addNote({ referenceNumber: 'BD-1', text: 'x' }, ADMIN)).toBeNull();
    expect(
      JSON.stringify(await store.applications.statusOf(referenceNumber, 'ada@example.com')),
    ).not.toContain('Called');
  });

  it('are exported whole, oldest first, as they were at the start', async () => {
    for (let place = 0; place < 7; place += 1) {
      await apply({ name: `Person ${place}`, createdAt: SUBMITTED_AT + Math.floor(place / 2) });
    }
    await apply({ name: 'Later', createdAt: SUBMITTED_AT + 100 });
    const told: string[] = [];
    let after: string | null = null;
    do {
      const page: { rows: readonly { name: string }[]; next: string | null } = await store.records.exportPage(
        'applications',
        { after, until: SUBMITTED_AT + 50, limit: 2 },
      );
      told.push(...page.rows.map(({ name }) => name));
      after = page.next;
    } while (after !== null);
    expect(told.toSorted()).toEqual(Array.from({ length: 7 }, (_, place) => `Person ${place}`));
  });

  it('are counted by status, and those of late by themselves', async () => {
    await apply({ createdAt: SUBMITTED_AT - 10 });
    await apply();
    await request();
    expect(await store.records.counts(SUBMITTED_AT)).toMatchObject({
      applications: { received: 2, approved: 0 },
      requests: { received: 1 },
      contacts: 0,
      recentApplications: 1,
      waitingDeliveries: 9,
    });
    expect(await store.records.backlogs({ dueBefore: SUBMITTED_AT + 1, deadSince: 0 })).toEqual([
      { channel: 'mail', overdue: 6, recentlyDead: 0 },
      { channel: 'telegram', overdue: 3, recentlyDead: 0 },
    ]);
  });
});
