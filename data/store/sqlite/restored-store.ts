import type Database from 'better-sqlite3';
import { mayActAs } from '../../model/admin-rules.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { ErasureSubject } from '../erasure-port.ts';
import { rowId } from '../row-id.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { admins } from './app-schema.ts';
import { checkAuditTrail, prepareAuditStatements } from './audit-trail.ts';
import { drizzle } from './drizzle.ts';
import { openErasures, prepareDocumentDeletion } from './erasure-store.ts';
import { createGroupCommit } from './group-commit.ts';
import { openForReading, openForWriting } from './open-database.ts';
import { APP_FILE } from './store-files.ts';

type AdminRow = typeof admins.$inferSelect;

export interface RestoreChanges {
  /** The name of the copy. */
  readonly copy: string;
  /** Unix ms. */
  readonly at: number;
  /** Accepts a copy whose audit trail was changed. */
  readonly isForced: boolean;
  /** Whether the copy is the newest state of the portal. If so, accounts that the replaced file lacks keep their passwords. */
  readonly isNewest: boolean;
  /** The hash of a password that nobody knows. */
  readonly lockedHash: string;
  /** The list of erasures: the ids of all their audit records, and the ids of the audit records about one person. */
  readonly erasures: {
    readonly auditRecords: readonly string[];
    erasuresOf(subject: ErasureSubject): readonly string[];
  };
}

export interface RestoreOutcome {
  /** The newest hash of the audit trail in the copy, and in the replaced file; null if there is none or it cannot be trusted. */
  readonly copyHead: string | null;
  readonly replacedHead: string | null;
  /** Whether the trail of the copy is intact. */
  readonly isTrailIntact: boolean;
  readonly sessionsEnded: number;
  /**
   * How many loan applications keep their documents, because they were, or may have been, confirmed or decided after the copy
   * was made.
   */
  readonly confirmationsKept: number;
  readonly erasuresRepeated: number;
  /** Erasures of the replaced file that are missing in the copy and on the list. */
  readonly erasuresLost: number;
  /** Usernames of the accounts that need a new password. */
  readonly lockedAccounts: readonly string[];
}

/** The data of the replaced file that a restore must not undo. */
interface ReplacedData {
  readonly head: string | null;
  readonly accounts: ReadonlyMap<string, AdminRow>;
  /** Hashes of the recovery codes that still work. */
  readonly openCodes: ReadonlySet<string>;
  readonly erasures: readonly string[];
  /** The loan applications that were decided or confirmed, with the time (Unix ms) at which the mailbox was confirmed. */
  readonly settled: ReadonlyMap<string, number | null>;
}

const OPEN_CODES = 'select codeHash from admin_recovery_codes where usedAt is null';
const ERASURES_QUERY = "select id from audit_records where action = 'person.erased'";

const SETTLED_LOANS = `select referenceNumber, mailboxConfirmedAt from loan_applications
  where mailboxConfirmedAt is not null or decidedAt is not null`;

const column = (client: Database.Database, sql: string) => client.prepare<[], string>(sql).pluck().all();

/** Reads the replaced file; null if it is missing, damaged or of an older version, or its audit trail was changed. */
function readReplaced(file: string): ReplacedData | null {
  let client: Database.Database | undefined;
  try {
    const { head, broken } = checkAuditTrail(file);
    if (broken !== null) return null;
    ({ client } = openForReading(file, APP_FILE));
    const accounts = drizzle({ client }).select().from(admins).all();
    return {
      head,
      accounts: new Map(accounts.map((account) => [account.id, account])),
      openCodes: new Set(column(client, OPEN_CODES)),
      erasures: column(client, ERASURES_QUERY),
      settled: new Map(client.prepare<[], [string, number | null]>(SETTLED_LOANS).raw().all()),
    };
  } catch {
    return null;
  } finally {
    client?.close();
  }
}

const EMAILS_QUERY = `select mailbox from reference_numbers where mailbox is not null
  union select email from card_applications union select email from verification_requests
  union select email from contact_messages union select email from loan_applications
  union select email from address_corrections`;
const WALLETS_QUERY = [
  'card_applications',
  'verification_requests',
  'contact_messages',
  'wallet_sessions',
  'proof_challenges',
  'proven_wallets',
  'whitelisted_wallets',
  'cards',
]
  .map((table) => `select walletAddress from ${table} where walletAddress is not null`)
  .join(' union ');

const hasSameCredentials = (a: AdminRow, b: AdminRow) =>
  a.passwordHash === b.passwordHash &&
  a.totpConfirmedAt === b.totpConfirmedAt &&
  (a.totpSecret === null ? b.totpSecret === null : b.totpSecret?.equals(a.totpSecret) === true);

/**
 * Redoes in a copy what restoring it would undo: ended sessions, changed passwords, deactivated accounts and erasures.
 * Records the restore.
 * @param file the copy, at a path where no portal uses it
 * @param replacedFile the file that it replaces, which may be missing or damaged
 * @throws {StoreUnavailableError} when the audit trail of the copy was changed, and `isForced` is false
 */
