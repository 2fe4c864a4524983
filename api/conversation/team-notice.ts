import { isOutgoing } from '../../data/model/conversation.ts';
import type { RecordMessage } from '../../data/store/conversation-port.ts';

/** Within this many milliseconds after an answer, further ones do not notify the team, unless it has replied in the meantime. */
const QUIET_MS = 600_000;

/**
 * Whether an answer notifies the team.
 * @param messages the messages about its record, oldest first, without the answer itself
 */
export const notifiesTeam = (messages: readonly RecordMessage[], at: number): boolean =>
  !messages
    .slice(messages.findLastIndex(({ kind }) => isOutgoing(kind)) + 1)
    .some(({ kind, at: earlier }) => kind === 'answer' && earlier > at - QUIET_MS);
