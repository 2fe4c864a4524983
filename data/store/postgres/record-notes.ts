import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { Mention, RecordNote, RecordStore } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { mergedReferencesSql } from '../rules/record-merges.ts';
import {
  type MentionableRow,
  mayMention,
  mentionDelivery,
  mentionSql,
  mentionsSql,
  type NoteRow,
  noteChange,
  noteRecord,
  removeMentionMailsSql,
} from '../rules/record-notes.ts';
import type { Database, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import { SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

export const REMOVE_ADMIN_MENTIONS = [
  removeMentionMailsSql('$.', 'm."adminId" = $1'),
  'delete from $.note_mentions where "adminId" = $1',
];

/** @param noteId SQL for the id of the note */
export const mentionsInSql = (noteId: string): string => `
  select m."adminId", a.username, m."readAt" from $.note_mentions m join $.admins a on a.id = m."adminId"
  where m."noteId" = ${noteId} order by m.at, m.id`;

type NoteCalls = Pick<
  RecordStore,
  'addNote' | 'changeNote' | 'mentions' | 'countUnreadMentions' | 'markMentionsRead' | 'mention'
>;

export function openNotes(
  db: Database,
  queueDeliveries: QueueDeliveries,
  { announce }: Pick<QueueSignal, 'announce'>,
): NoteCalls {
  const { statement } = db;
  const removedMentionsCondition = (alias: string) =>
    `${alias}"noteId" = $1 and ${alias}"adminId" <> all($2)`;
  const statements = {
    kindOf: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    // Locked, so that an erasure finds the note.
    lockRecord: mapKinds(SUBMISSION_KINDS, (kind) =>
      statement(`select from $.${SUBMISSION_TABLES[kind].name} where "referenceNumber" = $1 for share`),
    ),
    add: statement(`
      insert into $.record_notes (id, "referenceNumber", "adminId", text, "createdAt") values ($1, $2, $3, $4, $5)`),
    note: statement<NoteRow>(`
      select "referenceNumber", "adminId", text, "createdAt", "changedAt", "removedAt"
      from $.record_notes where id = $1 for update`),
    addVersion: statement(`
      insert into $.record_note_versions ("noteId", "referenceNumber", at, text)
      select id, "referenceNumber", $2, $3 from $.record_notes where id = $1`),
    change: statement(
      'update $.record_notes set text = $2, "changedAt" = $3, "removedAt" = $4 where id = $1',
    ),
    username: statement<{ username: string }>('select username from $.admins where id = $1'),
    // Locked, so that a concurrent deactivation of one of these admins waits and then removes the new mention.
    mentionableAdmins: statement<MentionableRow>(`
      select id, username, email from $.admins where id = any($1) and "disabledAt" is null order by id for share`),
    removeUnsentMentionMails: statement(removeMentionMailsSql('$.', removedMentionsCondition('m.'))),
    withdraw: statement(`delete from $.note_mentions where ${removedMentionsCondition('')}`),
    mention: statement(`
      insert into $.note_mentions (id, "noteId", "referenceNumber", "adminId", at, "readAt")
      values ($1, $2, $3, $4, $5, $6) on conflict ("noteId", "adminId") do nothing`),
    mentionsOfNote: statement<RecordNote['mentions'][number]>(mentionsInSql('$1')),
    all: statement<Mention>(mentionsSql('$.', ['$1', '$2'])),
    unread: statement<{ unread: number }>(
      'select count(*) as unread from $.note_mentions where "adminId" = $1 and "readAt" is null',
    ),
    markRead: statement(`
      update $.note_mentions set "readAt" = $3
      where "adminId" = $1 and "readAt" is null and "referenceNumber" in ${mergedReferencesSql('$.', '$2')}`),
    one: statement<Pick<Mention, 'by' | 'referenceNumber'>>(mentionSql('$.', '$1')),
  };

  /** Replaces a note's mentions. @returns how many admins, apart from the author, were not mentioned before */
  async function setMentions(
    transaction: Transaction,
    note: { readonly id: string; readonly referenceNumber: string },
    admins: readonly MentionableRow[],
    { adminId, at }: Parameters<RecordStore['addNote']>[1],
  ): Promise<number> {
    const mentionedIds = admins.map(({ id }) => id);
    await transaction.run(statements.removeUnsentMentionMails, note.id, mentionedIds);
    await transaction.run(statements.withdraw, note.id, mentionedIds);
    let newMentionCount = 0;
    for (const { id, email } of admins) {
      const [mentionId, isOwn] = [rowId(at), id === adminId];
      const values = [mentionId, note.id, note.referenceNumber, id, at, isOwn ? at : null];
      if ((await transaction.run(statements.mention, ...values)) === 0 || isOwn) continue;
      newMentionCount += 1;
      if (email === null) continue;
      await queueDeliveries(transaction, [
        { delivery: mentionDelivery(mentionId, note.referenceNumber, email), at },
      ]);
    }
    return newMentionCount;
  }

  return {
    async addNote({ referenceNumber, text, mentions = [] }, actor) {
      const { adminId, at } = actor;
      const outcome = await db.transaction([], async (transaction) => {
        const kind = (await transaction.get(statements.kindOf, referenceNumber))?.kind;
        // The reference number of an erased record is kept, but not its row.
        if (!kind || !(await transaction.get(statements.lockRecord[kind], referenceNumber))) return 'unknown';
        const admins =
          mentions.length === 0 ? [] : await transaction.all(statements.mentionableAdmins, mentions);
        if (!mayMention(text, mentions, admins)) return 'not-mentionable';
        const id = rowId(at);
        await transaction.run(statements.add, id, referenceNumber, adminId, text, at);
        const newMentionCount = await setMentions(transaction, { id, referenceNumber }, admins, actor);
        transaction.record(noteRecord('added', { id, referenceNumber }, newMentionCount, actor));
        const by = (await transaction.get(statements.username, adminId))?.username ?? adminId;
        const note = { id, referenceNumber, at, adminId, by, text, changedAt: null, removedAt: null };
        return { ...note, mentions: await transaction.all(statements.mentionsOfNote, id), versions: [] };
      });
      if (mentions.length > 0) announce();
      return outcome;
    },
    async changeNote(change, actor) {
      const { noteId, mentions = [] } = change;
      const outcome = await db.transaction([], async (transaction) => {
        const noteCells = noteChange(await transaction.get(statements.note, noteId), change, actor);
        if (typeof noteCells === 'string') return noteCells;
        const { referenceNumber, text, changedAt, removedAt, version } = noteCells;
        const admins =
          mentions.length === 0 ? [] : await transaction.all(statements.mentionableAdmins, mentions);
        if (!mayMention(text, mentions, admins)) return 'not-mentionable';
        await transaction.run(statements.addVersion, noteId, version.at, version.text);
        await transaction.run(statements.change, noteId, text, changedAt, removedAt);
        const note = { id: noteId, referenceNumber };
        const newMentionCount = await setMentions(transaction, note, admins, actor);
        const action = removedAt === null ? 'changed' : 'removed';
        transaction.record(noteRecord(action, note, newMentionCount, actor));
        return 'done';
      });
      if (mentions.length > 0) announce();
      return outcome;
    },
    mentions: (adminId, limit) => db.all(statements.all, adminId, limit),
    countUnreadMentions: async (adminId) => (await db.get(statements.unread, adminId))?.unread ?? 0,
    markMentionsRead: (adminId, referenceNumber, at) =>
      db.run(statements.markRead, adminId, referenceNumber, at),
    mention: (id) => db.get(statements.one, id),
  };
}
