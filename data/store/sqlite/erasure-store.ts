import type Database from 'better-sqlite3';
import { ERASED_PARTS, type ErasedPart } from '../../model/erased-parts.ts';
import { mailboxOf } from '../../model/mailbox.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { ErasureCounts, ErasureStore, ErasureSubject, PersonalData } from '../erasure-port.ts';
import type { AuditStatements } from './audit-statements.ts';
import { DELIVERIES_OF, LIVE_CARDS, PART_ROWS, RECORDS_OF, WALLETS_NAMED } from './erased-parts.ts';
import type { GroupCommit } from './group-commit.ts';
import type { DeleteDocuments } from './retention-store.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

const WORD_TABLES = ['application_words', 'contact_words', 'request_words', 'loan_words'];

type Values = Readonly<Record<string, string | number | null>>;

function prepareErasing(client: Database.Database) {
  const counts = ERASED_PARTS.map((part) => {
    const { table, rows } = PART_ROWS[part];
    return [
      part,
      client.prepare<[Values], number>(`select count(*) from ${table} where ${rows}`).pluck(),
    ] as const;
  });
  const erase = Object.entries(PART_ROWS).map(([part, { table, rows, set }]) => {
    const sql = set ? `update ${table} set ${set} where ${rows}` : `delete from ${table} where ${rows}`;
    return [part as ErasedPart, client.prepare<[Values]>(sql)] as const;
  });
  return {
    counts,
    erase,
    records: client.prepare<[Values], PersonalData['records'][number]>(RECORDS_OF),
    wallets: client.prepare<[Values], string>(WALLETS_NAMED).pluck(),
    deliveries: client.prepare<[Values], string>(DELIVERIES_OF).pluck(),
    liveCards: client.prepare<[Values], number>(LIVE_CARDS).pluck(),
    adminMails: client.prepare<[], string>('select email from admins where email is not null').pluck(),
    // A word table only marks an entry as deleted otherwise, and keeps its letters until it merges them away.
    forgetWords: WORD_TABLES.map((table) =>
      client.prepare(`insert into ${table} (${table}, rank) values ('secure-delete', 1)`),
    ),
  };
}

/** The part of `app.db` that finds and erases what is held of a person. */
export function openErasures(
  client: Database.Database,
  {
    audit,
    deleteDocuments,
    group,
  }: {
    readonly audit: AuditStatements;
    readonly deleteDocuments: DeleteDocuments;
    readonly group: GroupCommit;
  },
): ErasureStore {
  const rows = prepareErasing(client);

  const valuesOf = (
    { email, walletAddress }: ErasureSubject,
    references: readonly string[] = [],
  ): Values => ({
    email,
    mailbox: email === null ? null : mailboxOf(email),
    wallet: walletAddress,
    references: JSON.stringify(references),
    at: 0,
  });

  const find = (subject: ErasureSubject): PersonalData => {
    const records = rows.records.all(valuesOf(subject));
    const values = valuesOf(
      subject,
      records.map(({ referenceNumber }) => referenceNumber),
    );
    const counts = Object.fromEntries(
      rows.counts.map(([part, statement]) => [part, statement.get(values) ?? 0]),
    ) as unknown as ErasureCounts;
    const mailbox = values.mailbox;
    return {
      records,
      counts,
      otherWallets: rows.wallets.all(values).filter((wallet) => wallet !== subject.walletAddress),
      kept: {
        liveCards: rows.liveCards.get(values) ?? 0,
        adminAccounts: rows.adminMails.all().filter((email) => mailboxOf(email) === mailbox).length,
      },
      deliveries: rows.deliveries.all(values),
    };
  };

  const erase = (
    subject: ErasureSubject,
    at: number,
    recordOf: (erased: PersonalData) => AuditRecord,
  ): PersonalData => {
    const found = find(subject);
    const references = found.records.map(({ referenceNumber }) => referenceNumber);
    const record = recordOf(found);
    const by = { at, actor: record.actor, address: record.address ?? null, why: 'erasure' };
    for (const statement of rows.forgetWords) statement.run();
    for (const referenceNumber of references) deleteDocuments(referenceNumber, by);
    const values = { ...valuesOf(subject, references), at };
    for (const [, statement] of rows.erase) statement.run(values);
    audit.append(record);
    return found;
  };

  return {
    find: (subject) =>
      inStore(
        client,
        APP_FILE,
        client.transaction(() => find(subject)),
      ),
    erase: (subject, at, recordOf) => group.run(() => erase(subject, at, recordOf)),
  };
}
