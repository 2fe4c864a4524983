import { describe, expect, it } from 'vitest';
import { FILE_LIMITS } from '../../model/conversation.ts';
import type { NewReply } from '../conversation-port.ts';
import { submitLoan } from '../testing/sample-loans.ts';
import { sampleAnswer as answer, sampleFile } from '../testing/sample-messages.ts';
import { FIRST_PAGE, SUBMITTED_AT, submitMessage } from '../testing/sample-submissions.ts';
import { openPrograms, store, useAppStore } from '../testing/test-stores.ts';

const AT = SUBMITTED_AT + 1_000;
const ADMIN = { adminId: 'admin-one', address: '::1', at: AT };

const sampleReply = (referenceNumber: string, changes: Partial<NewReply> = {}): NewReply => ({
  referenceNumber,
  kind: 'reply',
  subject: 'Your question',
  text: 'Dear Ada,\n\nyes.',
  after: null,
  files: [],
  ...changes,
});

describe('a conversation', () => {
  useAppStore();

  const messageEvents = async (referenceNumber: string) =>
    (await store.deliveries.deliveriesOf(referenceNumber))
      .filter(({ event }) => event.includes(':'))
      .map(({ event, channel, audience, recipient }) => [event, channel, audience, recipient]);

  it('keeps messages in order, each with its email, its notices and its audit record', async () => {
    const referenceNumber = await submitMessage(store);
    const sent = await store.conversations.reply(sampleReply(referenceNumber, { kind: 'question' }), ADMIN);
    if (sent.kind !== 'sent') throw new Error('The reply was not stored.');
    expect(await store.conversations.receive(answer(referenceNumber))).toBe('received');
    const [first, second] = await store.conversations.messagesOf(referenceNumber);
    expect(first).toEqual(sent.message);
    expect(first).toMatchObject({ kind: 'question', by: 'admin-one', sender: null, at: AT, attachments: [] });
    const { notifies: _, files: __, quotas: ___, ...stored } = answer(referenceNumber);
    expect(second).toEqual({ ...stored, id: expect.any(String), by: null });
    expect(await store.conversations.find(second?.id ?? '')).toEqual(second);
    expect((await messageEvents(referenceNumber)).toSorted()).toEqual(
      [
        [`contact-message.replied:${first?.id}`, 'mail', 'applicant', 'ada@example.com'],
        [`contact-message.answered:${second?.id}`, 'mail', 'team', null],
        [`contact-message.answered:${second?.id}`, 'telegram', 'team', null],
      ].toSorted(),
    );
    const trail = (await store.auditTrail(4)).filter(({ action }) => action.startsWith('record.'));
    expect(trail.map(({ actor, action }) => [actor, action])).toEqual([
      ['visitor', 'record.answered'],
      ['admin-one', 'record.information-requested'],
    ]);
    expect(JSON.stringify(trail)).not.toContain('example.com');
  });

  it('is found by search, like the applicant’s message, name and country, even without accents', async () => {
    const message = await submitMessage(store, { name: 'Łukasz Øre', message: 'I saw a peregrine\nfalcon.' });
    const loan = await submitLoan(store, { country: 'PL' });
    const findReferences = async (search: string, list: 'contacts' | 'loan-applications' = 'contacts') =>
      (await store.records.list(list, { ...FIRST_PAGE, search })).rows.map((row) => row.referenceNumber);
    expect(await findReferences('peregrine falcon')).toEqual([message]);
    expect(await findReferences('lukasz ore')).toEqual([message]);
    expect(await findReferences('Łukasz')).toEqual([message]);
    expect(await findReferences('poland', 'loan-applications')).toEqual([loan]);
    expect(await findReferences('kestrel')).toEqual([]);
    await store.conversations.receive(answer(message, { text: 'It was\na Kestrel.' }));
    await store.conversations.receive(answer(loan, { text: 'A bustard.', mailId: '<two@example.com>' }));
    expect(await findReferences('kestrel lukasz falcon')).toEqual([message]);
    expect(await findReferences('bustard', 'loan-applications')).toEqual([loan]);
  });

  it('stores no reply from an admin who has not seen the newest message', async () => {
    const referenceNumber = await submitMessage(store);
    const programs = await openPrograms(3);
    const outcomes = await Promise.all(
      programs.map(({ conversations }) => conversations.reply(sampleReply(referenceNumber), ADMIN)),
    );
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['changed', 'changed', 'sent']);
    const [first] = await store.conversations.messagesOf(referenceNumber);
    const next = sampleReply(referenceNumber, { after: first?.id ?? null });
    expect((await store.conversations.reply(next, ADMIN)).kind).toBe('sent');
  });

  it('stores an email only once, even if several programs read it', async () => {
    const referenceNumber = await submitMessage(store);
    const programs = await openPrograms(3);
    const outcomes = await Promise.all(
      programs.map(({ conversations }) => conversations.receive(answer(referenceNumber))),
    );
    expect(outcomes.toSorted()).toEqual(['known', 'known', 'received']);
    expect(await store.conversations.messagesOf(referenceNumber)).toHaveLength(1);
    expect(await messageEvents(referenceNumber)).toHaveLength(2);
  });

  it('updates the status of a contact message with each reply and answer, and records a decision only for replies', async () => {
    const referenceNumber = await submitMessage(store);
    const readState = async () => {
      const found = await store.records.record(referenceNumber);
      return found?.kind === 'contact-message' ? [found.record.status, found.decisions.length] : null;
    };
    const questionOutcome = await store.conversations.reply(
      sampleReply(referenceNumber, { kind: 'question' }),
      ADMIN,
    );
    expect(await readState()).toEqual(['waiting', 1]);
    await store.conversations.receive(answer(referenceNumber, { kind: 'automatic-answer', mailId: 'a' }));
    expect(await readState()).toEqual(['waiting', 1]);
    await store.conversations.receive(answer(referenceNumber));
    expect(await readState()).toEqual(['open', 1]);
    const [opened, , , , asked] = await store.auditTrail(5);
    expect(opened).toMatchObject({ actor: 'visitor', action: 'contact-message.open' });
    expect(asked).toMatchObject({ actor: 'admin-one', action: 'record.information-requested' });
    const stale = sampleReply(referenceNumber, {
      after: questionOutcome.kind === 'sent' ? questionOutcome.message.id : null,
    });
    expect((await store.conversations.reply(stale, ADMIN)).kind).toBe('changed');
    expect(await readState()).toEqual(['open', 1]);
    const after = (await store.conversations.messagesOf(referenceNumber)).at(-1)?.id ?? null;
    await store.conversations.reply(sampleReply(referenceNumber, { after }), ADMIN);
    expect(await readState()).toEqual(['answered', 2]);
  });

  it('stores the files of an email once, byte for byte, and counts them as documents', async () => {
    const referenceNumber = await submitMessage(store);
    const { file, attachment } = sampleFile();
    const refusedAttachment = { ...attachment, fileId: null, refusal: 'type' } as const;
    const quota = { scope: 'portal', subject: 'all', limit: 5, endsAt: AT + 99 } as const;
    const sent = answer(referenceNumber, {
      files: [file],
      attachments: [attachment, refusedAttachment],
      quotas: [quota],
    });
    expect(await store.conversations.receive(sent)).toBe('received');
    expect(await store.conversations.isKnown(sent.mailId)).toBe(true);
    expect(await store.conversations.isKnown('none')).toBe(false);
    expect(await store.conversations.receive(sent)).toBe('known');
    expect(await store.conversations.readFile(file.id)).toEqual({ ...file, referenceNumber });
    expect(await store.conversations.readFile('none')).toBeNull();
    expect((await store.conversations.messagesOf(referenceNumber))[0]?.attachments).toEqual([
      attachment,
      refusedAttachment,
    ]);
    expect(await store.submissions.countByMasterKey()).toEqual([
      { masterKeyId: file.masterKeyId, documents: 1 },
    ]);
    expect(await store.submissions.exceededQuota([quota], 2, null)).toBeNull();
    expect(await store.submissions.exceededQuota([quota], 3, null)).toMatchObject({ scope: 'portal' });
    expect((await store.auditTrail(2)).map(({ details }) => details.files)).toContain(1);
  });

  it('marks files over a quota or over the limits of the record, and keeps the others', async () => {
    const referenceNumber = await submitMessage(store);
    const refusals = async () =>
      (await store.conversations.messagesOf(referenceNumber))
        .at(-1)
        ?.attachments.map(({ refusal }) => refusal);
    const [one, two, small] = [sampleFile(), sampleFile(), sampleFile({ content: Buffer.from([9]) })];
    const quota = { scope: 'email address', subject: 'ada', limit: 4, endsAt: AT + 99 } as const;
    const files = [one, two, small];
    await store.conversations.receive(
      answer(referenceNumber, {
        files: files.map(({ file }) => file),
        attachments: files.map(({ attachment }) => attachment),
        quotas: [quota],
      }),
    );
    expect(await refusals()).toEqual([null, 'sender-full', null]);
    expect(await store.conversations.readFile(two.file.id)).toBeNull();
    // Files that the team attached but did not send do not count toward the record's limit.
    for (const { file } of [sampleFile(), sampleFile()])
      await store.conversations.attach({ ...file, referenceNumber }, ADMIN);
    const many = Array.from({ length: FILE_LIMITS.perRecord - 1 }, () => sampleFile());
    await store.conversations.receive(
      answer(referenceNumber, {
        mailId: 'two@example.com',
        files: many.map(({ file }) => file),
        attachments: many.map(({ attachment }) => attachment),
      }),
    );
    expect((await refusals())?.slice(-2)).toEqual([null, 'record-full']);
  });

  describe('with files from the team', () => {
    const attach = async (
      referenceNumber: string,
      { adminId = ADMIN.adminId, ...changes }: Parameters<typeof sampleFile>[0] & { adminId?: string } = {},
    ) => {
      const { file, attachment } = sampleFile(changes);
      const outcome = await store.conversations.attach({ ...file, referenceNumber }, { adminId, at: AT });
      return { outcome, file, attachment };
    };

    it('sends all files once, in order, or nothing if any is missing or another admin’s, or if they exceed a limit', async () => {
      const [referenceNumber, other] = [await submitMessage(store), await submitMessage(store)];
      const [one, two] = [await attach(referenceNumber), await attach(referenceNumber)];
      expect([one.outcome, two.outcome]).toEqual(['attached', 'attached']);
      const refused = [
        await attach(other),
        await attach(referenceNumber, { adminId: 'admin-two' }),
        await attach(referenceNumber, { byteLength: FILE_LIMITS.bytesPerReply }),
      ];
      const send = (...files: readonly string[]) =>
        store.conversations.reply(sampleReply(referenceNumber, { files }), ADMIN);
      for (const { file } of refused) {
        expect((await send(one.file.id, file.id)).kind).toMatch(/^(file-missing|too-large)$/);
      }
      const many = await Promise.all(Array.from({ length: 6 }, () => attach(referenceNumber)));
      expect((await send(...many.map(({ file }) => file.id))).kind).toBe('too-large');
      expect(await store.conversations.messagesOf(referenceNumber)).toEqual([]);
      expect(await messageEvents(referenceNumber)).toEqual([]);
      const sent = await send(two.file.id, one.file.id, two.file.id);
      if (sent.kind !== 'sent') throw new Error('The reply was not stored.');
      expect(sent.message.attachments).toEqual([two.attachment, one.attachment]);
      expect(await store.conversations.messagesOf(referenceNumber)).toEqual([sent.message]);
      const again = sampleReply(referenceNumber, { after: sent.message.id, files: [one.file.id] });
      expect((await store.conversations.reply(again, ADMIN)).kind).toBe('file-missing');
      expect((await store.auditTrail(2)).map(({ details }) => details.files)).toContain(2);
    });

    it('removes an unsent file for the admin who attached it, and all unsent files after a day', async () => {
      const referenceNumber = await submitMessage(store);
      const [removed, late, sent] = [
        await attach(referenceNumber),
        await attach(referenceNumber),
        await attach(referenceNumber),
      ];
      const detach = (adminId: string, { file }: typeof removed) =>
        store.conversations.detach(file.id, adminId);
      expect(await detach('admin-two', removed)).toBe(false);
      expect(await detach(ADMIN.adminId, removed)).toBe(true);
      await store.conversations.reply(sampleReply(referenceNumber, { files: [sent.file.id] }), ADMIN);
      expect(await detach(ADMIN.adminId, sent)).toBe(false);
      const areKept = async () =>
        Promise.all(
          [removed, late, sent].map(
            async ({ file }) => (await store.conversations.readFile(file.id)) !== null,
          ),
        );
      const expire = (at: number) => store.retention.deleteExpired(at, 0);
      await expire(AT + FILE_LIMITS.unsentMs - 1);
      expect(await areKept()).toEqual([false, true, true]);
      await expire(AT + FILE_LIMITS.unsentMs);
      expect(await areKept()).toEqual([false, false, true]);
    });

    it('stores no more of an admin’s files than the limit, and none for an unknown record', async () => {
      const referenceNumber = await submitMessage(store);
      expect((await attach('BD-20260102-999999')).outcome).toBe('unknown');
      for (let number = 0; number < FILE_LIMITS.unsentPerAdmin; number += 1) await attach(referenceNumber);
      expect((await attach(referenceNumber)).outcome).toBe('full');
      expect((await attach(referenceNumber, { adminId: 'admin-two' })).outcome).toBe('attached');
    });
  });

  it('notifies nobody of an automatic answer', async () => {
    const referenceNumber = await submitMessage(store);
    await store.conversations.receive(answer(referenceNumber, { kind: 'automatic-answer', notifies: false }));
    expect(await messageEvents(referenceNumber)).toEqual([]);
  });

  it('is found by a delivery of its record, and by no unknown delivery', async () => {
    const referenceNumber = await submitMessage(store);
    const [mail] = await store.deliveries.deliveriesOf(referenceNumber);
    expect(await store.conversations.referenceOfDelivery(mail?.id ?? '')).toBe(referenceNumber);
    expect(await store.conversations.referenceOfDelivery('none')).toBeNull();
  });

  it('is erased with the person, and accepts no message afterwards', async () => {
    const referenceNumber = await submitMessage(store);
    const { file, attachment } = sampleFile();
    const files = { files: [file], attachments: [attachment] };
    await store.conversations.receive(answer(referenceNumber, { text: 'quillwords', ...files }));
    const erased = await store.erasures.erase(
      { email: 'ada@example.com', walletAddress: null },
      AT + 9,
      () => ({ id: 'erasure', at: AT + 9, actor: 'admin-one', action: 'person.erased', details: {} }),
    );
    expect(erased.records).toHaveLength(1);
    expect(erased.counts).toMatchObject({ conversation: 1, messageFiles: 1 });
    expect(await store.conversations.readFile(file.id)).toBeNull();
    expect(await store.conversations.messagesOf(referenceNumber)).toEqual([]);
    expect((await store.conversations.reply(sampleReply(referenceNumber), ADMIN)).kind).toBe('unknown');
    expect(await store.conversations.receive(answer(referenceNumber, { mailId: '<two@x>' }))).toBe('unknown');
  });
});
