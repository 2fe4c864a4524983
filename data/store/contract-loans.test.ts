import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmissionOutcome } from './application-port.ts';
import type { AppStore } from './ports.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { sampleDocuments, sampleLoan } from './testing/sample-loans.ts';
import { SUBMITTED_AT, sampleTerms } from './testing/sample-submissions.ts';

function referenceOf(outcome: SubmissionOutcome): string {
  if (!('answer' in outcome)) throw new Error(`The application was not taken: ${outcome.kind}.`);
  return String(outcome.answer.referenceNumber);
}

describe.each(ADAPTERS)('applications for the loan note in $name', ({ open }) => {
  let world: StoreWorld;
  let store: AppStore;

  beforeEach(async () => {
    world = await open();
    store = await world.openApp();
  });
  afterEach(() => world.dispose());

  it('are read back as they were sent, their documents byte by byte', async () => {
    const application = sampleLoan({ comments: 'One\nTwo' });
    const [passport, bill] = sampleDocuments();
    const referenceNumber = referenceOf(
      await store.loans.submit(application, [bill, passport], sampleTerms()),
    );
    expect(await store.loans.byReference(referenceNumber)).toEqual({
      ...application,
      referenceNumber,
      status: 'received',
      refusalReason: null,
      decidedAt: null,
      changedAt: SUBMITTED_AT,
    });
    const facts = await store.loans.documentsOf(referenceNumber);
    expect(facts).toEqual(
      [passport, bill].map(({ id, kind, fileName, mediaType, byteLength }) => ({
        id,
        kind,
        fileName,
        mediaType,
        byteLength,
      })),
    );
    for (const document of [passport, bill]) {
      expect(await store.loans.readDocument(document.id)).toEqual({ ...document, referenceNumber });
    }
    expect(await store.loans.masterKeys()).toEqual([{ masterKey: passport.masterKey, documents: 2 }]);
  });

  it('are kept whole or not at all', async () => {
    const [passport] = sampleDocuments();
    const twice = store.loans.submit(sampleLoan(), [passport, passport], sampleTerms());
    await expect(twice).rejects.toThrow();
    expect(await store.loans.list({ limit: 9, before: null })).toEqual([]);
    expect(await store.loans.readDocument(passport.id)).toBeNull();
    expect(await store.auditTrail(9)).toEqual([]);
    expect((await store.deliveries.depths()).every(({ deliveries }) => deliveries === 0)).toBe(true);
  });

  it('show their timeline to who knows the reference number and the mail address, and to nobody else', async () => {
    const { loans } = store;
    const referenceNumber = referenceOf(await loans.submit(sampleLoan(), sampleDocuments(), sampleTerms()));
    expect(await loans.statusOf(referenceNumber, 'ADA@example.com')).toEqual({
      referenceNumber,
      kind: 'loan-application',
      events: [{ at: SUBMITTED_AT, status: 'received', note: null }],
    });
    expect(await loans.statusOf(referenceNumber, 'bo@example.com')).toBeNull();
    expect(await loans.statusOf('BD-20260102-999999', 'ada@example.com')).toBeNull();
    expect(await store.applications.statusOf(referenceNumber, 'ada@example.com')).toBeNull();
  });
});
