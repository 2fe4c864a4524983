import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmissionOutcome } from './application-port.ts';
import type { AppStore } from './ports.ts';
import { ReferenceNumbersTakenError } from './store-errors.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { SUBMITTED_AT, sampleApplication, sampleRequest, sampleTerms } from './testing/sample-submissions.ts';

const HOUR = 3_600_000;

/** The reference number of a submission that was taken. */
function referenceOf(outcome: SubmissionOutcome): string {
  if (!('answer' in outcome)) throw new Error(`The submission was not taken: ${outcome.kind}.`);
  return String(outcome.answer.referenceNumber);
}

describe.each(ADAPTERS)('what people apply for in $name', ({ open }) => {
  let world: StoreWorld;
  let store: AppStore;

  beforeEach(async () => {
    world = await open();
    store = await world.openApp();
  });
  afterEach(() => world.dispose());

  it.each([
    ['with all that can be known', sampleApplication({ phone: '+44 20 7946 0000', notes: 'One\nTwo' })],
    [
      'with nothing but what it needs',
      sampleApplication({
        shape: 'v2',
        telegram: null,
        alias: null,
        walletAddress: null,
        statedAmount: null,
        statedTier: null,
        checked: null,
        isOwnershipProven: false,
      }),
    ],
  ])('is an application, read back as it was sent, %s', async (_case, application) => {
    const outcome = await store.applications.submitApplication(application, sampleTerms());
    const referenceNumber = referenceOf(outcome);
    expect(outcome).toEqual({ kind: 'accepted', answer: { success: true, referenceNumber } });
    expect(await store.applications.applicationByReference(referenceNumber)).toEqual({
      ...application,
      referenceNumber,
      status: 'received',
      changedAt: application.createdAt,
    });
    expect(await store.applications.requestByReference(referenceNumber)).toBeNull();
  });

  it('is a request for verification, read back as it was sent', async () => {
    const request = sampleRequest({
      telegram: 'ada',
      evidence: 'https://solscan.io/tx/1',
      checkedDetection: 'x',
    });
    const referenceNumber = referenceOf(
      await store.applications.submitVerificationRequest(request, sampleTerms()),
    );
    expect(await store.applications.requestByReference(referenceNumber)).toEqual({
      ...request,
      referenceNumber,
      status: 'received',
      refusalReason: null,
      changedAt: request.createdAt,
    });
    expect(await store.applications.applicationByReference(referenceNumber)).toBeNull();
  });

  it('is audited without a word of the person', async () => {
    const application = sampleApplication();
    const reference = referenceOf(await store.applications.submitApplication(application, sampleTerms()));
    const [record] = await store.auditTrail(9);
    expect(record).toMatchObject({
      at: SUBMITTED_AT,
      actor: 'visitor',
      action: 'card-application.received',
      details: {
        referenceNumber: reference,
        shape: 'overlay',
        isOwnershipProven: true,
        checkedTier: 'Banker',
      },
    });
    const written = JSON.stringify(record);
    for (const personal of [application.name, application.email, String(application.walletAddress)]) {
      expect(written).not.toContain(personal);
    }
  });

  describe('has a reference number', () => {
    it('of its own: one that is taken is drawn again, whatever it was given to', async () => {
      const draws = ['BD-20260102-500000', 'BD-20260102-500000', 'BD-20260102-500000', 'BD-20260102-500001'];
      const terms = sampleTerms({ drawReference: () => draws.shift() ?? '' });
      const first = await store.applications.submitApplication(sampleApplication(), terms);
      const second = await store.applications.submitVerificationRequest(sampleRequest(), terms);
      expect([referenceOf(first), referenceOf(second)]).toEqual(['BD-20260102-500000', 'BD-20260102-500001']);
    });

    it('or is not taken at all, and leaves nothing of itself', async () => {
      const terms = sampleTerms({
        drawReference: () => 'BD-20260102-600000',
        idempotency: { keyHash: 'key', bodyHash: 'body' },
      });
      await store.applications.submitApplication(sampleApplication(), { ...terms, idempotency: null });
      const second = store.applications.submitApplication(sampleApplication({ name: 'Second' }), terms);
      await expect(second).rejects.toThrow(ReferenceNumbersTakenError);
      expect(await store.auditTrail(9)).toHaveLength(1);
      const free = { ...terms, drawReference: () => 'BD-20260102-600001' };
      const again = await store.applications.submitApplication(sampleApplication(), free);
      expect(again.kind).toBe('accepted');
    });
  });

  describe('sent again', () => {
    const idempotency = { keyHash: 'key', bodyHash: 'body' };

    it('by the same key with the same body is the same submission, though both race', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.applications.submitApplication(sampleApplication(), sampleTerms({ idempotency })),
        ),
      );
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual([
        'accepted',
        ...Array.from({ length: 19 }, () => 'repeated'),
      ]);
      expect(new Set(outcomes.map(referenceOf)).size).toBe(1);
      expect(await store.auditTrail(99)).toHaveLength(1);
    });

    it('by the same key with another body is refused', async () => {
      await store.applications.submitApplication(sampleApplication(), sampleTerms({ idempotency }));
      const other = sampleTerms({ idempotency: { ...idempotency, bodyHash: 'other' } });
      expect(await store.applications.submitApplication(sampleApplication(), other)).toEqual({
        kind: 'key-reused',
      });
      expect(await store.auditTrail(9)).toHaveLength(1);
    });

    it('is another submission once the answer is too old to be kept', async () => {
      await store.applications.submitApplication(sampleApplication(), sampleTerms({ idempotency }));
      const later = sampleTerms({ idempotency, forgetAnswersBefore: SUBMITTED_AT + 1 });
      const outcome = await store.applications.submitApplication(sampleApplication(), later);
      expect(outcome.kind).toBe('accepted');
    });

    it('is told its answer though the mail address has sent as many as it may', async () => {
      const terms = sampleTerms({ idempotency, perRecipient: { atMost: 1, since: 0 } });
      const first = await store.applications.submitApplication(sampleApplication(), terms);
      const again = await store.applications.submitApplication(sampleApplication(), terms);
      expect(again).toEqual({ ...first, kind: 'repeated' });
    });
  });

  it('is so much a mail address and time, of both kinds and however its address is capitalised or tagged', async () => {
    const { applications } = store;
    const terms = sampleTerms({ perRecipient: { atMost: 2, since: SUBMITTED_AT - HOUR } });
    await applications.submitApplication(sampleApplication({ createdAt: SUBMITTED_AT - HOUR - 1 }), terms);
    await applications.submitApplication(sampleApplication(), terms);
    await applications.submitVerificationRequest(sampleRequest({ email: 'ADA+1@example.com' }), terms);
    for (const email of ['ada@example.com', 'ada+2@example.com']) {
      const refused = await applications.submitApplication(sampleApplication({ email }), terms);
      expect(refused).toEqual({ kind: 'too-many' });
    }
    expect(await applications.submitVerificationRequest(sampleRequest(), terms)).toEqual({
      kind: 'too-many',
    });
    const someone = await applications.submitApplication(
      sampleApplication({ email: 'bo@example.com' }),
      terms,
    );
    expect(someone.kind).toBe('accepted');
  });

  describe('shows its timeline', () => {
    it('to who knows the reference number and the mail address', async () => {
      const { applications } = store;
      const application = referenceOf(
        await applications.submitApplication(sampleApplication(), sampleTerms()),
      );
      const request = referenceOf(
        await applications.submitVerificationRequest(sampleRequest(), sampleTerms()),
      );
      const events = [{ at: SUBMITTED_AT, status: 'received', note: null }];
      expect(await applications.statusOf(application, 'Ada@Example.com')).toEqual({
        referenceNumber: application,
        kind: 'card-application',
        events,
      });
      expect(await applications.statusOf(request, 'ada@example.com')).toEqual({
        referenceNumber: request,
        kind: 'verification-request',
        events,
      });
    });

    it('to nobody else', async () => {
      const { applications } = store;
      const reference = referenceOf(await applications.submitApplication(sampleApplication(), sampleTerms()));
      expect(await applications.statusOf(reference, 'bo@example.com')).toBeNull();
      expect(await applications.statusOf(reference, '')).toBeNull();
      expect(await applications.statusOf('BD-20260102-999999', 'ada@example.com')).toBeNull();
    });
  });

  it('is there again after the store was closed', async () => {
    const reference = referenceOf(
      await store.applications.submitApplication(sampleApplication(), sampleTerms()),
    );
    await store.close();
    const reopened = await world.openApp();
    expect(await reopened.applications.applicationByReference(reference)).toMatchObject({
      name: 'Ada Lovelace',
    });
  });
});
