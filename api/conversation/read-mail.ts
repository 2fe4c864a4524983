import { createHash } from 'node:crypto';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { MAX_MAIL_BYTES, MESSAGE_LIMITS } from '../../data/model/conversation.ts';
import { isSoleMailAddress } from '../../data/model/mail-address.ts';
import type { Bounce } from '../delivery/record-bounce.ts';

export interface InboundAttachment {
  readonly fileName: string;
  /** The media type that the email states. */
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** Whether only the beginning of the attachment was read. */
  readonly isCut: boolean;
}

/** A received email, as plain text. The sender may have forged everything in it. */
export interface InboundMail {
  /** The Message-ID without angle brackets. Derived from the content if the email has none that is safe in a header. */
  readonly mailId: string;
  /** Null if there is no valid address. */
  readonly sender: string | null;
  readonly senderName: string;
  readonly recipients: readonly string[];
  /** The Message-IDs of the earlier emails in the thread. The one that this email directly answers comes first. */
  readonly answeredIds: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly InboundAttachment[];
  /** Whether a program sent the email. Such an email must not be answered. */
  readonly isAutomatic: boolean;
  /** The permanent failures that the email reports; null if it is not a delivery status notification. */
  readonly bounces: readonly Bounce[] | null;
}

/** Limits that only an attack exceeds. */
const PARSER_LIMITS = { maxNestingDepth: 20, maxHeadersSize: 262_144, forceRfc822Attachments: true } as const;
/** An email of 15 MiB in base64 has at most 260,000 lines. Each line takes much more memory than its bytes. */
const MAX_LINES = 300_000;
const MAX_ATTACHMENTS = 50;
const MAX_BOUNCES = 50;
const MAX_NAME_LENGTH = 100;
const SAFE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{3,250}$/;

const withoutStyles = (html: string): string =>
  html
    .split(/<style\b/i)
    .map((piece, index) => {
      if (index === 0) return piece;
      const [, ...rest] = piece.split(/<\/style\s*>/i);
      return rest.join('');
    })
    .join('');

/**
 * Converts HTML to text. The library converts an HTML part only if it follows a plain-text part. So this function adds a
 * plain-text part with a hyphen, and removes the hyphen from the result.
 */
