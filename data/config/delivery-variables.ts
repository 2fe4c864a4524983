import { z } from 'zod';
import { isSoleMailAddress } from '../model/mail-address.ts';

/** The variables about what is told to whom, and where it goes while none of them is set. */

/** A mail address with the name that stands before it; the name is empty where there is none. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

export interface DeliveryConfig {
  readonly mail: {
    /** `outbox`: each mail is a file in the folder of the store files, and nobody is told. */
    readonly transport:
      | { readonly kind: 'outbox' }
      | {
          readonly kind: 'smtp';
          readonly host: string;
          readonly port: number;
          /** TLS from the first byte; else the server is asked for STARTTLS. */
          readonly isSecure: boolean;
          readonly credentials: { readonly user: string; readonly password: string } | null;
        };
    readonly from: MailAddress;
    /** Where the team reads its mail. */
    readonly team: string;
  };
  readonly telegram:
    | { readonly kind: 'outbox' }
    | {
        readonly kind: 'bot';
        readonly token: string;
        /** Where the team reads its notices. */
        readonly chatId: string;
        /** Chats that may use the team's commands. */
        readonly adminChatIds: readonly string[];
        readonly apiRoot: string;
      };
}

const NAMED_ADDRESS = /^(?<name>[^<>"\p{Cc}]*?) *<(?<address>[^<>]*)>$/u;

const SMTP_PORT = 587;
const SMTPS_PORT = 465;

const sender = z.string().transform((text, context): MailAddress => {
  const { name, address } = NAMED_ADDRESS.exec(text)?.groups ?? { name: '', address: text };
  if (name !== undefined && address !== undefined && isSoleMailAddress(address)) return { name, address };
  context.addIssue('is no mail address. Write it as portal@example.com or BlackDuck <portal@example.com>.');
  return z.NEVER;
});

/** Null where a percent sign stands for nothing. */
function decoded(text: string): string | null {
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
  const [user, password] = [decoded(url?.username ?? ''), decoded(url?.password ?? '')];
  if (url === null || !isBare || !/^smtps?:$/.test(url.protocol) || user === null || password === null) {
    context.addIssue(
      'is not an SMTP URL. Write it as smtp://user:password@host:587 or smtps://user:password@host:465, with signs that a URL reserves percent-encoded.',
    );
    return z.NEVER;
  }
  const { hostname, port } = url;
  return {
    kind: 'smtp' as const,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isSecure ? SMTPS_PORT : SMTP_PORT) : Number(port),
    isSecure,
    credentials: user === '' ? null : { user, password },
  };
});

/** Bots are told by a number and a secret. */
const BOT_TOKEN = /^\d+:[\w-]{20,}$/;
/** A group's number is negative; a public channel has a name. */
const CHAT_ID = /^(-?\d{1,20}|@\w{5,32})$/;
const CHAT_NUMBERS = /^-?\d{1,20}( *, *-?\d{1,20})*$/;

export const DELIVERY_VARIABLES = {
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: sender.default({ name: 'BlackDuck', address: 'portal@example.com' }),
  TEAM_EMAIL: z
    .string()
    .refine(isSoleMailAddress, 'is no mail address. Set it to one address that the whole team reads.')
    .default('team@example.com'),
  TELEGRAM_BOT_TOKEN: z.string().regex(BOT_TOKEN, 'is not a bot token. Copy it from @BotFather.').optional(),
  TELEGRAM_CHAT_ID: z
    .string()
    .regex(CHAT_ID, 'is not a chat. Set it to the id of the team’s chat, such as -1001234567890.')
    .optional(),
  TELEGRAM_ADMIN_CHAT_IDS: z
    .string()
    .regex(
      CHAT_NUMBERS,
      'is no list of chats. Write their numbers with commas between, such as -1001234567890,42.',
    )
    .transform((text) => text.split(',').map((chat) => chat.trim()))
    .optional(),
  TELEGRAM_API_ROOT: z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'is not an http(s) URL. Remove it, or set it to a Bot API server of your own.',
    })
    .default('https://api.telegram.org'),
};

const values = z.object(DELIVERY_VARIABLES);

/** What the variables of delivery come to. */
export function deliveryConfig(given: z.infer<typeof values>): DeliveryConfig {
  return {
    mail: {
      transport: given.SMTP_URL ?? { kind: 'outbox' },
      from: given.MAIL_FROM,
      team: given.TEAM_EMAIL,
    },
    telegram:
      given.TELEGRAM_BOT_TOKEN && given.TELEGRAM_CHAT_ID
        ? {
            kind: 'bot',
            token: given.TELEGRAM_BOT_TOKEN,
            chatId: given.TELEGRAM_CHAT_ID,
            adminChatIds: given.TELEGRAM_ADMIN_CHAT_IDS ?? [given.TELEGRAM_CHAT_ID],
            apiRoot: given.TELEGRAM_API_ROOT,
          }
        : { kind: 'outbox' },
  };
}

/** Which variables are of no use, or do harm, without which other. */
const NEEDS = [
  ['SMTP_URL', 'MAIL_FROM', 'It is needed with SMTP_URL: the address that mails come from.'],
  [
    'SMTP_URL',
    'TEAM_EMAIL',
    'It is needed with SMTP_URL: the address where the team reads what people send.',
  ],
  [
    'TELEGRAM_BOT_TOKEN',
    'TELEGRAM_CHAT_ID',
    'It is needed with TELEGRAM_BOT_TOKEN: the chat that the bot tells.',
  ],
  ['TELEGRAM_CHAT_ID', 'TELEGRAM_BOT_TOKEN', 'It is needed with TELEGRAM_CHAT_ID. Set both, or neither.'],
  [
    'TELEGRAM_ADMIN_CHAT_IDS',
    'TELEGRAM_BOT_TOKEN',
    'It is needed with TELEGRAM_ADMIN_CHAT_IDS. Set both, or neither.',
  ],
  ['TELEGRAM_API_ROOT', 'TELEGRAM_BOT_TOKEN', 'It is needed with TELEGRAM_API_ROOT. Set both, or neither.'],
] as const;

/** Variables of delivery that are missing beside those that are set. */
export function deliveryContradictions(
  given: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly fault: string }[] {
  const missing = NEEDS.filter(([set, needed]) => given[set] !== undefined && given[needed] === undefined);
  return missing
    .filter(([, needed], index) => missing.findIndex(([, other]) => other === needed) === index)
    .map(([, variable, why]) => ({ variable, fault: `is not set. ${why}` }));
}
