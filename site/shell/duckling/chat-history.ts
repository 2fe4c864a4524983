import { OWN_RECORDS_SOURCE } from '../../../data/model/own-records-source.ts';
import { type Answer, readAnswer, type Verdict } from './ask-duckling.ts';

export interface Turn {
  /** Null if the message contained a secret, which is never stored. */
  readonly question: string | null;
  /** Unix ms. */
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
  readonly verdict: Verdict | null;
}

const STORAGE_KEY = 'ducklingChat';
/** If there are more turns, the oldest are dropped. */
export const MAX_TURNS = 50;

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function turnOf(value: unknown): Turn | null {
  const { question, askedAt, answeredAt, answer, verdict } = asObject(value);
  const answerFields = asObject(answer);
  const storedAnswer = readAnswer({ ...answerFields, response: answerFields.text });
  if (!storedAnswer || !Number.isFinite(askedAt) || !Number.isFinite(answeredAt)) return null;
  return {
    question: typeof question === 'string' && storedAnswer.kind !== 'warning' ? question : null,
    askedAt: Number(askedAt),
    answeredAt: Number(answeredAt),
    answer: storedAnswer,
    verdict: verdict === 'up' || verdict === 'down' ? verdict : null,
  };
}

export type ChatHistory = ReturnType<typeof createChatHistory>;

/**
 * A store for this tab's turns, oldest first. It uses session storage, or memory if the browser blocks storage.
 * @param notKeptText replaces the text of answers that are not stored
 */
export function createChatHistory(storage: () => Storage, notKeptText: string) {
  const toStoredTurn = (turn: Turn): Turn =>
    turn.answer.source === OWN_RECORDS_SOURCE
      ? { ...turn, answer: { ...turn.answer, text: notKeptText, sources: [] } }
      : turn;
  let unsavedTurns: readonly Turn[] | null = null;
  return {
    read: (): readonly Turn[] => {
      if (unsavedTurns) return unsavedTurns;
      try {
        const stored: unknown = JSON.parse(storage().getItem(STORAGE_KEY) ?? '[]');
        return Array.isArray(stored) ? stored.map(turnOf).filter((turn) => turn !== null) : [];
      } catch {
        return [];
      }
    },
    write: (turns: readonly Turn[]) => {
      const latestTurns = turns.slice(-MAX_TURNS).map(toStoredTurn);
      try {
        if (latestTurns.length > 0) storage().setItem(STORAGE_KEY, JSON.stringify(latestTurns));
        else storage().removeItem(STORAGE_KEY);
        unsavedTurns = null;
      } catch {
        unsavedTurns = latestTurns;
      }
    },
  };
}
