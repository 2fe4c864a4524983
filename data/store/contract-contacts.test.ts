import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmissionOutcome } from './application-port.ts';
import type { AppStore } from './ports.ts';
import { ReferenceNumbersTakenError } from './store-errors.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { SUBMITTED_AT, sampleApplication, sampleMessage, sampleTerms } from './testing/sample-submissions.ts';

/** The reference number of a message that was taken. */
function referenceOf(outcome: SubmissionOutcome): string {
  if (!('answer' in outcome)) throw new Error(`The message was not taken: ${outcome.kind}.`);
  return String(outcome.answer.referenceNumber);
}

describe.each(ADAPTERS)('what people write to support in $name', ({ open }) => {
  let world: StoreWorld;
  let store: AppStore;

  beforeEach(async () => {
    world = await open();
    store = await world.openApp();
  });
  afterEach(() => world.dispose());

  it.each([
    ['with all that it may say', sampleMessage({ message: 'One\n\tTwo 🦆' })],
    ['with nothing but what it needs', sampleMessage({ subject: null, category: null, walletAddress: null })],
  ])('is read back as it was sent, %s, also after the store was closed', async (_case, message) => {
    const outcome = await store.contacts.submitMessage(message, sampleTerms());
    const referenceNumber = referenceOf(outcome);
    expect(outcome).toEqual({ kind: 'accepted', answer: { success: true, referenceNumber } });
    expect(await store.contacts.messageByReference(referenceNumber)).toEqual({ ...message, referenceNumber });
    await store.close();
    const reopened = await world.openApp();
    expect(await reopened.contacts.messageByReference(referenceNumber)).toEqual({
      ...message,
      referenceNumber,
    });
  });

  it('is audited without a word of the person', async () => {
    const message = sampleMessage();
    const referenceNumber = referenceOf(await store.contacts.submitMessage(message, sampleTerms()));
    expect(await store.auditTrail(9)).toMatchObject([
      {
        at: SUBMITTED_AT,
        actor: 'visitor',
        action: 'contact-message.received',
        details: { referenceNumber, category: 'staking' },
      },
    ]);
    const written = JSON.stringify(await store.auditTrail(9));
    for (const personal of ['Ada', 'ada@', 'My stake', 'lock', String(message.walletAddress)]) {
      expect(written).not.toContain(personal);
    }
  });

  it('is one message by one key, though both race, and none by the key of another', async () => {
    const idempotency = { keyHash: 'key', bodyHash: 'body' };
    const send = (terms = sampleTerms({ idempotency })) =>
      store.contacts.submitMessage(sampleMessage(), terms);
    const outcomes = await Promise.all([send(), send(), send()]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'repeated', 'repeated']);
    expect(new Set(outcomes.map(referenceOf)).size).toBe(1);
    expect(await send(sampleTerms({ idempotency: { ...idempotency, bodyHash: 'other' } }))).toEqual({
      kind: 'key-reused',
    });
    expect(await store.auditTrail(9)).toHaveLength(1);
  });

  it('counts for its mailbox together with what that applied for', async () => {
    const terms = sampleTerms({ perRecipient: { atMost: 2, since: 0 } });
    await store.applications.submitApplication(sampleApplication(), terms);
    await store.contacts.submitMessage(sampleMessage({ email: 'ADA+x@example.com' }), terms);
    expect(await store.contacts.submitMessage(sampleMessage(), terms)).toEqual({ kind: 'too-many' });
    const other = await store.contacts.submitMessage(sampleMessage({ email: 'bo@example.com' }), terms);
    expect(other.kind).toBe('accepted');
  });

  it('leaves nothing of itself where no reference number is free', async () => {
    const terms = sampleTerms({ drawReference: () => 'BD-20260102-600000' });
    await store.contacts.submitMessage(sampleMessage(), terms);
    await expect(store.contacts.submitMessage(sampleMessage(), terms)).rejects.toThrow(
      ReferenceNumbersTakenError,
    );
    expect(await store.auditTrail(9)).toHaveLength(1);
  });

  it('has no timeline to look at, and is found by its own number alone', async () => {
    const reference = referenceOf(await store.contacts.submitMessage(sampleMessage(), sampleTerms()));
    expect(await store.applications.statusOf(reference, 'ada@example.com')).toBeNull();
    expect(await store.contacts.messageByReference('BD-20260102-999999')).toBeNull();
  });
});
