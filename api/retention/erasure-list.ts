import { appendFile, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { ErasureSubject } from '../../data/store/erasure-port.ts';
import { keyedDigest, type MasterKey } from '../documents/master-key.ts';

/*
 * The erasures that a restore has to repeat. The list is a separate file next to `app.db`, because a backup of `app.db`
 * cannot contain later erasures. The list contains only keyed digests of mailboxes and wallets, so nobody without the master
 * key can check whether a person is in it.
 */

interface ErasureListOptions {
  /** The data folder. */
  readonly folder: string;
  readonly masterKey: MasterKey;
}

const listedErasure = z.object({
  /** Unix ms. */
  at: z.number(),
  /** The id of the erasure's audit record. A copy of `app.db` with this record no longer contains the erased data. */
  auditRecord: z.string(),
  /** The id of the master key that the digests depend on. */
  masterKey: z.string(),
  mailbox: z.string().nullable(),
  wallet: z.string().nullable(),
});
type ListedErasure = Readonly<z.infer<typeof listedErasure>>;

export const ERASURE_LIST = 'erasures.jsonl';
const MODE = 0o600;

function subjectDigests(masterKey: MasterKey) {
  const keyedHash = keyedDigest(masterKey, 'erased subjects');
  const digest = (kind: string, text: string) => keyedHash(`${kind}\n${text}`).toString('hex');
  return {
    mailboxDigest: (email: string) => digest('mailbox', mailboxOf(email)),
    walletDigest: (address: string) => digest('wallet', address),
  };
}

/** Adds an erasure to the list, flushed to disk. Call this before erasing, so that no interruption leaves an erasure unlisted. */
export async function recordErasure(
  { folder, masterKey }: ErasureListOptions,
  { email, walletAddress }: ErasureSubject,
  { auditRecord, at }: Pick<ListedErasure, 'auditRecord' | 'at'>,
): Promise<void> {
  const { mailboxDigest, walletDigest } = subjectDigests(masterKey);
  const entry: ListedErasure = {
    at,
    auditRecord,
    masterKey: masterKey.id,
    mailbox: email === null ? null : mailboxDigest(email),
    wallet: walletAddress === null ? null : walletDigest(walletAddress),
  };
  const file = join(folder, ERASURE_LIST);
  const list = await readList(folder);
  // Removes a partly written last line, which would form one unreadable line with the new entry.
  if (!list.endsWith('\n') && list !== '') await truncate(file, list.lastIndexOf('\n') + 1);
  await appendFile(file, `${JSON.stringify(entry)}\n`, { mode: MODE, flush: true });
}

interface ErasedSubjects {
  readonly auditRecordIds: readonly string[];
  /** The audit record ids of the erasures that were listed under this master key. Other erasures cannot be repeated. */
  readonly repeatableIds: readonly string[];
  /** The audit record ids of a person's erasures, oldest first. */
  erasuresOf(subject: ErasureSubject): readonly string[];
}

async function readList(folder: string): Promise<string> {
  return readFile(join(folder, ERASURE_LIST), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
}

/** A partly written last line is skipped, because its erasure never began. */
function entriesOf(list: string): readonly ListedErasure[] {
  return list
    .split('\n')
    .slice(0, -1)
    .map((line) => listedErasure.parse(JSON.parse(line)));
}

/** @throws if the text is not a list of erasures */
export function checkErasures(list: string): void {
  entriesOf(list);
}

/** Adds the erasures that are only in `lists` to the list in the folder, and flushes that list to disk. */
export async function mergeErasures(folder: string, lists: readonly string[]): Promise<void> {
  const ownEntries = entriesOf(await readList(folder));
  const byRecord = new Map(
    [...lists.flatMap(entriesOf), ...ownEntries].map((entry) => [entry.auditRecord, entry]),
  );
  if (byRecord.size === ownEntries.length) return;
  const file = join(folder, ERASURE_LIST);
  // Not sorted by time: each list is already in the order of its erasures, and a clock may have been wrong.
  const lines = [...byRecord.values()].map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(`${file}.new`, lines.join(''), { mode: MODE, flush: true });
  await rename(`${file}.new`, file);
}

export async function readErasures(folder: string, masterKey: MasterKey | null): Promise<ErasedSubjects> {
  const entries = entriesOf(await readList(folder));
  const readable = entries.filter((entry) => entry.masterKey === masterKey?.id);
  const recordsOf = (key: 'mailbox' | 'wallet') => {
    const entriesByDigest = Map.groupBy(readable, (entry) => entry[key]);
    return (digest: string) => (entriesByDigest.get(digest) ?? []).map(({ auditRecord }) => auditRecord);
  };
  const [recordsOfMailbox, recordsOfWallet] = [recordsOf('mailbox'), recordsOf('wallet')];
  const digests = masterKey && subjectDigests(masterKey);
  return {
    auditRecordIds: entries.map(({ auditRecord }) => auditRecord),
    repeatableIds: readable.map(({ auditRecord }) => auditRecord),
    erasuresOf: ({ email, walletAddress }) => [
      ...(email !== null && digests ? recordsOfMailbox(digests.mailboxDigest(email)) : []),
      ...(walletAddress !== null && digests ? recordsOfWallet(digests.walletDigest(walletAddress)) : []),
    ],
  };
}