async function textOfHtml(html: string): Promise<string> {
  const plain = '--b\r\n\r\n-\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n';
  const encoded = `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(withoutStyles(html)).toString('base64')}\r\n--b--`;
  const { text = '' } = await PostalMime.parse(
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${plain}${encoded}`,
  );
  return text.replace(/^-\s*/, '');
}

/** Control characters except tab and newline, characters that change the text direction, and the byte order mark. */
const INVISIBLE_CHARACTERS = /[^\P{Cc}\n\t]|\p{Bidi_Control}|\uFEFF/gu;

const plainLines = (text: string, length: number): string =>
  text
    .slice(0, 10 * length)
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(INVISIBLE_CHARACTERS, '')
    // Without the lookbehind, the search would start again at each space of a long run, which takes quadratic time.
    .replaceAll(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}

const plainLine = (text: string, length: number): string =>
  shorten(plainLines(text, length).replaceAll(/\s+/g, ' '), length);

const idsIn = (header: string | undefined): readonly string[] =>
  [...(header ?? '').matchAll(/<([^<>\s]+)>/g)].map(([, id = '']) => id);

const addressesIn = (list: readonly Address[] | undefined): readonly string[] =>
  (list ?? []).flatMap(({ address, group }) =>
    address ? [address] : (group ?? []).map((one) => one.address),
  );

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

const textOf = (attachment: Attachment): string => Buffer.from(bytesOf(attachment)).toString('utf8');

/**
 * Whether the headers say that a program sent the email (RFC 3834). Emails from a mailing list do not count as automatic,
 * because support’s address may be a mailing list.
 */
function isAutomatic(email: Email, header: (name: string) => string | undefined): boolean {
  const submitted = header('auto-submitted')?.trim().toLowerCase();
  return (
    (submitted !== undefined && !/^no\b/.test(submitted)) ||
    /^\s*(bulk|junk|auto_reply)\b/i.test(header('precedence') ?? '') ||
    ['x-auto-response-suppress', 'x-autoreply', 'x-autorespond'].some((name) => header(name) !== undefined) ||
    /^<?>?$/.test((header('return-path') ?? 'none').trim()) ||
    /^(mailer-daemon|postmaster|no-?reply)@/i.test(email.from?.address ?? '')
  );
}

/** The groups of fields in a delivery status. Empty lines separate the groups. */
function statusGroups(status: string): readonly ReadonlyMap<string, string>[] {
  return status
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]+/g, ' ')
    .split(/\n{2,}/)
    .map((group) => {
      const fields = group.split('\n').map((line) => line.split(/:(.*)/s, 2));
      return new Map(fields.map(([name = '', value = '']) => [name.trim().toLowerCase(), value.trim()]));
    });
}

const withoutType = (value: string | undefined): string => (value ?? '').replace(/^[\w-]+;\s*/, '');

/** The permanent failures in a delivery status notification (RFC 3464); null if the email is not one. */
function bouncesIn({ attachments }: Email, contentType: string): readonly Bounce[] | null {
  if (!/^\s*multipart\/report\b.*report-type\s*=\s*"?delivery-status/is.test(contentType)) return null;
  const status = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  const original = attachments.find(({ mimeType }) => /^(message|text)\/rfc822/.test(mimeType));
  const [messageId] = idsIn(
    original && /^message-id:[^\S\n]*(\S+)/im.exec(textOf(original).replaceAll(/\r?\n[ \t]+/g, ' '))?.[1],
  );
  if (status === undefined || messageId === undefined) return [];
  return statusGroups(textOf(status))
    .filter((group) => group.get('action')?.toLowerCase() === 'failed')
    .slice(0, MAX_BOUNCES)
    .map((group) => ({
      messageId,
      recipient: withoutType(group.get('original-recipient') ?? group.get('final-recipient')),
      code: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(group.get('status') ?? '')?.[0] ?? null,
      text: withoutType(group.get('diagnostic-code')) || null,
    }));
}

/** @throws if the email cannot be read, for example because it is nested too deeply */
export async function readMail(raw: Uint8Array): Promise<InboundMail> {
  let lines = 0;
  for (const byte of raw) if (byte === 0x0a) lines += 1;
  if (lines > MAX_LINES) throw new Error(`The email has ${lines} lines.`);
  const email = await PostalMime.parse(raw, PARSER_LIMITS);
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value;
  const [id = ''] = idsIn(email.messageId);
  const sender = email.from?.address ?? '';
  const bounces = bouncesIn(email, header('content-type') ?? '');
  const text = email.text?.trim() ? email.text : await textOfHtml(email.html ?? '');
  const references = idsIn(email.references).toReversed();
  return {
    mailId: SAFE_ID.test(id) ? id : `${createHash('sha256').update(raw).digest('hex')}@without-id`,
    sender: isSoleMailAddress(sender) ? sender : null,
    senderName: plainLine(email.from?.name ?? '', MAX_NAME_LENGTH),
    recipients: [...addressesIn(email.to), ...addressesIn(email.cc), email.deliveredTo ?? ''],
    answeredIds: [...new Set([...idsIn(email.inReplyTo), ...references])].slice(0, 50),
    subject: plainLine(email.subject ?? '', MESSAGE_LIMITS.subject),
    text: shorten(plainLines(text, MESSAGE_LIMITS.answer), MESSAGE_LIMITS.answer),
    attachments: email.attachments.slice(0, MAX_ATTACHMENTS).map((attachment, index, { length }) => ({
      fileName: plainLine(attachment.filename ?? '', MAX_NAME_LENGTH) || 'unnamed file',
      mediaType: plainLine(attachment.mimeType, MAX_NAME_LENGTH),
      content: bytesOf(attachment),
      isCut: raw.length >= MAX_MAIL_BYTES && index === length - 1,
    })),
    isAutomatic: bounces !== null || isAutomatic(email, header),
    bounces,
  };
}
