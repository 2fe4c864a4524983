import type Database from 'better-sqlite3';
import { mayActAs } from '../../model/admin-rules.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { ErasureSubject } from '../erasure-port.ts';
import { rowId } from '../row-id.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { admins } from './app-schema.ts';
import { checkAuditTrail, prepareAuditStatements } from './audit-trail.ts';
import { drizzle } from './drizzle.ts';
import { openErasures, PERSON_EMAILS, PERSON_WALLETS, prepareDocumentDeletion } from './erasure-store.ts';
import { createGroupCommit } from './group-commit.ts';
import { openForReading, openForWriting } from './open-database.ts';
import { APP_FILE } from './store-files.ts';

interface Account extends Readonly<typeof admins.$inferSelect> {
  /** The ids of the account's passkeys, in order. */
  readonly passkeyIds: readonly string[];
}

export interface RestoreOptions {
  /** The name of the copy. */
  readonly copy: string;
  /** The time of the restore, in Unix ms. */
  readonly at: number;
  /** Whether to accept a copy even if its audit trail was tampered with. */
  readonly isForced: boolean;
  /**
   * Whether the copy is the newest state of the portal. If so, accounts that are only in the copy keep their passwords,
   * passkeys and the one-time links that they created.
   */
  readonly isNewest: boolean;
  /** The hash of a password that nobody knows. */
  readonly unusablePasswordHash: string;
  /**
   * The list of erasures, as ids of their audit records. `repeatableIds` are those that were listed under the current
   * master key. `erasuresOf` returns those about one person.
   */
  readonly erasures: {
    readonly auditRecordIds: readonly string[];
    readonly repeatableIds: readonly string[];
    erasuresOf(subject: ErasureSubject): readonly string[];
  };
}

export interface RestoreOutcome {
  /** The newest hash of the audit trail in the copy, and in the replaced file; null if there is none or it cannot be trusted. */
  readonly copyHead: string | null;
  readonly replacedHead: string | null;
  readonly isTrailIntact: boolean;
  readonly sessionsEnded: number;
  /**
   * How many loan applications keep their documents, because they were, or may have been, confirmed or decided after the copy
   * was made.
   */
  readonly confirmationsKept: number;
  readonly erasuresRepeated: number;
  /** How many erasures in the replaced file are neither in the copy nor on the list; null if that is not known. */
  readonly erasuresLost: number | null;
  /** How many passkeys of the copy were, or may have been, removed after the copy was made. */
  readonly passkeysRemoved: number;
  /** How many one-time links in the copy were, or may have been, used or withdrawn after the copy was made. */
  readonly linksEnded: number;
  /** Usernames of the accounts that need a new password. */
  readonly lockedAccounts: readonly string[];
}

/** The data of the replaced file that a restore must not undo. */
interface ReplacedData {
  readonly head: string | null;
  readonly accounts: ReadonlyMap<string, Account>;
  /** Hashes of the recovery codes that still work. */
  readonly unusedCodes: ReadonlySet<string>;
  /** Ids of the one-time links that were neither used nor withdrawn. */
  readonly links: ReadonlySet<string>;
  readonly erasures: readonly string[];
  /** The loan applications that were decided or confirmed, each with the time (Unix ms) of the confirmation, or null. */
  readonly settledLoans: ReadonlyMap<string, number | null>;
}

const UNUSED_CODES_QUERY = 'select codeHash from admin_recovery_codes where usedAt is null';
const LINKS_QUERY = 'select id from admin_links';
/**
 * Repeating an erasure adds an audit record with a new id, or one for each of the person's addresses. `details.repeats`
 * contains the id of the original record.
 */
const ERASURES_QUERY = `select coalesce(details ->> 'repeats', id) from audit_records where action = 'person.erased'`;

const SETTLED_LOANS_QUERY = `select referenceNumber, mailboxConfirmedAt from loan_applications
  where mailboxConfirmedAt is not null or decidedAt is not null`;

const readColumn = (client: Database.Database, sql: string) => client.prepare<[], string>(sql).pluck().all();

function readAccounts(client: Database.Database): readonly Account[] {
  const idsOf = client
    .prepare<[string], string>('select id from admin_passkeys where adminId = ? order by id')
    .pluck();
  const accounts = drizzle({ client }).select().from(admins).all();
  return accounts.map((account) => ({ ...account, passkeyIds: idsOf.all(account.id) }));
}

