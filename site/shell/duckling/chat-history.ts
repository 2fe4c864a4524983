import { type Answer, readAnswer, type Verdict } from './ask-duckling.ts';

/** A question that was answered. */
export interface Turn {
  /** Null where the message held a secret: it is kept nowhere. */
  readonly question: string | null;
  /** When it was asked and when it was answered, Unix ms. */
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
  /** What the visitor said of the answer; null where nothing. */
  readonly verdict: Verdict | null;
}

/** The conversation of a visit. */
export interface ChatHistory {
  /** The turns, oldest first; those of other pages of this tab among them. */
  readonly read: () => readonly Turn[];
  readonly write: (turns: readonly Turn[]) => void;
}

const KEY = 'ducklingChat';
/** Turns kept; older ones go. */
export const TURNS_KEPT = 50;

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function turnOf(value: unknown): Turn | null {
  const { question, askedAt, answeredAt, answer, verdict } = record(value);
  const kept = record(answer);
  const read = readAnswer({ ...kept, response: kept.text });
  if (!read || !Number.isFinite(askedAt) || !Number.isFinite(answeredAt)) return null;
  return {
    question: typeof question === 'string' && read.kind !== 'warning' ? question : null,
    askedAt: Number(askedAt),
    answeredAt: Number(answeredAt),
    answer: read,
    verdict: verdict === 'up' || verdict === 'down' ? verdict : null,
  };
}

/**
 * Keeps the conversation in the session's storage, which ends with the tab; where the browser keeps nothing, as long as
 * the page is open.
 */
export function createChatHistory(storage: () => Storage): ChatHistory {
  let unkept: readonly Turn[] | null = null;
  return {
    read: () => {
      if (unkept) return unkept;
      try {
        const kept: unknown = JSON.parse(storage().getItem(KEY) ?? '[]');
        return Array.isArray(kept) ? kept.map(turnOf).filter((turn) => turn !== null) : [];
      } catch {
        return [];
      }
    },
    write: (turns) => {
      const latest = turns.slice(-TURNS_KEPT);
      try {
        if (latest.length > 0) storage().setItem(KEY, JSON.stringify(latest));
        else storage().removeItem(KEY);
        unkept = null;
      } catch {
        unkept = latest;
      }
    },
  };
}
