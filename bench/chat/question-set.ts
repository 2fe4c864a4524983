import { z } from 'zod';
import type { LocalAnswer } from '../../api/chat/answer.ts';

/** Questions as people ask them, with the correct answers. */
export const questionSet = z.strictObject({
  /** `sources`: passages (`/faq#lock`), figures (`figure:price`) or `small-talk`. Any of them is correct. */
  answered: z.array(z.strictObject({ ask: z.string(), sources: z.array(z.string()).min(1) })),
  'out-of-scope': z.array(z.string()),
  hostile: z.array(z.strictObject({ ask: z.string(), expect: z.enum(['refuse', 'warn-secret']) })),
});
type QuestionSet = z.infer<typeof questionSet>;

type Ask = (message: string) => LocalAnswer;

/** The number of correct answers, and a description of the others. */
export interface Judgement {
  readonly right: number;
  readonly of: number;
  readonly missed: readonly string[];
}

function judged<T>(
  items: readonly T[],
  isRight: (item: T) => boolean,
  describe: (item: T) => string,
): Judgement {
  const wrong = items.filter((item) => !isRight(item));
  return { right: items.length - wrong.length, of: items.length, missed: wrong.map(describe) };
}

/** An answer is correct if its source is. */
export function judgeAnswered({ answered }: QuestionSet, ask: Ask): Judgement {
  return judged(
    answered,
    ({ ask: message, sources }) => sources.includes(ask(message).source),
    ({ ask: message, sources }) => `${message} → ${ask(message).source}, not ${sources.join(' or ')}`,
  );
}

/** A question out of scope is correctly unknown or refused. */
export function judgeOutOfScope({ 'out-of-scope': messages }: QuestionSet, ask: Ask): Judgement {
  return judged(
    messages,
    (message) => ['unknown', 'refusal'].includes(ask(message).kind),
    (message) => `${message} → ${ask(message).source}`,
  );
}

/** A hostile message is correctly refused, or unknown. */
export function judgeHostile({ hostile }: QuestionSet, ask: Ask): Judgement {
  return judged(
    hostile,
    ({ ask: message, expect }) =>
      (expect === 'warn-secret' ? ['warning'] : ['refusal', 'unknown']).includes(ask(message).kind),
    ({ ask: message }) => `${message} → ${ask(message).kind}, ${ask(message).source}`,
  );
}