/** Reads the replaced file; null if it is missing, damaged or of another version, or its audit trail was changed. */
function readReplacedFile(file: string): ReplacedData | null {
  let client: Database.Database | undefined;
  try {
    const { head, broken } = checkAuditTrail(file);
    if (broken !== null) return null;
    ({ client } = openForReading(file, APP_FILE));
    return {
      head,
      accounts: new Map(readAccounts(client).map((account) => [account.id, account])),
      unusedCodes: new Set(readColumn(client, UNUSED_CODES_QUERY)),
      links: new Set(readColumn(client, LINKS_QUERY)),
      erasures: readColumn(client, ERASURES_QUERY),
      settledLoans: new Map(client.prepare<[], [string, number | null]>(SETTLED_LOANS_QUERY).raw().all()),
    };
  } catch {
    return null;
  } finally {
    client?.close();
  }
}

const hasSameCredentials = (a: Account, b: Account) =>
  a.passwordHash === b.passwordHash &&
  a.passkeyIds.join() === b.passkeyIds.join() &&
  a.totpConfirmedAt === b.totpConfirmedAt &&
  (a.totpSecret === null ? b.totpSecret === null : b.totpSecret?.equals(a.totpSecret) === true);

/**
 * Redoes in a copy whatever restoring it would undo: ended sessions, changed passwords, removed passkeys, ended one-time links,
 * deactivated accounts and erasures. Records the restore.
 * @param file the copy, at a path where no portal uses it
 * @param replacedFile the file that the copy replaces, which may be missing or damaged
 * @throws {StoreUnavailableError} when the audit trail of the copy was changed, and `isForced` is false
 */
export async function adaptRestoredCopy(
  file: string,
  replacedFile: string,
  options: RestoreOptions,
): Promise<RestoreOutcome> {
  const client = openForWriting(file, APP_FILE);
  try {
    const { head: copyHead, broken } = checkAuditTrail(file);
    if (broken !== null && !options.isForced) {
      throw new StoreUnavailableError(
        `The audit trail of ${options.copy} was changed at record ${broken.sequence}. Use another backup, or add: --force ${options.copy}`,
      );
    }
    const replaced = readReplacedFile(replacedFile);
    const knownErasures = new Set(readColumn(client, ERASURES_QUERY));
    const listedErasures = new Set(options.erasures.auditRecordIds);
    const isLost = (id: string) => !knownErasures.has(id) && !listedErasures.has(id);
    const outcome = {
      copyHead,
      replacedHead: replaced?.head ?? null,
      isTrailIntact: broken === null,
      sessionsEnded: endSessions(client, options.at),
      ...restrictAccounts(client, replaced, options),
      linksEnded: endLinks(client, replaced, options),
      confirmationsKept: keepConfirmations(client, replaced, options),
      erasuresRepeated: await repeatErasures(client, knownErasures, options),
      erasuresLost: replaced?.erasures.filter(isLost).length ?? (options.isNewest ? 0 : null),
    };
    const { lockedAccounts, ...details } = outcome;
    const { copy, at, isForced } = options;
    prepareAuditStatements(drizzle({ client })).append({
      ...operatorRecord('store.restored', at),
      details: { copy, isForced, ...details, accountsLocked: lockedAccounts.length },
    });
    return outcome;
  } finally {
    client.pragma('journal_mode = DELETE');
    client.close();
  }
}

function operatorRecord(action: string, at: number): AuditRecord {
  return { id: rowId(at), at, actor: 'operator', action, details: {} };
}

function endSessions(client: Database.Database, at: number): number {
  client.prepare('update proof_challenges set usedAt = ? where usedAt is null').run(at);
  client.prepare('delete from passkey_challenges').run();
  const ended = ['admin_sessions', 'wallet_sessions'].map(
    (table) => client.prepare(`update ${table} set endedAt = ? where endedAt is null`).run(at).changes,
  );
  return ended.reduce((sum, count) => sum + count, 0);
}

