import { z } from 'zod';
import { isSoleMailAddress } from '../model/mail-address.ts';
import type { ConfigProblem, GivenVariables } from './variable-types.ts';

/** The display name may be empty. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

export interface DeliveryConfig {
  readonly mail: {
    /** `outbox`: emails are not sent. Each email is written to a file in the data folder. */
    readonly transport:
      | { readonly kind: 'outbox' }
      | {
          readonly kind: 'smtp';
          readonly host: string;
          readonly port: number;
          /** True for implicit TLS, false for STARTTLS. */
          readonly isSecure: boolean;
          readonly credentials: { readonly user: string; readonly password: string } | null;
        };
    readonly from: MailAddress;
    readonly teamAddress: string;
  };
  readonly telegram:
    | { readonly kind: 'outbox' }
    | {
        readonly kind: 'bot';
        readonly token: string;
        /** The chat that receives the team's notices. */
        readonly chatId: string;
        /** Chats that may use the team's commands. */
        readonly adminChatIds: readonly string[];
        readonly apiRoot: string;
      };
  /** How the portal receives replies to its emails; null if it does not receive any. */
  readonly inbound: InboundMail | null;
}

interface InboundMail {
  /** The address that replies are sent to. `{reference}` is replaced by the reference number. */
  readonly address: string;
  readonly mailbox: InboundMailbox | null;
  /** The secret with which a mail server signs the emails that it forwards; null if no server forwards emails. */
  readonly webhookSecret: string | null;
}

export interface InboundMailbox {
  readonly host: string;
  readonly port: number;
  /** True for implicit TLS, false for STARTTLS. */
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
  readonly folder: string;
}

const NAMED_ADDRESS = /^(?<name>[^<>"\p{Cc}]*?) *<(?<address>[^<>]*)>$/u;

const sender = z.string().transform((text, context): MailAddress => {
  const { name, address } = NAMED_ADDRESS.exec(text)?.groups ?? { name: '', address: text };
  if (name !== undefined && address !== undefined && isSoleMailAddress(address)) return { name, address };
  context.addIssue(
    'is not an email address. Write it as portal@example.com or BlackDuck <portal@example.com>.',
  );
  return z.NEVER;
});

/** @returns null if a percent sign does not begin a valid escape */
function decodeOrNull(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const smtpUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'smtps:';
  const isBare = url?.hostname !== '' && /^\/?$/.test(`${url?.pathname}${url?.search}${url?.hash}`);
  const [user, password] = [decodeOrNull(url?.username ?? ''), decodeOrNull(url?.password ?? '')];
  if (url === null || !isBare || !/^smtps?:$/.test(url.protocol) || user === null || password === null) {
    context.addIssue(
      'is not an SMTP URL. Write it as smtp://user:password@host:587 or smtps://user:password@host:465, with reserved characters percent-encoded.',
    );
    return z.NEVER;
  }
  const { hostname, port } = url;
  return {
    kind: 'smtp' as const,
    // Removes the brackets of an IPv6 address.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (isSecure ? 465 : 587)),
    isSecure,
    credentials: user === '' ? null : { user, password },
  };
});

const imapUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'imaps:';
  const [user, password, folder] = [url?.username, url?.password, url?.pathname.slice(1)].map((part) =>
    decodeOrNull(part ?? ''),
  );
  if (
    url === null ||
    !url.hostname ||
    !/^imaps?:$/.test(url.protocol) ||
    !user ||
    !password ||
    folder === null
  ) {
    context.addIssue(
      'is not an IMAP URL. Write it as imaps://user:password@host or imap://user:password@host:143/folder, with reserved characters percent-encoded.',
    );
    return z.NEVER;
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (isSecure ? 993 : 143)),
    isSecure,
    user,
    password,
    folder: folder || 'INBOX',
  };
});

const BOT_TOKEN_PATTERN = /^\d+:[\w-]{20,}$/;
/** A group's id is negative. A public channel can also be specified by its @name. */
export const CHAT_ID_PATTERN = /^(-?\d{1,20}|@\w{5,32})$/;
const CHAT_ID_LIST_PATTERN = /^-?\d{1,20}( *, *-?\d{1,20})*$/;

