import { TRACKABLE_KINDS } from '../../model/submission-status.ts';
import type { Decision } from '../record-port.ts';
import { isWithdrawnMentionSql } from './record-notes.ts';

const REPORTED_DECISIONS = ['approved', 'refused', 'withdrawn'];
/** After one of these, the earlier decisions on the record are no longer valid. */
const ENDING_DECISIONS = ['approved', 'refused', 'withdrawn', 'reopened'];

export const endsEarlierDecisions = (decisions: readonly Pick<Decision, 'decision'>[]): boolean =>
  decisions.some(({ decision }) => ENDING_DECISIONS.includes(decision));

/**
 * The SQL condition for messages about any of the given decisions. The event of a repeated message ends with a number, and
 * the event of a message to the chat of a merged record ends with a reference number.
 */
const isAboutSql = (decisions: readonly string[]): string =>
  `(${TRACKABLE_KINDS.flatMap((kind) =>
    decisions.map((decision) => `event = '${kind}.${decision}' or event like '${kind}.${decision}:%'`),
  ).join(' or ')})`;

export const IS_DECISION_MESSAGE = `audience = 'applicant' and ${isAboutSql(REPORTED_DECISIONS)}`;

/**
 * The SQL condition for messages about a decision that is no longer valid, and for emails about a withdrawn mention or with a
 * one-time link that has ended; null or false for others. It does not compare times, because the clock may have been wrong when
 * one of the decisions was made.
 * @param schema the prefix of table names
 */
export const isOutdatedSql = (schema: string): string => {
  const endings = ENDING_DECISIONS.map((decision) => `'${decision}'`).join(', ');
  const lastEnding = `(select r.decision from ${schema}record_decisions r
    where r."referenceNumber" = deliveries."referenceNumber" and r.decision in (${endings})
    order by r.sequence desc limit 1)`;
  const isEnded = REPORTED_DECISIONS.map(
    (decision) => `${isAboutSql([decision])} and ${lastEnding} <> '${decision}'`,
  );
  const hasLink = `exists (select 1 from ${schema}admin_links l where l.id = deliveries."referenceNumber")`;
  return `(audience = 'applicant' and (${isEnded.join(' or ')})
    or event like 'admin-link.%' and not ${hasLink} or ${isWithdrawnMentionSql(schema)})`;
};

/** A message about a decision that was later superseded, and the message's state when that happened. */
export interface EndedMessage {
  readonly id: string;
  readonly state: 'waiting' | 'leased' | 'sent' | 'dead';
}

/**
 * The state of a settled message after an undo, by its state in `EndedMessage`. A sent message is settled only if it
 * bounced.
 */
export const STATE_AFTER_UNDO: Readonly<Record<EndedMessage['state'], 'waiting' | 'dead'>> = {
  waiting: 'waiting',
  leased: 'waiting',
  sent: 'dead',
  dead: 'dead',
};
