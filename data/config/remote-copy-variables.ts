import { z } from 'zod';
import {
  type ConfigProblem,
  type GivenVariables,
  httpUrl,
  problemsIfMissing,
  problemsIfSet,
  wholeNumber,
} from './variable-types.ts';

export interface S3Config {
  readonly kind: 's3';
  /** The URL of the bucket: `https://host/bucket`, or `https://bucket.host`. */
  readonly bucketUrl: string;
  readonly region: string;
  /** The prefix of every object key; empty, or ends with a slash. */
  readonly prefix: string;
  /** How many copies are kept. Null if the bucket's own rules delete old copies. */
  readonly keep: number | null;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface CommandConfig {
  readonly kind: 'command';
  readonly program: string;
  /** The path of the file to copy is appended to these arguments. */
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

export interface RemoteCopyConfig {
  /** Public keys for `age` encryption. The private key of any one of them can decrypt the copies. */
  readonly recipients: readonly string[];
  readonly target: S3Config | CommandConfig;
}

/** One day. */
const MAX_COMMAND_MINUTES = 1_440;

const commandLine = z
  .string()
  .transform((text) => text.trim().split(/\s+/))
  .refine(([program = '']) => program !== '', 'names no program.')
  .refine((parts) => parts.every((part) => !/["'`$|&;<>\\]/.test(part)), {
    error:
      'contains a quote or another shell character, but no shell runs it. Write a program and its arguments, separated by spaces, or the path of a script.',
  });

export const REMOTE_COPY_VARIABLES = {
  BACKUP_RECIPIENT: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .refine((keys) => keys.every((key) => /^age1[02-9ac-hj-np-z]+$/.test(key)), {
      error:
        'is not a public age key, which begins with age1. Generate a key pair with: age-keygen -o backup-key.txt',
    })
    .optional(),
  BACKUP_COMMAND: commandLine.optional(),
  BACKUP_COMMAND_MINUTES: wholeNumber(
    1,
    MAX_COMMAND_MINUTES,
    `is not a number of minutes from 1 to ${MAX_COMMAND_MINUTES}.`,
  ).default(60),
  BACKUP_S3_URL: httpUrl('https://s3.example.com/bucket')
    .refine((text) => /^https?:\/\/[^/?#]+(\/[a-z0-9][a-z0-9.-]+)?$/.test(text), {
      error:
        'is not the URL of a bucket. Write it as https://s3.example.com/bucket or https://bucket.s3.example.com. Folders belong in BACKUP_S3_PREFIX.',
    })
    .optional(),
  BACKUP_S3_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'is not a region, such as eu-central-1.')
    .default('us-east-1'),
  BACKUP_S3_PREFIX: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*\/?$/, 'is not a key prefix, such as portal/backups/.')
    .transform((text) => (text.endsWith('/') ? text : `${text}/`))
    .optional(),
  BACKUP_S3_KEEP: z
    .union([z.literal('off').transform(() => null), wholeNumber(1, 1_000, 'is not a number of copies.')], {
      error: 'is not a number of copies from 1 to 1000, or off if the bucket deletes old copies itself.',
    })
    .default(14),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
};

const COMMAND_ONLY = ['BACKUP_COMMAND_MINUTES'];
const S3_ONLY = ['BACKUP_S3_REGION', 'BACKUP_S3_PREFIX', 'BACKUP_S3_KEEP'];

/** The variables that set where copies go, and those that have no effect without them. */
export const REMOTE_COPY_VARIABLE_NAMES: readonly string[] = [
  'BACKUP_RECIPIENT',
  'BACKUP_COMMAND',
  'BACKUP_S3_URL',
  ...COMMAND_ONLY,
  ...S3_ONLY,
];

export function remoteCopyConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const { BACKUP_COMMAND: command, BACKUP_S3_URL: bucket } = variables;
  const isSet = command !== undefined || bucket !== undefined;
  return [
    ...(isSet
      ? problemsIfMissing(
          variables,
          ['BACKUP_RECIPIENT'],
          'is not set. Backups are encrypted before they leave this machine: set it to the public key that age-keygen prints.',
        )
      : problemsIfSet(variables, ['BACKUP_RECIPIENT'], 'is set without BACKUP_S3_URL or BACKUP_COMMAND.')),
    ...(command !== undefined && bucket !== undefined
      ? problemsIfSet(variables, ['BACKUP_COMMAND'], 'is set with BACKUP_S3_URL. Remove one of them.')
      : []),
    ...(command === undefined
      ? problemsIfSet(variables, COMMAND_ONLY, 'is set without BACKUP_COMMAND.')
      : []),
    ...(bucket === undefined
      ? problemsIfSet(variables, S3_ONLY, 'is set without BACKUP_S3_URL.')
      : problemsIfMissing(
          variables,
          ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
          'is not set. It is needed with BACKUP_S3_URL.',
        )),
  ];
}

function targetOf(
  values: z.infer<z.ZodObject<typeof REMOTE_COPY_VARIABLES>>,
): RemoteCopyConfig['target'] | null {
  if (values.BACKUP_S3_URL !== undefined) {
    return {
      kind: 's3',
      bucketUrl: values.BACKUP_S3_URL,
      region: values.BACKUP_S3_REGION,
      prefix: values.BACKUP_S3_PREFIX ?? '',
      keep: values.BACKUP_S3_KEEP,
      accessKeyId: values.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? '',
    };
  }
  const [program, ...args] = values.BACKUP_COMMAND ?? [];
  if (program === undefined) return null;
  return { kind: 'command', program, args, timeoutMs: values.BACKUP_COMMAND_MINUTES * 60_000 };
}

export function remoteCopyConfig(
  values: z.infer<z.ZodObject<typeof REMOTE_COPY_VARIABLES>>,
): RemoteCopyConfig | null {
  const target = targetOf(values);
  return target && { recipients: values.BACKUP_RECIPIENT ?? [], target };
}
