// @module-tag slow
import { describe, expect, it } from 'vitest';
import { adminAudit, sampleAdmin } from '../testing/sample-admins.ts';
import { addReviewers } from '../testing/sample-loans.ts';
import { addSampleNote } from '../testing/sample-messages.ts';
import { SUBMITTED_AT, submitApplication } from '../testing/sample-submissions.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const AT = SUBMITTED_AT + 60_000;
const ACTOR = { adminId: 'ada', address: '::1', at: AT };
const WAITING = 'waiting';

describe('mentions in notes', () => {
  useAppStore();

  /** Ada and Grace have email addresses, Alan has none. */
  async function addTeamAndRecord(): Promise<string> {
    await store.admins.add(sampleAdmin('ada'), adminAudit('admin.added'));
    await store.admins.add(sampleAdmin('grace', { role: 'viewer' }), adminAudit('admin.added'));
    await addReviewers(store, 'alan');
    return submitApplication(store);
  }
  const addNote = (referenceNumber: string, text: string, mentions: readonly string[], at = AT) =>
    addSampleNote(store, { referenceNumber, text, mentions }, { ...ACTOR, at });
  const changeNote = (noteId: string, seen: string, text: string | null, mentions: readonly string[] = []) =>
    store.records.changeNote({ noteId, seen, text, mentions }, ACTOR);
  const mentionMails = async (referenceNumber: string) =>
    (await store.deliveries.deliveriesOf(referenceNumber)).filter(({ event }) =>
      event.startsWith('mention.'),
    );
  const recipients = async (referenceNumber: string) =>
    (await mentionMails(referenceNumber)).map(({ recipient }) => recipient).toSorted();
  const notesOf = async (adminId: string) =>
    (await store.records.mentions(adminId, 9)).map(({ noteId }) => noteId);

  it('are unread for everyone mentioned except the author, and are emailed if there is an address', async () => {
    const referenceNumber = await addTeamAndRecord();
    const id = await addNote(referenceNumber, '@Grace, @alan, @ada', ['grace', 'alan', 'ada']);
    expect(await store.records.mentions('grace', 9)).toEqual([
      {
        ...{ noteId: id, referenceNumber, kind: 'card-application', by: 'ada' },
        ...{ text: '@Grace, @alan, @ada', at: AT, readAt: null },
      },
    ]);
    for (const [admin, unread] of Object.entries({ grace: 1, alan: 1, ada: 0 })) {
      expect(await store.records.countUnreadMentions(admin)).toBe(unread);
      expect(await notesOf(admin)).toHaveLength(unread);
    }
    expect(await mentionMails(referenceNumber)).toMatchObject([
      { channel: 'mail', audience: 'team', recipient: 'grace@example.com', state: WAITING },
    ]);
    const mentionId = (await mentionMails(referenceNumber))[0]?.event.split(':')[1] ?? '';
    expect(await store.records.mention(mentionId)).toEqual({ by: 'ada', referenceNumber });
    const [stored] = (await store.records.record(referenceNumber))?.notes ?? [];
    expect(new Set(stored?.mentions.map(({ adminId, username }) => `${adminId} ${username}`))).toEqual(
      new Set(['ada ada', 'alan alan', 'grace grace']),
    );
    const [record] = await store.auditTrail(1);
    expect(record).toMatchObject({
      action: 'note.added',
      details: { referenceNumber, note: id, mentioned: 2 },
    });
  });

  it('of an unknown or deactivated admin, or without the name in the text, are refused together with the note', async () => {
    const referenceNumber = await addTeamAndRecord();
    const id = await addNote(referenceNumber, 'First.', []);
    await store.admins.disable('grace', adminAudit('admin.disabled'));
    const trail = await store.auditTrail(99);
    for (const [text, mentions] of [
      ['@grace', ['grace']],
      ['@nobody', ['nobody']],
      ['alan', ['alan']],
      ['@alan', ['alan', 'ada']],
    ] as const) {
      expect(await store.records.addNote({ referenceNumber, text, mentions }, ACTOR)).toBe('not-mentionable');
      expect(await changeNote(id, 'First.', text, mentions)).toBe('not-mentionable');
    }
    expect((await store.records.record(referenceNumber))?.notes).toMatchObject([
      { text: 'First.', versions: [] },
    ]);
    expect(await store.auditTrail(99)).toEqual(trail);
  });

  it('are reported once, and withdrawn with their emails when a change removes them or the note', async () => {
    const referenceNumber = await addTeamAndRecord();
    const id = await addNote(referenceNumber, '@alan', ['alan']);
    expect(await changeNote(id, '@alan', '@alan and @grace', ['alan', 'grace'])).toBe('done');
    expect(await recipients(referenceNumber)).toEqual(['grace@example.com']);
    const [first] = await mentionMails(referenceNumber);
    expect(await changeNote(id, '@alan and @grace', '@grace!', ['grace'])).toBe('done');
    expect(await notesOf('alan')).toEqual([]);
    expect((await mentionMails(referenceNumber)).map((mail) => mail.id)).toEqual([first?.id]);
    expect((await store.auditTrail(2)).map(({ details }) => details.mentioned)).toEqual([undefined, 1]);
    expect(await changeNote(id, '@grace!', null)).toBe('done');
    expect(await notesOf('grace')).toEqual([]);
    expect(await store.records.countUnreadMentions('grace')).toBe(0);
    expect(await mentionMails(referenceNumber)).toEqual([]);
    expect(await store.records.mention(first?.event.split(':')[1] ?? '')).toBeNull();
  });

  it('keep an email that is being sent when they are withdrawn, to log its outcome, but do not retry it', async () => {
    const referenceNumber = await addTeamAndRecord();
    const id = await addNote(referenceNumber, '@grace', ['grace']);
    const claim = { channel: 'mail', now: AT, leasedUntil: AT + 1, limit: 9 } as const;
    const leased = await store.deliveries.claimDue(claim);
    const mail = leased.find(({ event }) => event.startsWith('mention.')) ?? expect.fail('No mail was due.');
    await changeNote(id, '@grace', 'Nobody.');
    expect(await mentionMails(referenceNumber)).toMatchObject([{ state: 'leased' }]);
    const details = { providerId: null, code: '451', error: null, maskedRecipient: 'g…', latencyMs: 1 };
    const retried = { state: 'waiting', nextAttemptAt: AT, counts: true } as const;
    await store.deliveries.recordAttempt(mail, { ...details, at: AT, outcome: 'retry' }, retried);
    expect(await store.deliveries.claimDue(claim)).toEqual([]);
    expect(await mentionMails(referenceNumber)).toMatchObject([{ state: 'settled', attemptCount: 1 }]);
  });

  it('are listed unread first, then newest first, and are marked as read with their record', async () => {
    const referenceNumber = await addTeamAndRecord();
    const other = await submitApplication(store);
    const [old, late, unread] = [
      await addNote(referenceNumber, '@alan 1', ['alan'], AT),
      await addNote(referenceNumber, '@alan 2', ['alan'], AT + 2),
      await addNote(other, '@alan 3', ['alan'], AT + 1),
    ];
    expect(await store.records.markMentionsRead('alan', referenceNumber, AT + 9)).toBe(2);
    expect(await store.records.markMentionsRead('alan', referenceNumber, AT + 10)).toBe(0);
    expect(await notesOf('alan')).toEqual([unread, late, old]);
    expect((await store.records.mentions('alan', 2)).map(({ readAt }) => readAt)).toEqual([null, AT + 9]);
    expect(await store.records.countUnreadMentions('alan')).toBe(1);
    // A later change to the note does not make the mention unread.
    expect(await changeNote(old, '@alan 1', '@alan, again', ['alan'])).toBe('done');
    expect(await store.records.countUnreadMentions('alan')).toBe(1);
  });

  it('on a merged record open the kept record, and are marked as read there', async () => {
    const merged = await addTeamAndRecord();
    const kept = await submitApplication(store);
    await addNote(merged, '@grace', ['grace']);
    const seenState = async (referenceNumber: string) => ({
      referenceNumber,
      changedAt: (await store.records.record(referenceNumber))?.record.changedAt ?? 0,
    });
    await store.records.merge({ kept: await seenState(kept), merged: [await seenState(merged)] }, ACTOR);
    expect(await store.records.mentions('grace', 9)).toMatchObject([{ referenceNumber: kept }]);
    const [mail] = await mentionMails(merged);
    expect((await store.records.mention(mail?.event.split(':')[1] ?? ''))?.referenceNumber).toBe(kept);
    expect((await store.records.record(kept))?.notes[0]?.mentions).toMatchObject([{ adminId: 'grace' }]);
    expect(await store.records.markMentionsRead('grace', kept, AT)).toBe(1);
  });

  it('of a deactivated admin are removed with their emails, and the text stays', async () => {
    const referenceNumber = await addTeamAndRecord();
    await addNote(referenceNumber, '@grace @alan', ['grace', 'alan']);
    await store.admins.disable('grace', adminAudit('admin.disabled'));
    await store.admins.enable('grace', adminAudit('admin.enabled'));
    expect(await notesOf('grace')).toEqual([]);
    expect(await mentionMails(referenceNumber)).toEqual([]);
    const [stored] = (await store.records.record(referenceNumber))?.notes ?? [];
    expect(stored?.text).toBe('@grace @alan');
    expect(stored?.mentions.map(({ adminId }) => adminId)).toEqual(['alan']);
    expect(await store.records.countUnreadMentions('alan')).toBe(1);
  });

  it('are erased with the person, and the emails are cancelled', async () => {
    const referenceNumber = await addTeamAndRecord();
    await addNote(referenceNumber, '@grace @alan', ['grace', 'alan']);
    const person = { email: 'ada@example.com', walletAddress: null };
    expect((await store.erasures.find(person)).counts.mentions).toBe(2);
    await store.erasures.erase(person, AT, () => adminAudit('person.erased'));
    expect(await store.records.countUnreadMentions('grace')).toBe(0);
    expect(await notesOf('alan')).toEqual([]);
    expect(await mentionMails(referenceNumber)).toMatchObject([{ state: 'settled', recipient: null }]);
  });
});
