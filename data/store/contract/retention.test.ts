import { describe, expect, it } from 'vitest';
import { UNDO_MS } from '../../model/undo.ts';
import { adminAudit } from '../testing/sample-admins.ts';
import { addReviewers, documentsOf, submitLoan } from '../testing/sample-loans.ts';
import { sampleAnswer, sampleFile } from '../testing/sample-messages.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleOptions,
  submitMessage,
} from '../testing/sample-submissions.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const DECIDED_AT = SUBMITTED_AT + 86_400_000;
const NOW = DECIDED_AT + 1_000;

describe('retention', () => {
  useAppStore();

  async function submitAndDecideLoan(
    decision: 'approve' | 'refuse' | null,
    decidedAt = DECIDED_AT,
  ): Promise<string> {
    await addReviewers(store, 'one', 'two');
    const referenceNumber = await submitLoan(store);
    if (decision === null) return referenceNumber;
    let changedAt = SUBMITTED_AT;
    for (const adminId of ['one', 'two']) {
      const vote = { referenceNumber, changedAt, vote: decision, reason: 'Because.' };
      const outcome = await store.records.vote(vote, { adminId, address: '::1', at: decidedAt });
      if (!('changedAt' in outcome)) throw new Error(`The vote was not taken: ${outcome.kind}.`);
      changedAt = outcome.changedAt;
    }
    return referenceNumber;
  }

  it('deletes the documents of applications that were decided up to a given time, and no others', async () => {
    const approved = await submitAndDecideLoan('approve');
    const refused = await submitAndDecideLoan('refuse', DECIDED_AT - 1);
    const undecided = await submitAndDecideLoan(null);
    const later = await submitAndDecideLoan('approve', DECIDED_AT + 1);
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([refused, approved]);
    const counts = [];
    for (const reference of [approved, refused, undecided, later, approved, 'BD-20260102-999999']) {
      counts.push(await store.retention.deleteDocuments(reference, DECIDED_AT, NOW));
    }
    expect(counts).toEqual([2, 2, 0, 0, 0, 0]);
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([]);
    expect(await documentsOf(store, approved)).toEqual([]);
    expect(await documentsOf(store, later)).toHaveLength(2);
    expect((await store.submissions.find('loan-application', approved))?.name).toBe('Ada Lovelace');
  });

  it('deletes the files of messages with the documents, and also files that arrive later', async () => {
    const referenceNumber = await submitAndDecideLoan('approve');
    const [one, two] = [sampleFile(), sampleFile()];
    const receive = ({ file, attachment }: typeof one, mailId: string) =>
      store.conversations.receive(
        sampleAnswer(referenceNumber, { files: [file], attachments: [attachment], mailId }),
      );
    await receive(one, 'one');
    expect(await store.retention.deleteDocuments(referenceNumber, DECIDED_AT, NOW)).toBe(3);
    expect((await store.auditTrail(3)).map(({ action }) => action)).toContain('message-file.deleted');
    expect(await store.conversations.readFile(one.file.id)).toBeNull();
    const [message] = await store.conversations.messagesOf(referenceNumber);
    expect(message?.attachments).toEqual([{ ...one.attachment, fileId: null, refusal: 'deleted' }]);
    await receive(two, 'two');
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([referenceNumber]);
    expect(await store.retention.deleteDocuments(referenceNumber, DECIDED_AT, NOW)).toBe(1);
  });

  it('keeps the files of a reply until it is sent, unless the person is erased', async () => {
    const referenceNumber = await submitAndDecideLoan('approve');
    const email = 'ada@example.com';
    const deleteDocuments = () => store.retention.deleteDocuments(referenceNumber, DECIDED_AT, NOW);
    const { file } = sampleFile();
    const admin = { adminId: 'one', address: '::1', at: NOW };
    await store.conversations.attach({ ...file, referenceNumber }, admin);
    expect(await deleteDocuments()).toBe(2);
    const reply = { referenceNumber, kind: 'reply', subject: 'Note', text: 'Hi.', after: null } as const;
    expect((await store.conversations.reply({ ...reply, files: [file.id] }, admin)).kind).toBe('sent');
    const claim = { channel: 'mail', now: NOW + UNDO_MS, leasedUntil: NOW + 1e6, limit: 100 } as const;
    const claimed = await store.deliveries.claimDue(claim);
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([]);
    expect(await deleteDocuments()).toBe(0);
    expect(await store.conversations.readFile(file.id)).not.toBeNull();
    for (const delivery of claimed) {
      const sent = { at: NOW, outcome: 'sent', code: '250', error: null, maskedRecipient: '…' } as const;
      await store.deliveries.recordAttempt(
        delivery,
        { ...sent, providerId: null, latencyMs: 1 },
        { state: 'sent' },
      );
    }
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([referenceNumber]);
    expect(await deleteDocuments()).toBe(1);
    const other = sampleFile().file;
    await store.conversations.attach({ ...other, referenceNumber }, admin);
    await store.erasures.erase({ email, walletAddress: null }, NOW, () => adminAudit('person.erased'));
    expect(await store.conversations.readFile(other.id)).toBeNull();
  });

  it('audits each deleted document with its kind and hash', async () => {
    const referenceNumber = await submitAndDecideLoan('approve');
    await store.retention.deleteDocuments(referenceNumber, DECIDED_AT, NOW);
    const trail = (await store.auditTrail(2)).toSorted((a, b) =>
      String(a.details.document).localeCompare(String(b.details.document)),
    );
    expect(trail).toMatchObject(
      ['passport-copy', 'utility-bill'].map((document) => ({
        at: NOW,
        actor: 'system',
        address: null,
        action: 'loan-document.deleted',
        details: { referenceNumber, document, contentHash: '0'.repeat(64), why: 'retention' },
      })),
    );
  });

  it('closes an application whose mailbox was not confirmed in time, and deletes its documents', async () => {
    const send = (number: number, confirmBy: number | null) =>
      submitLoan(store, { confirmationDigest: `digest ${number}`, confirmBy });
    const later = await send(1, NOW + 1);
    const second = await send(2, NOW);
    const first = await send(3, NOW - 1);
    const confirmed = await send(4, NOW);
    await store.submissions.confirmMailbox('digest 4', NOW - 1);
    await send(5, null);
    expect(await store.retention.unconfirmedApplicationsDue(NOW)).toEqual([first, second]);
    const counts = [];
    for (const reference of [first, second, later, confirmed, first]) {
      counts.push(await store.retention.deleteUnconfirmed(reference, NOW));
    }
    expect(counts).toEqual([2, 2, 0, 0, 0]);
    expect(await documentsOf(store, first)).toEqual([]);
    expect(await documentsOf(store, confirmed)).toHaveLength(2);
    const record = await store.records.record(first);
    expect(record).toMatchObject({
      record: { status: 'documents-deleted', changedAt: NOW, confirmBy: null },
    });
    expect(record?.timeline.at(-1)).toEqual({ at: NOW, status: 'documents-deleted', note: null });
    expect((await store.records.counts(0)).loans).toMatchObject({ received: 3, 'documents-deleted': 2 });
    expect(await store.auditTrail(9)).toContainEqual(
      expect.objectContaining({
        action: 'loan-application.documents-deleted',
        details: { referenceNumber: first, documents: 2 },
      }),
    );
  });

  it('deletes the files that arrive after an application was closed because its mailbox was not confirmed', async () => {
    const referenceNumber = await submitLoan(store, { confirmationDigest: 'digest', confirmBy: NOW });
    await store.retention.deleteUnconfirmed(referenceNumber, NOW);
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([]);
    const { file, attachment } = sampleFile();
    await store.conversations.receive(
      sampleAnswer(referenceNumber, { files: [file], attachments: [attachment] }),
    );
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([referenceNumber]);
    expect(await store.retention.deleteDocuments(referenceNumber, DECIDED_AT, NOW)).toBe(1);
    expect(await store.conversations.readFile(file.id)).toBeNull();
    expect(await store.retention.applicationsWithDocumentsDue(DECIDED_AT)).toEqual([]);
  });

  it('deletes decisions that can no longer be undone', async () => {
    await submitAndDecideLoan('approve');
    const until = DECIDED_AT + UNDO_MS;
    expect(await store.retention.deleteExpired(until - 1, 0)).toBe(0);
    expect(await store.retention.deleteExpired(until, 0)).toBe(1);
    expect(await store.retention.deleteExpired(until, 0)).toBe(0);
  });

  it('deletes ended and expired sessions, sign-in messages and idempotent answers', async () => {
    const { sessions, retention, submissions } = store;
    const wallet = sampleApplication().walletAddress ?? '';
    const session = { walletAddress: wallet, provedAt: SUBMITTED_AT };
    await sessions.openSession({ ...session, token: 'expired', expiresAt: NOW });
    await sessions.openSession({ ...session, token: 'ended', expiresAt: NOW + 1 });
    await sessions.endSession('ended', NOW - 1);
    await sessions.openSession({ ...session, token: 'holds', expiresAt: NOW + 1 });
    const challenge = { walletAddress: wallet, message: 'Sign in', issuedAt: SUBMITTED_AT };
    await sessions.issueChallenge({ ...challenge, nonce: 'old', expiresAt: NOW });
    await sessions.issueChallenge({ ...challenge, nonce: 'new', expiresAt: NOW + 1 });
    const idempotency = { keyHash: 'a'.repeat(64), bodyHash: 'b'.repeat(64) };
    await submissions.submit('card-application', sampleApplication(), sampleOptions({ idempotency }));

    expect(await retention.deleteExpired(NOW, SUBMITTED_AT)).toBe(3);
    expect(await sessions.sessionByToken('holds', NOW)).not.toBeNull();
    expect(await retention.deleteExpired(NOW, SUBMITTED_AT + 1)).toBe(1);
    expect(await retention.deleteExpired(NOW, SUBMITTED_AT + 1)).toBe(0);
  });

  describe('of contact messages', () => {
    /** @param at when the team closes the message */
    async function submitClosedMessage(at: number): Promise<string> {
      const referenceNumber = await submitMessage(store);
      const closingInput = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        status: 'closed',
        reason: null,
      } as const;
      await store.records.decideContact(closingInput, { adminId: 'one', address: '::1', at });
      return referenceNumber;
    }

    it('deletes the saved filters with the number or address of the message, and keeps those with the name of the sender', async () => {
      await addReviewers(store, 'one');
      const due = await submitClosedMessage(DECIDED_AT);
      const { name, email } = sampleMessage();
      for (const q of [due, email, name]) {
        const filter = {
          id: q,
          adminId: 'one',
          list: 'contacts',
          name: 'Search',
          view: JSON.stringify({ q }),
        };
        const saved = { ...filter, isShared: false, createdAt: DECIDED_AT } as const;
        await store.filters.add(saved, 9, adminAudit('filter.saved'));
      }
      await store.retention.deleteMessage(due, DECIDED_AT, NOW);
      expect((await store.filters.visibleTo('one')).map(({ id }) => id)).toEqual([name]);
    });

    it('begins when the message is closed, and deletes it with its notes, but keeps its number', async () => {
      const due = await submitClosedMessage(DECIDED_AT);
      const later = await submitClosedMessage(DECIDED_AT + 1);
      const open = await submitMessage(store);
      const note = { referenceNumber: due, text: 'Called her.' };
      await store.records.addNote(note, { adminId: 'one', address: '::1', at: DECIDED_AT });
      expect(await store.retention.messagesDue(DECIDED_AT)).toEqual([due]);
      const counts = [];
      for (const reference of [due, later, open, due]) {
        counts.push(await store.retention.deleteMessage(reference, DECIDED_AT, NOW));
      }
      expect(counts).toEqual([1, 0, 0, 0]);
      expect(await store.records.record(due)).toBeNull();
      expect(await store.records.counts(0)).toMatchObject({ contacts: { open: 1, closed: 1 } });
      expect((await store.auditTrail(1))[0]).toMatchObject({
        action: 'contact-message.deleted',
        actor: 'system',
        details: { referenceNumber: due, why: 'retention' },
      });
    });

    it('no longer applies once the message is open again', async () => {
      const referenceNumber = await submitClosedMessage(DECIDED_AT);
      await store.conversations.receive(
        sampleAnswer(referenceNumber, { at: DECIDED_AT + 1, notifies: false }),
      );
      expect(await store.retention.messagesDue(NOW)).toEqual([]);
      expect(await store.retention.deleteMessage(referenceNumber, NOW, NOW)).toBe(0);
      expect(await store.records.record(referenceNumber)).not.toBeNull();
    });
  });
});
