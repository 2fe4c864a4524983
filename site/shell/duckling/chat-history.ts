import { OWN_RECORDS } from '../../../data/model/own-records.ts';
import { type Answer, readAnswer, type Verdict } from './ask-duckling.ts';

/** A question that was answered. */
export interface Turn {
  /** Null if the message contained a secret, which is never stored. */
  readonly question: string | null;
  /** Unix ms. */
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
  readonly verdict: Verdict | null;
}

const KEY = 'ducklingChat';
/** Older turns are dropped. */
export const MAX_TURNS = 50;

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function turnOf(value: unknown): Turn | null {
  const { question, askedAt, answeredAt, answer, verdict } = record(value);
  const stored = record(answer);
  const read = readAnswer({ ...stored, response: stored.text });
  if (!read || !Number.isFinite(askedAt) || !Number.isFinite(answeredAt)) return null;
  return {
    question: typeof question === 'string' && read.kind !== 'warning' ? question : null,
    askedAt: Number(askedAt),
    answeredAt: Number(answeredAt),
    answer: read,
    verdict: verdict === 'up' || verdict === 'down' ? verdict : null,
  };
}

export type ChatHistory = ReturnType<typeof createChatHistory>;

/**
 * Stores the turns of this tab, oldest first: in session storage, or in memory if the browser blocks storage.
 * @param notKept takes the place of answers that are not stored
 */
export function createChatHistory(storage: () => Storage, notKept: string) {
  const storable = (turn: Turn): Turn =>
    turn.answer.source === OWN_RECORDS
      ? { ...turn, answer: { ...turn.answer, text: notKept, sources: [] } }
      : turn;
  let unsaved: readonly Turn[] | null = null;
  return {
    read: (): readonly Turn[] => {
      if (unsaved) return unsaved;
      try {
        const stored: unknown = JSON.parse(storage().getItem(KEY) ?? '[]');
        return Array.isArray(stored) ? stored.map(turnOf).filter((turn) => turn !== null) : [];
      } catch {
        return [];
      }
    },
    write: (turns: readonly Turn[]) => {
      const latest = turns.slice(-MAX_TURNS).map(storable);
      try {
        if (latest.length > 0) storage().setItem(KEY, JSON.stringify(latest));
        else storage().removeItem(KEY);
        unsaved = null;
      } catch {
        unsaved = latest;
      }
    },
  };
}