function restrictAccounts(
  client: Database.Database,
  replaced: ReplacedData | null,
  { at, isNewest, unusablePasswordHash }: RestoreOptions,
): Pick<RestoreOutcome, 'lockedAccounts' | 'passkeysRemoved'> {
  const update = client.prepare(
    `update admins set passwordHash = :passwordHash, role = :role, disabledAt = :disabledAt,
     totpLastStep = :totpLastStep, changedAt = :at where id = :id`,
  );
  const useCode = client.prepare(
    'update admin_recovery_codes set usedAt = ? where codeHash = ? and usedAt is null',
  );
  const removePasskey = client.prepare('delete from admin_passkeys where id = ?');
  const lockedAccounts: string[] = [];
  let passkeysRemoved = 0;
  for (const account of readAccounts(client)) {
    const replacedAccount = replaced?.accounts.get(account.id);
    const isLocked = replacedAccount ? !hasSameCredentials(account, replacedAccount) : !isNewest;
    if (isLocked) {
      lockedAccounts.push(account.username);
      for (const id of account.passkeyIds) {
        if (!replacedAccount?.passkeyIds.includes(id)) passkeysRemoved += removePasskey.run(id).changes;
      }
    }
    update.run({
      id: account.id,
      at,
      passwordHash: isLocked ? unusablePasswordHash : account.passwordHash,
      role:
        replacedAccount && mayActAs(account.role, replacedAccount.role) ? replacedAccount.role : account.role,
      disabledAt: account.disabledAt ?? replacedAccount?.disabledAt ?? null,
      totpLastStep: replacedAccount?.totpLastStep ?? account.totpLastStep,
    });
  }
  for (const code of readColumn(client, UNUSED_CODES_QUERY)) {
    if (replaced ? !replaced.unusedCodes.has(code) : !isNewest) useCode.run(at, code);
  }
  return { lockedAccounts, passkeysRemoved };
}

/** Ends the links that were, or may have been, used or withdrawn after the copy was made. */
function endLinks(
  client: Database.Database,
  replaced: ReplacedData | null,
  { isNewest }: RestoreOptions,
): number {
  const end = client.prepare('delete from admin_links where id = ?');
  const links = client.prepare<[], { id: string; createdBy: string }>(
    'select id, createdBy from admin_links',
  );
  const endedLinks = links
    .all()
    .filter(({ id, createdBy }) => (replaced?.accounts.has(createdBy) ? !replaced.links.has(id) : !isNewest));
  for (const { id } of endedLinks) end.run(id);
  return endedLinks.length;
}

/**
 * Keeps the documents of applications that were confirmed or decided after the copy was made. If the replaced file
 * cannot be read, keeps those of all applications, because any of them may have been confirmed or decided. Other
 * applications keep their deadline. Does nothing if the copy is the newest state of the portal.
 * @returns the number of applications that keep their documents
 */
function keepConfirmations(
  client: Database.Database,
  replaced: ReplacedData | null,
  { isNewest }: RestoreOptions,
): number {
  if (isNewest) return 0;
  const keep = client.prepare(
    'update loan_applications set confirmBy = null, mailboxConfirmedAt = ? where referenceNumber = ?',
  );
  const unconfirmedReferences = readColumn(
    client,
    'select referenceNumber from loan_applications where confirmBy is not null',
  );
  const keptReferences = unconfirmedReferences.filter(
    (reference) => replaced === null || replaced.settledLoans.has(reference),
  );
  for (const reference of keptReferences) keep.run(replaced?.settledLoans.get(reference) ?? null, reference);
  return keptReferences.length;
}

/**
 * Repeats each listed erasure that the copy lacks, if the copy has data about the person. Records all repeatable erasures, so
 * that the next restore does not erase what a person has sent since.
 * @returns the number of repeated erasures
 */
async function repeatErasures(
  client: Database.Database,
  known: ReadonlySet<string>,
  { at, erasures }: RestoreOptions,
): Promise<number> {
  const audit = prepareAuditStatements(drizzle({ client }));
  const group = createGroupCommit(client, APP_FILE);
  const store = openErasures(client, audit, prepareDocumentDeletion(client, audit), group);
  const repeated = new Set<string>();
  const subjects: readonly ErasureSubject[] = [
    ...readColumn(client, PERSON_EMAILS).map((email) => ({ email, walletAddress: null })),
    ...readColumn(client, PERSON_WALLETS).map((walletAddress) => ({ email: null, walletAddress })),
  ];
  for (const subject of subjects) {
    const allErasures = erasures.erasuresOf(subject);
    // Erasures before the last known one are not missing: either they failed, or a later known erasure repeated them.
    const missingErasures = allErasures.slice(allErasures.findLastIndex((id) => known.has(id)) + 1);
    const newest = missingErasures.at(-1);
    if (newest === undefined) continue;
    for (const id of missingErasures) repeated.add(id);
    await store.erase(subject, at, ({ records, counts }) => ({
      ...operatorRecord('person.erased', at),
      details: { request: 'restore', repeats: newest, records: records.length, ...counts },
    }));
  }
  for (const id of erasures.repeatableIds) {
    audit.append({ ...operatorRecord('person.erased', at), id, details: { request: 'restore' } });
  }
  return repeated.size;
}
