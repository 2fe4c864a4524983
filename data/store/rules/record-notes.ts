import { mentionedAdmins } from '../../model/mentions.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { LeasedDelivery } from '../delivery-port.ts';
import type { Actor, NoteOutcome, RecordStore } from '../record-port.ts';
import type { QueuedDelivery } from './received-submission.ts';
import { toAuditRecord } from './record-decisions.ts';

export interface NoteRow {
  readonly referenceNumber: string;
  readonly adminId: string;
  readonly text: string;
  readonly createdAt: number;
  readonly changedAt: number | null;
  readonly removedAt: number | null;
}

/** What to store when a note is changed, including its earlier text; or why the note cannot be changed. */
export function noteChange(
  note: NoteRow | null | undefined,
  { seen, text }: Parameters<RecordStore['changeNote']>[0],
  actor: Actor,
):
  | Exclude<NoteOutcome, 'done'>
  | {
      readonly referenceNumber: string;
      readonly text: string;
      readonly changedAt: number;
      readonly removedAt: number | null;
      readonly version: { readonly at: number; readonly text: string };
    } {
  if (!note || note.removedAt !== null) return 'unknown';
  if (note.adminId !== actor.adminId) return 'not-yours';
  if (note.text !== seen) return 'changed';
  return {
    referenceNumber: note.referenceNumber,
    text: text ?? '',
    changedAt: actor.at,
    removedAt: text === null ? actor.at : null,
    version: { at: note.changedAt ?? note.createdAt, text: note.text },
  };
}

/** @param newMentionCount how many of the mentioned admins were not mentioned before */
export const noteRecord = (
  action: 'added' | 'changed' | 'removed',
  note: { readonly id: string; readonly referenceNumber: string },
  newMentionCount: number,
  actor: Actor,
): AuditRecord =>
  toAuditRecord(`note.${action}`, actor, {
    referenceNumber: note.referenceNumber,
    note: note.id,
    ...(newMentionCount > 0 && { mentioned: newMentionCount }),
  });

/** An active admin. */
export interface MentionableRow {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
}

/**
 * Whether all these admins are active, and the text mentions each of them.
 * @param activeAdmins the admins in `adminIds` who are active
 */
export const mayMention = (
  text: string,
  adminIds: readonly string[],
  activeAdmins: readonly MentionableRow[],
): boolean => mentionedAdmins(text, activeAdmins).length === new Set(adminIds).size;

const MENTION_EVENT = 'mention.mentioned:';

/** The email about a mention. Admins without an email address get none. */
export const mentionDelivery = (
  mentionId: string,
  referenceNumber: string,
  recipient: string,
): QueuedDelivery => ({
  event: `${MENTION_EVENT}${mentionId}`,
  referenceNumber,
  channel: 'mail',
  audience: 'team',
  recipient,
});

export const mentionIdOf = ({ event }: Pick<LeasedDelivery, 'event'>): string | null =>
  event.startsWith(MENTION_EVENT) ? event.slice(MENTION_EVENT.length) : null;

/**
 * SQL that deletes emails about mentions, except those that the portal has already tried to send.
 * @param schema the prefix of table names
 * @param mentions the SQL condition that selects the mentions, as rows `m` of `note_mentions`
 */
export const removeMentionMailsSql = (schema: string, mentions: string): string => `
  delete from ${schema}deliveries where state = 'waiting' and "attemptCount" = 0
    and ("referenceNumber", event) in
      (select m."referenceNumber", '${MENTION_EVENT}' || m.id from ${schema}note_mentions m where ${mentions})
    and not exists (select 1 from ${schema}delivery_attempts t where t."deliveryId" = deliveries.id)`;

/** SQL condition: the delivery is an email about a mention that was withdrawn. */
export const isWithdrawnMentionSql = (schema: string): string =>
  `event like '${MENTION_EVENT}%' and not exists (select 1 from ${schema}note_mentions m where m.id = substr(event, ${MENTION_EVENT.length + 1}))`;

/**
 * SQL for the mentions of an admin in other admins' notes.
 * @param schema the prefix of table names
 * @param values the SQL placeholders for the admin and the limit
 */
export const mentionsSql = (schema: string, values: readonly [adminId: string, limit: string]): string => `
  select m."noteId", coalesce(g."mergedInto", m."referenceNumber") as "referenceNumber", k.kind,
    coalesce((select a.username from ${schema}admins a where a.id = n."adminId"), n."adminId") as "by",
    n.text, m.at, m."readAt"
  from ${schema}note_mentions m
    join ${schema}record_notes n on n.id = m."noteId"
    join ${schema}reference_numbers k on k."referenceNumber" = m."referenceNumber"
    left join ${schema}record_merges g on g."referenceNumber" = m."referenceNumber"
  where m."adminId" = ${values[0]} and n."adminId" <> m."adminId"
  order by m."readAt" is not null, m.at desc, m.id desc limit ${values[1]}`;

/** @param id the SQL placeholder for the mention's id */
export const mentionSql = (schema: string, id: string): string => `
  select coalesce(g."mergedInto", m."referenceNumber") as "referenceNumber",
    coalesce((select a.username from ${schema}admins a where a.id = n."adminId"), n."adminId") as "by"
  from ${schema}note_mentions m
    join ${schema}record_notes n on n.id = m."noteId"
    left join ${schema}record_merges g on g."referenceNumber" = m."referenceNumber"
  where m.id = ${id}`;
