/**
 * The kinds of messages about a record. The team sends a `reply`, or a `question` for which the record waits. The person sends
 * an `answer`; an `automatic-answer` comes from a program, such as an out-of-office notice.
 */
export const MESSAGE_KINDS = ['reply', 'question', 'answer', 'automatic-answer'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
export type OutgoingKind = Extract<MessageKind, 'reply' | 'question'>;
export type IncomingKind = Exclude<MessageKind, OutgoingKind>;

/** The longest texts of a message, in characters. */
export const MESSAGE_LIMITS = { subject: 150, reply: 5_000, answer: 20_000 } as const;

export const isOutgoing = (kind: MessageKind): kind is OutgoingKind =>
  kind === 'reply' || kind === 'question';

/** Whether the record waits for the person: the team's last question has no answer. */
export function isWaiting(kinds: readonly MessageKind[]): boolean {
  return kinds.findLast((kind) => kind === 'question' || kind === 'answer') === 'question';
}

/** The variables of a reply template, and what each stands for. */
export const REPLY_VARIABLES = {
  name: 'the person’s name, or “there” if the form has none',
  reference: 'the reference number',
  kind: 'what was sent, such as “card application”',
  tier: 'the card tier, or “your tier” if it is unknown',
  deadline: 'the day in UTC until which an answer helps, a week from now',
  admin: 'the username of the admin who writes',
} as const;
export type ReplyVariable = keyof typeof REPLY_VARIABLES;

/** The names between braces that are not a variable. */
export function unknownVariables(text: string): readonly string[] {
  return [...text.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !Object.hasOwn(REPLY_VARIABLES, name));
}

export function fillVariables(text: string, values: Readonly<Record<ReplyVariable, string>>): string {
  return text.replace(/\{(\w+)\}/g, (found, name: string) =>
    Object.hasOwn(values, name) ? values[name as ReplyVariable] : found,
  );
}
