/**
 * The kinds of messages about a record. The team sends a `reply` or a `question`. After a question, the record waits for an
 * answer. The sender of the record writes an `answer`. An `automatic-answer` was sent by a program, such as an out-of-office
 * notice.
 */
export const MESSAGE_KINDS = ['reply', 'question', 'answer', 'automatic-answer'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
export type OutgoingKind = Extract<MessageKind, 'reply' | 'question'>;
export type IncomingKind = Exclude<MessageKind, OutgoingKind>;

/**
 * The id of an answer from Telegram, used in place of an email's Message-ID. It contains a space, which no Message-ID does.
 * @param updateId Telegram's id for the update that contained the answer
 */
export const chatMessageId = (updateId: number) => `telegram ${updateId}`;

/** Whether an answer came from a Telegram chat that its sender linked to the record. */
export const isFromChat = (mailId: string | null): boolean => mailId?.startsWith('telegram ') ?? false;

export const MAX_MAIL_BYTES = 15_728_640;

/** The maximum lengths of a message's texts, in characters. */
export const MESSAGE_LIMITS = { subject: 150, reply: 5_000, answer: 20_000 } as const;

/** Limits for the files attached to messages. Files beyond a limit are not stored. */
export const FILE_LIMITS = {
  /** The maximum size of a file in an incoming email. */
  bytes: 10_000_000,
  perMail: 10,
  perRecord: 50,
  bytesPerRecord: 60_000_000,
  perReply: 5,
  /**
   * The maximum total size of a reply's files. Base64 makes them a third larger, and Postfix's default limit for an email is
   * 10,240,000 bytes.
   */
  bytesPerReply: 7_000_000,
  /** How many files an admin can attach without sending them. */
  unsentPerAdmin: 50,
  /** Milliseconds until an unsent file is deleted. */
  unsentMs: 86_400_000,
} as const;

/** Why a file attached to an incoming email was not stored, or was deleted. */
export const ATTACHMENT_REFUSALS = {
  type: 'only PDF, JPEG, PNG, WebP, HEIC and plain text are kept',
  encrypted: 'it is encrypted',
  active: 'it contains scripts or other files',
  damaged: 'it is damaged',
  'too-detailed': 'it has too many pixels',
  'too-large': 'it is too large',
  'too-many': 'the email has too many files',
  incomplete: 'the email is too large, so only its beginning was read',
  automatic: 'a program sent it',
  'record-full': 'the record has too many files',
  'sender-full': 'the sender sent too many files today',
  'portal-full': 'the portal accepts no more files today',
  'no-space': 'the disk was short of space',
  deleted: 'deleted after the retention period',
} as const;
export type AttachmentRefusal = keyof typeof ATTACHMENT_REFUSALS;

const OFFICE_TYPES = /officedocument|opendocument|msword|ms-excel|ms-powerpoint/;

/** Names a file type in plain words, such as `a ZIP file`. */
export function typeName(mediaType: string): string {
  const [group, subtype = ''] = mediaType.split('/');
  if (OFFICE_TYPES.test(subtype)) return 'an office document';
  if (group === 'image') return 'a picture';
  if (group === 'video') return 'a video';
  if (group === 'audio') return 'an audio file';
  if (group === 'text') return 'a text file';
  const short = subtype.replace(/^(x|vnd)[-.]/, '');
  return /^[a-z\d]{2,5}$/.test(short) ? `a ${short.toUpperCase()} file` : 'a file of another type';
}

export const isOutgoing = (kind: MessageKind): kind is OutgoingKind =>
  kind === 'reply' || kind === 'question';

export const REPLY_VARIABLES = {
  name: 'the person’s name, or “there” if the form has none',
  reference: 'the reference number',
  kind: 'what was sent, such as “card application”',
  tier: 'the card tier, or “your tier” if it is unknown',
  deadline: 'the deadline for an answer, a week from now (in UTC)',
  admin: 'the username of the admin who writes',
} as const;
export type ReplyVariable = keyof typeof REPLY_VARIABLES;

export function unknownVariables(text: string): readonly string[] {
  return [...text.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !Object.hasOwn(REPLY_VARIABLES, name));
}

export function fillVariables(text: string, values: Readonly<Record<ReplyVariable, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name as ReplyVariable] : placeholder,
  );
}
