// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { SubmissionKind } from '../../model/submission-status.ts';
import type { AppStore } from '../ports.ts';
import type {
  LoanDocument,
  NewSubmissions,
  SubmissionOptions,
  SubmissionOutcome,
} from '../submission-port.ts';
import { sampleDocuments, sampleLoan } from '../testing/sample-loans.ts';
import {
  acceptedReference,
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleOptions,
  sampleRequest,
  submitMessage,
  submitRequest,
  submitApplication as submitSampleApplication,
} from '../testing/sample-submissions.ts';
import { reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';

const HOUR_MS = 3_600_000;
const KEY = { keyHash: 'key', bodyHash: 'body' };
const REFERENCE = 'BD-20260102-777777';

type Submit = (store: AppStore, options?: SubmissionOptions) => Promise<SubmissionOutcome>;

const SUBMIT_BY_KIND: Readonly<Record<SubmissionKind, Submit>> = {
  'card-application': ({ submissions }, options = sampleOptions()) =>
    submissions.submit('card-application', sampleApplication(), options),
  'verification-request': ({ submissions }, options = sampleOptions()) =>
    submissions.submit('verification-request', sampleRequest(), options),
  'contact-message': ({ submissions }, options = sampleOptions()) =>
    submissions.submit('contact-message', sampleMessage(), options),
  'loan-application': ({ submissions }, options = sampleOptions()) =>
    submissions.submit('loan-application', sampleLoan(), options, sampleDocuments()),
};

describe('submissions', () => {
  useAppStore();

  const submit = (kind: SubmissionKind, options?: SubmissionOptions) => SUBMIT_BY_KIND[kind](store, options);
  const submitApplication = (changes: Parameters<typeof sampleApplication>[0], options: SubmissionOptions) =>
    store.submissions.submit('card-application', sampleApplication(changes), options);

  describe('are stored with every field, even after a restart:', () => {
    async function expectStored<Kind extends SubmissionKind>(
      kind: Kind,
      submission: NewSubmissions[Kind],
      addedFields: object,
      documents: readonly LoanDocument[] = [],
    ): Promise<string> {
      const outcome = await store.submissions.submit(kind, submission, sampleOptions(), documents);
      const referenceNumber = acceptedReference(outcome);
      expect(outcome).toEqual({ kind: 'accepted', answer: { success: true, referenceNumber } });
      await reopenAppStore();
      expect(await store.submissions.find(kind, referenceNumber)).toEqual({
        ...submission,
        referenceNumber,
        ...addedFields,
      });
      return referenceNumber;
    }
    const receivedFields = { status: 'received', changedAt: SUBMITTED_AT };

    it('a card application', async () => {
      const complete = sampleApplication({ phone: '+44 20 7946 0000', applicantNotes: 'One\nTwo' });
      await expectStored('card-application', complete, receivedFields);
      const withoutOptional = {
        telegram: null,
        alias: null,
        walletAddress: null,
        statedAmount: null,
        statedTier: null,
      };
      const unchecked = { shape: 'v2', checked: null, isOwnershipProven: false } as const;
      await expectStored(
        'card-application',
        sampleApplication({ ...withoutOptional, ...unchecked }),
        receivedFields,
      );
    });

    it('a verification request', async () => {
      const request = sampleRequest({
        telegram: 'ada',
        evidence: 'https://solscan.io/tx/1',
        checkedDetection: 'x',
      });
      await expectStored('verification-request', request, { ...receivedFields, refusalReason: null });
    });

    it('a contact message', async () => {
      const open = { status: 'open', changedAt: SUBMITTED_AT, closedAt: null };
      await expectStored('contact-message', sampleMessage({ message: 'One\n\tTwo 🦆' }), open);
      const withoutOptional = sampleMessage({ subject: null, category: null, walletAddress: null });
      await expectStored('contact-message', withoutOptional, open);
    });

    it('a loan application, and every byte of its documents', async () => {
      const [passport, bill] = sampleDocuments();
      const referenceNumber = await expectStored(
        'loan-application',
        sampleLoan({ comments: 'One\nTwo' }),
        { ...receivedFields, refusalReason: null, decidedAt: null, mailboxConfirmedAt: null },
        [bill, passport],
      );
      for (const document of [passport, bill]) {
        expect(await store.submissions.readDocument(document.id)).toEqual({ ...document, referenceNumber });
      }
      expect(await store.submissions.countByMasterKey()).toEqual([
        { masterKeyId: passport.masterKeyId, documents: 2 },
      ]);
    });
  });

  it('are found by their kind and reference number', async () => {
    const reference = acceptedReference(await submit('card-application'));
    expect(await store.submissions.find('card-application', reference)).not.toBeNull();
    expect(await store.submissions.find('card-application', REFERENCE)).toBeNull();
    expect(await store.submissions.find('verification-request', reference)).toBeNull();
  });

  it.each([
    ['card-application', { shape: 'overlay', isOwnershipProven: true, checkedTier: 'Banker' }],
    ['verification-request', { isOwnershipProven: false }],
    ['contact-message', { category: 'staking' }],
    ['loan-application', { investmentAmount: 75_000, documents: 2 }],
  ] as const)('write an audit record without personal data: a %s', async (kind, details) => {
    const referenceNumber = acceptedReference(await submit(kind));
    const trail = await store.auditTrail(9);
    expect(trail).toMatchObject([{ at: SUBMITTED_AT, actor: 'visitor', action: `${kind}.received` }]);
    expect(trail[0]?.details).toEqual({ ...details, referenceNumber });
  });

  it.each(Object.keys(SUBMIT_BY_KIND) as SubmissionKind[])(
    'queue an email to the applicant, and an email and a chat message to the team: a %s',
    async (kind) => {
      const referenceNumber = acceptedReference(await submit(kind));
      const queued = await store.deliveries.deliveriesOf(referenceNumber);
      const event = `${kind}.received`;
      const waitingFields = {
        event,
        referenceNumber,
        state: 'waiting',
        attemptCount: 0,
        nextAttemptAt: SUBMITTED_AT,
      };
      expect(queued).toMatchObject([
        { ...waitingFields, channel: 'mail', audience: 'applicant', recipient: 'ada@example.com' },
        { ...waitingFields, channel: 'mail', audience: 'team', recipient: null },
        { ...waitingFields, channel: 'telegram', audience: 'team', recipient: null },
      ]);
      expect(new Set(queued.map(({ messageId }) => messageId)).size).toBe(3);
    },
  );

  it('are stored completely or not at all', async () => {
    const documents = sampleDocuments();
    const send = (answer: SubmissionOptions['answer']) =>
      store.submissions.submit(
        'loan-application',
        sampleLoan(),
        sampleOptions({ answer, idempotency: KEY, drawReference: () => REFERENCE }),
        documents,
      );
    // The answer, which is written last, cannot be written, because JSON has no bigint.
    await expect(send({ total: 1n })).rejects.toThrow(TypeError);
    expect(await store.submissions.find('loan-application', REFERENCE)).toBeNull();
    expect(await store.submissions.readDocument(documents[0].id)).toBeNull();
    expect(await store.deliveries.deliveriesOf(REFERENCE)).toEqual([]);
    expect(await store.auditTrail(9)).toEqual([]);
    expect((await send({})).kind).toBe('accepted');
    expect((await store.submissions.timelineOf(REFERENCE, 'ada@example.com'))?.events).toHaveLength(1);
  });

  it('that cannot be stored do not affect submissions sent at the same time', async () => {
    const id = crypto.randomUUID();
    const send = (changes: Parameters<typeof sampleApplication>[0]) =>
      submitApplication(changes, sampleOptions());
    const outcomes = await Promise.allSettled([send({ id }), send({}), send({ id }), send({})]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await store.auditTrail(9)).toHaveLength(3);
    expect((await store.deliveries.queueDepths()).map(({ deliveries }) => deliveries)).toEqual([6, 3]);
  });

  it('are refused if every drawn reference number is taken', async () => {
    const options = sampleOptions({ drawReference: () => REFERENCE });
    await submit('card-application', options);
    await expect(submit('contact-message', options)).rejects.toThrow(/reference numbers/);
    expect(await store.auditTrail(9)).toHaveLength(1);
  });

  describe('with an idempotency key', () => {
    const options = (changes: Partial<SubmissionOptions> = {}) =>
      sampleOptions({ idempotency: KEY, ...changes });

    it('are refused when the body differs', async () => {
      await submit('card-application', options());
      const differing = options({ idempotency: { ...KEY, bodyHash: 'other' } });
      expect(await submit('card-application', differing)).toEqual({ kind: 'key-reused' });
      expect(await store.auditTrail(9)).toHaveLength(1);
    });

    it('are new submissions once the answer has expired', async () => {
      await submit('card-application', options());
      const later = options({ forgetAnswersBefore: SUBMITTED_AT + 1 });
      expect((await submit('card-application', later)).kind).toBe('accepted');
    });
  });

  it('are all stored, but confirmed by email up to a limit per kind, period and mailbox, across its addresses', async () => {
    const options = sampleOptions({ confirmations: { limit: 2, since: SUBMITTED_AT - HOUR_MS } });
    await submitApplication({ createdAt: SUBMITTED_AT - HOUR_MS - 1 }, options);
    const isConfirmed = async (email: string) => {
      const reference = acceptedReference(await submitApplication({ email }, options));
      const queued = await store.deliveries.deliveriesOf(reference);
      expect(queued.filter(({ audience }) => audience === 'team')).toHaveLength(2);
      return queued.some(({ audience }) => audience === 'applicant');
    };
    expect(await isConfirmed('ada@example.com')).toBe(true);
    for (const email of ['ada@example.com', 'ada+1@example.com']) {
      await store.submissions.submit('contact-message', sampleMessage({ email }), options);
    }
    expect(await isConfirmed('ADA+1@example.com')).toBe(true);
    expect(await isConfirmed('ada+2@example.com')).toBe(false);
    expect(await isConfirmed('bo@example.com')).toBe(true);
  });

  it('are found by the wallet that they name, newest first, without personal data', async () => {
    const fields = (offsetMs: number, walletAddress: string | null) => ({
      createdAt: SUBMITTED_AT + offsetMs,
      walletAddress,
    });
    const [own, other] = ['wallet-1', 'wallet-2'];
    const message = await submitMessage(store, fields(3, own));
    const application = await submitSampleApplication(store, fields(1, own));
    const request = await submitRequest(store, { createdAt: SUBMITTED_AT + 2, walletAddress: own });
    await submitSampleApplication(store, fields(4, other));
    await submitMessage(store, fields(5, null));
    const summary = (kind: string, referenceNumber: string, offsetMs: number) => {
      const at = SUBMITTED_AT + offsetMs;
      return { kind, referenceNumber, status: 'received', changedAt: at, createdAt: at };
    };
    const newest = [summary('contact-message', message, 3), summary('verification-request', request, 2)];
    expect(await store.submissions.ofWallet(own, 9)).toEqual([
      ...newest,
      summary('card-application', application, 1),
    ]);
    expect(await store.submissions.ofWallet(own, 2)).toEqual(newest);
    expect(await store.submissions.ofWallet('wallet-3', 9)).toEqual([]);
  });

  describe('show their timeline', () => {
    it.each(['card-application', 'verification-request', 'loan-application'] as const)(
      'only to the owner of the reference number and email address: a %s',
      async (kind) => {
        const referenceNumber = acceptedReference(await submit(kind));
        const { submissions } = store;
        expect(await submissions.timelineOf(referenceNumber, 'Ada@Example.com')).toEqual({
          mergedInto: null,
          referenceNumber,
          kind,
          events: [{ at: SUBMITTED_AT, status: 'received', note: null }],
        });
        expect(await submissions.timelineOf(referenceNumber, 'bo@example.com')).toBeNull();
        expect(await submissions.timelineOf(referenceNumber, '')).toBeNull();
        expect(await submissions.timelineOf(REFERENCE, 'ada@example.com')).toBeNull();
      },
    );

    it('unless they are contact messages', async () => {
      const reference = acceptedReference(await submit('contact-message'));
      expect(await store.submissions.timelineOf(reference, 'ada@example.com')).toBeNull();
    });
  });
});
