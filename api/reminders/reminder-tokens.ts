import { keyedDigest, type MasterKey } from '../documents/master-key.ts';
import { isEqualSecret } from '../security/equal-secret.ts';

/** What a link to the bot connects a chat to: a reminder (identified by its subscription's id) or a record. */
type ChatLink =
  | { readonly kind: 'reminder'; readonly id: string }
  | { readonly kind: 'record'; readonly referenceNumber: string; readonly issuedAt: number };

/** The tokens in links that confirm or stop reminders, and in links to the bot. They are signed, not stored. */
export interface ReminderTokens {
  /** Proves that the person can read the mailbox. @param id the subscription's id */
  readonly confirmationToken: (id: string) => string;
  /** Never expires, so that the link works in old emails too. */
  readonly stopToken: (id: string) => string;
  /** @returns the subscription's id; null if the token is not valid */
  readonly readConfirmation: (token: string) => string | null;
  readonly readStop: (token: string) => string | null;
  /** The parameter of a link to the bot: at most 64 characters, all of them letters, digits, `_` or `-`. */
  readonly chatToken: (link: ChatLink) => string;
  readonly readChat: (token: string) => ChatLink | null;
}

/** How many characters of the signature a link to the bot contains. They hold at least 128 bits. */
const SIGNATURE_LENGTH = 22;
const RECORD = /^(BD-\d{8}-\d{6})-([0-9a-z]{8})$/;

export function reminderTokens(masterKey: MasterKey): ReminderTokens {
  const digest = keyedDigest(masterKey, 'subscriptions');
  const sign = (purpose: string, text: string) => digest(`${purpose} ${text}`).toString('base64url');
  const signedToken = (purpose: string, id: string) => `${id}.${sign(purpose, id)}`;
  const readId = (purpose: string, token: string): string | null => {
    const id = token.slice(0, Math.max(0, token.lastIndexOf('.')));
    return isEqualSecret(token, signedToken(purpose, id)) ? id : null;
  };
  const chatText = (link: ChatLink) =>
    link.kind === 'reminder'
      ? link.id
      : `${link.referenceNumber}-${link.issuedAt.toString(36).padStart(8, '0')}`;
  const signedChatToken = (text: string) => `${text}${sign('chat', text).slice(0, SIGNATURE_LENGTH)}`;
  return {
    confirmationToken: (id) => signedToken('confirm', id),
    stopToken: (id) => signedToken('stop', id),
    readConfirmation: (token) => readId('confirm', token),
    readStop: (token) => readId('stop', token),
    chatToken: (link) => signedChatToken(chatText(link)),
    readChat: (token) => {
      const text = token.slice(0, -SIGNATURE_LENGTH);
      if (text === '' || !isEqualSecret(token, signedChatToken(text))) return null;
      const [, referenceNumber, issuedAt = ''] = RECORD.exec(text) ?? [];
      return referenceNumber === undefined
        ? { kind: 'reminder', id: text }
        : { kind: 'record', referenceNumber, issuedAt: Number.parseInt(issuedAt, 36) };
    },
  };
}
