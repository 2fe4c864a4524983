import type Database from 'better-sqlite3';
import type { Actor, Mention, RecordNote, RecordStore } from '../record-port.ts';
import { rowId } from '../row-id.ts';
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
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import { LIMIT, readCount, type Statements } from './list-statements.ts';
import { kindOf, SUBMISSION_TABLES } from './submission-rows.ts';

type AddNoteOutcome = Awaited<ReturnType<RecordStore['addNote']>>;
type ChangeNoteOutcome = Awaited<ReturnType<RecordStore['changeNote']>>;

export function prepareMentionRemoval(client: Database.Database): (adminId: string) => void {
  const removeUnsentMentionMails = client.prepare<[string]>(removeMentionMailsSql('', 'm.adminId = ?'));
  const remove = client.prepare<[string]>('delete from note_mentions where adminId = ?');
  return (adminId) => {
    removeUnsentMentionMails.run(adminId);
    remove.run(adminId);
  };
}

/** Call `add`, `change` and `markRead` in a transaction. */
export function prepareNotes(statements: Statements, audit: AuditStatements, queueDelivery: QueueDelivery) {
  const findActiveAdmins = (adminIds: readonly string[]) =>
    statements(
      'select id, username, email from admins where disabledAt is null and id in (select value from json_each(?))',
    ).all(JSON.stringify(adminIds)) as MentionableRow[];

  /**
   * Stores the admins whom a note mentions, and queues an email to each newly mentioned one.
   * @returns the number of newly mentioned admins, without the note's author
   */
  function setMentions(
    note: { readonly id: string; readonly referenceNumber: string },
    admins: readonly MentionableRow[],
    { adminId, at }: Actor,
  ): number {
    const mentionedIds = JSON.stringify(admins.map(({ id }) => id));
    const removedMentionsCondition = (alias: string) =>
      `${alias}noteId = ? and ${alias}adminId not in (select value from json_each(?))`;
    statements(removeMentionMailsSql('', removedMentionsCondition('m.'))).run(note.id, mentionedIds);
    statements(`delete from note_mentions where ${removedMentionsCondition('')}`).run(note.id, mentionedIds);
    const newlyMentioned = admins.filter(({ id, email }) => {
      const [mentionId, isOwn] = [rowId(at), id === adminId];
      const { changes } = statements(
        'insert into note_mentions (id, noteId, referenceNumber, adminId, at, readAt) values (?, ?, ?, ?, ?, ?) on conflict do nothing',
      ).run(mentionId, note.id, note.referenceNumber, id, at, isOwn ? at : null);
      const isNew = changes > 0 && !isOwn;
      if (isNew && email !== null) queueDelivery(mentionDelivery(mentionId, note.referenceNumber, email), at);
      return isNew;
    });
    return newlyMentioned.length;
  }

  return {
    add(
      { referenceNumber, text, mentions = [] }: Parameters<RecordStore['addNote']>[0],
      actor: Actor,
    ): AddNoteOutcome {
      const { adminId, at } = actor;
      const kind = kindOf(statements, referenceNumber);
      const table = kind && SUBMISSION_TABLES[kind].name;
      if (!table || !statements(`select 1 from ${table} where referenceNumber = ?`).get(referenceNumber))
        return 'unknown';
      const admins = findActiveAdmins(mentions);
      if (!mayMention(text, mentions, admins)) return 'not-mentionable';
      const id = rowId(at);
      statements(
        'insert into record_notes (id, referenceNumber, adminId, text, createdAt) values (?, ?, ?, ?, ?)',
      ).run(id, referenceNumber, adminId, text, at);
      const newMentionCount = setMentions({ id, referenceNumber }, admins, actor);
      audit.append(noteRecord('added', { id, referenceNumber }, newMentionCount, actor));
      const name = statements('select username from admins where id = ?').pluck().get(adminId);
      const by = typeof name === 'string' ? name : adminId;
      const note = { id, referenceNumber, at, adminId, by, text, changedAt: null, removedAt: null };
      return { ...note, mentions: mentionsIn(statements, id), versions: [] };
    },

    change(change: Parameters<RecordStore['changeNote']>[0], actor: Actor): ChangeNoteOutcome {
      const { noteId, mentions = [] } = change;
      const note = statements('select * from record_notes where id = ?').get(noteId) as NoteRow | undefined;
      const noteCells = noteChange(note, change, actor);
      if (typeof noteCells === 'string') return noteCells;
      const { referenceNumber, text, changedAt, removedAt, version } = noteCells;
      const admins = findActiveAdmins(mentions);
      if (!mayMention(text, mentions, admins)) return 'not-mentionable';
      statements(
        'insert into record_note_versions (noteId, referenceNumber, at, text) values (?, ?, ?, ?)',
      ).run(noteId, referenceNumber, version.at, version.text);
      statements('update record_notes set text = ?, changedAt = ?, removedAt = ? where id = ?').run(
        ...[text, changedAt, removedAt, noteId],
      );
      const noteKey = { id: noteId, referenceNumber };
      const newMentionCount = setMentions(noteKey, admins, actor);
      audit.append(noteRecord(removedAt === null ? 'changed' : 'removed', noteKey, newMentionCount, actor));
      return 'done';
    },

    mentions: (adminId: string, limit: number) =>
      statements(mentionsSql('', ['?', LIMIT.replace('limit ', '')])).all(adminId, limit) as Mention[],
    countUnread: (adminId: string) =>
      readCount(statements, 'select count(*) from note_mentions where adminId = ? and readAt is null', [
        adminId,
      ]),
    markRead: (adminId: string, referenceNumber: string, at: number) =>
      statements(
        `update note_mentions set readAt = ? where adminId = ? and readAt is null and referenceNumber in ${mergedReferencesSql('', '?')}`,
      ).run(at, adminId, referenceNumber).changes,
    mention: (id: string) =>
      (statements(mentionSql('', '?')).get(id) ?? null) as Pick<Mention, 'by' | 'referenceNumber'> | null,
  };
}

export const mentionsIn = (statements: Statements, noteId: string) =>
  statements(
    'select m.adminId, a.username, m.readAt from note_mentions m join admins a on a.id = m.adminId where m.noteId = ? order by m.at, m.id',
  ).all(noteId) as RecordNote['mentions'][number][];