export async function adaptRestored(
  file: string,
  replacedFile: string,
  changes: RestoreChanges,
): Promise<RestoreOutcome> {
  const client = openForWriting(file, APP_FILE);
  try {
    const { head: copyHead, broken } = checkAuditTrail(file);
    if (broken !== null && !changes.isForced) {
      throw new StoreUnavailableError(
        `The audit trail of ${changes.copy} was changed at record ${broken.sequence}. Use another backup, or add: --force ${changes.copy}`,
      );
    }
    const replaced = readReplaced(replacedFile);
    const knownErasures = new Set(column(client, ERASURES_QUERY));
    const listed = new Set(changes.erasures.auditRecords);
    const isLost = (id: string) => !knownErasures.has(id) && !listed.has(id);
    const outcome = {
      copyHead,
      replacedHead: replaced?.head ?? null,
      isTrailIntact: broken === null,
      sessionsEnded: endSessions(client, changes.at),
      lockedAccounts: restrictAccounts(client, replaced, changes),
      confirmationsKept: keepConfirmations(client, replaced, changes),
      erasuresRepeated: await repeatErasures(client, knownErasures, changes),
      erasuresLost: replaced?.erasures.filter(isLost).length ?? 0,
    };
    const { lockedAccounts, ...details } = outcome;
    const { copy, at, isForced } = changes;
    prepareAuditStatements(drizzle({ client })).append({
      ...systemRecord('store.restored', at),
      details: { copy, isForced, ...details, accountsLocked: lockedAccounts.length },
    });
    return outcome;
  } finally {
    client.pragma('journal_mode = DELETE');
    client.close();
  }
}

function systemRecord(action: string, at: number): AuditRecord {
  return { id: rowId(at), at, actor: 'operator', action, details: {} };
}

/** @returns the number of sessions; open sign-in messages are not counted */
function endSessions(client: Database.Database, at: number): number {
  client.prepare('update proof_challenges set usedAt = ? where usedAt is null').run(at);
  const ended = ['admin_sessions', 'wallet_sessions'].map(
    (table) => client.prepare(`update ${table} set endedAt = ? where endedAt is null`).run(at).changes,
  );
  return ended.reduce((sum, count) => sum + count, 0);
}

/** @returns the usernames of the accounts that need a new password */
function restrictAccounts(
  client: Database.Database,
  replaced: ReplacedData | null,
  { at, isNewest, lockedHash }: RestoreChanges,
): readonly string[] {
  const update = client.prepare(
    `update admins set passwordHash = :passwordHash, role = :role, disabledAt = :disabledAt,
     totpLastStep = :totpLastStep, changedAt = :at where id = :id`,
  );
  const useCode = client.prepare(
    'update admin_recovery_codes set usedAt = ? where codeHash = ? and usedAt is null',
  );
  const locked: string[] = [];
  for (const account of drizzle({ client }).select().from(admins).all()) {
    const now = replaced?.accounts.get(account.id);
    const isLocked = now ? !hasSameCredentials(account, now) : !isNewest;
    if (isLocked) locked.push(account.username);
    update.run({
      id: account.id,
      at,
      passwordHash: isLocked ? lockedHash : account.passwordHash,
      role: now && mayActAs(account.role, now.role) ? now.role : account.role,
      disabledAt: account.disabledAt ?? now?.disabledAt ?? null,
      totpLastStep: now?.totpLastStep ?? account.totpLastStep,
    });
  }
  for (const code of column(client, OPEN_CODES)) {
    if (replaced ? !replaced.openCodes.has(code) : !isNewest) useCode.run(at, code);
  }
  return locked;
}

/**
 * Keeps the documents of applications that were confirmed or decided after the copy was made. If the replaced file cannot be
 * read, that may be true of any application, so all documents are kept. Other applications keep their deadline.
 * @returns the number of applications
 */
function keepConfirmations(
  client: Database.Database,
  replaced: ReplacedData | null,
  { isNewest }: RestoreChanges,
): number {
  if (isNewest) return 0;
  const keep = client.prepare(
    'update loan_applications set confirmBy = null, mailboxConfirmedAt = ? where referenceNumber = ?',
  );
  const open = column(client, 'select referenceNumber from loan_applications where confirmBy is not null');
  const kept = open.filter((reference) => replaced === null || replaced.settled.has(reference));
  for (const reference of kept) keep.run(replaced?.settled.get(reference) ?? null, reference);
  return kept.length;
}

/** @returns how many erasures were repeated: erasures on the list that the copy lacks, about people with data in the copy */
async function repeatErasures(
  client: Database.Database,
  known: ReadonlySet<string>,
  { at, erasures }: RestoreChanges,
): Promise<number> {
  const audit = prepareAuditStatements(drizzle({ client }));
  const group = createGroupCommit(client, APP_FILE);
  const store = openErasures(client, audit, prepareDocumentDeletion(client, audit), group);
  const repeated = new Set<string>();
  const subjects: readonly ErasureSubject[] = [
    ...column(client, EMAILS_QUERY).map((email) => ({ email, walletAddress: null })),
    ...column(client, WALLETS_QUERY).map((walletAddress) => ({ email: null, walletAddress })),
  ];
  for (const subject of subjects) {
    const since = erasures.erasuresOf(subject).filter((id) => !known.has(id));
    const [first] = since;
    if (first === undefined) continue;
    for (const id of since) repeated.add(id);
    await store.erase(subject, at, ({ records, counts }) => ({
      ...systemRecord('person.erased', at),
      details: { request: 'restore', repeats: first, records: records.length, ...counts },
    }));
  }
  return repeated.size;
}