export const DELIVERY_VARIABLES = {
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: sender.default({ name: 'BlackDuck', address: 'portal@example.com' }),
  TEAM_EMAIL: z
    .string()
    .refine(isSoleMailAddress, 'is not an email address. Set it to one address that the whole team reads.')
    .default('team@example.com'),
  IMAP_URL: imapUrl.optional(),
  INBOUND_ADDRESS: z
    .string()
    .refine((text) => isSoleMailAddress(text.replace('{reference}', 'BD-20260102-123456')), {
      error: 'is not an email address. Write it as answers@example.com or answers+{reference}@example.com.',
    })
    .optional(),
  INBOUND_WEBHOOK_SECRET: z
    .string()
    .regex(
      /^[\x21-\x7e]{32,200}$/,
      'is not a secret of 32 to 200 characters. Create one with: openssl rand -hex 32',
    )
    .optional(),
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(BOT_TOKEN_PATTERN, 'is not a bot token. Copy it from @BotFather.')
    .optional(),
  TELEGRAM_CHAT_ID: z
    .string()
    .regex(
      CHAT_ID_PATTERN,
      'is not a Telegram chat id. Set it to the id of the team’s chat, such as -1001234567890.',
    )
    .optional(),
  TELEGRAM_ADMIN_CHAT_IDS: z
    .string()
    .regex(
      CHAT_ID_LIST_PATTERN,
      'is not a list of Telegram chat ids. Separate them with commas, such as -1001234567890,42.',
    )
    .transform((text) => text.split(',').map((chat) => chat.trim()))
    .optional(),
  TELEGRAM_API_ROOT: z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'is not an http(s) URL. Remove it, or set it to your own Bot API server.',
    })
    .default('https://api.telegram.org'),
};

export function deliveryConfig(variables: z.infer<z.ZodObject<typeof DELIVERY_VARIABLES>>): DeliveryConfig {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_CHAT_ID: chatId } = variables;
  return {
    mail: {
      transport: variables.SMTP_URL ?? { kind: 'outbox' },
      from: variables.MAIL_FROM,
      teamAddress: variables.TEAM_EMAIL,
    },
    telegram:
      token && chatId
        ? {
            kind: 'bot',
            token,
            chatId,
            adminChatIds: variables.TELEGRAM_ADMIN_CHAT_IDS ?? [chatId],
            apiRoot: variables.TELEGRAM_API_ROOT,
          }
        : { kind: 'outbox' },
    inbound: variables.INBOUND_ADDRESS
      ? {
          address: variables.INBOUND_ADDRESS,
          mailbox: variables.IMAP_URL ?? null,
          webhookSecret: variables.INBOUND_WEBHOOK_SECRET ?? null,
        }
      : null,
  };
}

/** Each entry: a variable, another variable that it requires, and the end of the error message. */
const REQUIREMENTS = [
  ['SMTP_URL', 'MAIL_FROM', ': it is the sender of emails.'],
  ['SMTP_URL', 'TEAM_EMAIL', ': submissions are sent to it.'],
  ['IMAP_URL', 'INBOUND_ADDRESS', ': people send their replies to it.'],
  ['INBOUND_WEBHOOK_SECRET', 'INBOUND_ADDRESS', ': people send their replies to it.'],
  ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_CHAT_ID', ': the bot sends its notices to it.'],
  ['TELEGRAM_CHAT_ID', 'TELEGRAM_BOT_TOKEN', '. Set both, or neither.'],
  ['TELEGRAM_ADMIN_CHAT_IDS', 'TELEGRAM_BOT_TOKEN', '. Set both, or neither.'],
  ['TELEGRAM_API_ROOT', 'TELEGRAM_BOT_TOKEN', '. Set both, or neither.'],
] as const;

export function deliveryConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const missing = REQUIREMENTS.filter(
    ([set, needed]) => variables[set] !== undefined && variables[needed] === undefined,
  );
  const isInboundUnread =
    variables.INBOUND_ADDRESS !== undefined &&
    variables.IMAP_URL === undefined &&
    variables.INBOUND_WEBHOOK_SECRET === undefined;
  const unreadProblem = {
    variable: 'IMAP_URL',
    message:
      'is not set. INBOUND_ADDRESS needs this variable or INBOUND_WEBHOOK_SECRET. Without either, the portal receives no replies.',
  };
  const problems = missing
    .filter(([, needed], index) => missing.findIndex(([, other]) => other === needed) === index)
    .map(([set, variable, ending]) => ({
      variable,
      message: `is not set. It is needed with ${set}${ending}`,
    }));
  return isInboundUnread ? [...problems, unreadProblem] : problems;
}
