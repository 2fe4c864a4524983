import type { ADDITION_KINDS, Addition } from '../chat-port.ts';

/** The UTC day of a verdict, as `YYYY-MM-DD`. @param at Unix ms */
export const verdictDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface AdditionRow {
  readonly id: string;
  readonly kind: (typeof ADDITION_KINDS)[number];
  readonly question: string;
  readonly addedAt: number;
  readonly href: string | null;
  readonly title: string | null;
  readonly answer: string | null;
}

export function toAddition({ id, kind, question, addedAt, href, title, answer }: AdditionRow): Addition {
  const fields = { id, question, addedAt };
  return kind === 'phrasing'
    ? { ...fields, kind, href: href ?? '', title: title ?? '' }
    : { ...fields, kind, answer: answer ?? '' };
}

/** Whether an addition in use has the same question, ignoring case. */
export function isQuestionUsed(
  question: string,
  usedQuestions: readonly { readonly question: string }[],
): boolean {
  const key = question.toLowerCase();
  return usedQuestions.some((other) => other.question.toLowerCase() === key);
}
