import { mailboxOf } from '../../model/mail-address.ts';
import type { ErasureCounts, ErasureStore, ErasureSubject, PersonalData } from '../erasure-port.ts';
import type { SavedFilter } from '../filter-port.ts';
import { isFileToSendSql } from '../rules/conversation.ts';
import { type Deletion, documentDeletionRecord, MESSAGE_FILE } from '../rules/deletion-records.ts';
import { filtersWithNames } from '../rules/personal-rows.ts';
import type { Database, Queries, Transaction, Value } from './database.ts';
import {
  ANSWERED_RECORDS,
  DELETE_FILES,
  EARLIER_ADDRESSES,
  ERASE_STATEMENTS,
  INVITATIONS,
  LOCK_STATEMENTS,
  PERSON_FACTS,
  PERSON_RECORDS,
  type PersonSql,
  RECEIVED_MESSAGES,
  RECORD_NAMES,
  SAVED_FILTERS,
} from './erased-rows.ts';
import type { SearchWords } from './record-search.ts';

type Person = { readonly [Name in PersonSql['names'][number]]?: Value };

type FoundRecord = PersonalData['records'][number];

interface PersonFacts {
  readonly counts: ErasureCounts;
  readonly wallets: readonly string[];
  readonly deliveries: readonly string[];
  readonly liveCards: number;
  readonly adminMails: readonly string[];
}

/**
 * Prepares a function that deletes a record's documents and the files of its messages, with an audit record for each. It
 * keeps files that are still to be sent.
 */
export function prepareDocumentDeletion({ statement }: Database) {
  const remove = statement<{ kind: string; contentHash: string }>(
    'delete from $.loan_documents where "referenceNumber" = $1 returning kind, "contentHash"',
  );
  const removeFiles = statement<{ kind: string; contentHash: string }>(
    `delete from $.message_files f where "referenceNumber" = $1 and not ${isFileToSendSql('$.')}
     returning '${MESSAGE_FILE}' as kind, "contentHash"`,
  );
  return async (transaction: Transaction, referenceNumber: string, deletion: Deletion): Promise<number> => {
    const deleted = [
      ...(await transaction.all(remove, referenceNumber)),
      ...(await transaction.all(removeFiles, referenceNumber)),
    ];
    for (const document of deleted)
      transaction.record(documentDeletionRecord(referenceNumber, document, deletion));
    return deleted.length;
  };
}
export type DeleteDocuments = ReturnType<typeof prepareDocumentDeletion>;

const preparePersonSql =
  (db: Database) =>
  <Row extends object>({ text, names }: PersonSql) => {
    const statement = db.statement<Row>(text);
    return (queries: Queries, person: Person) =>
      queries.all(statement, ...names.map((name) => person[name] ?? null));
  };

export function prepareEraseAll(db: Database) {
  const eraseSteps = ERASE_STATEMENTS.map(preparePersonSql(db));
  return async (transaction: Transaction, person: Person): Promise<void> => {
    for (const erase of eraseSteps) await erase(transaction, person);
  };
}

export function openErasures(
  db: Database,
  deleteDocuments: DeleteDocuments,
  searchWords: SearchWords,
): ErasureStore {
  const prepare = preparePersonSql(db);
  const readRecords = prepare<FoundRecord>(PERSON_RECORDS);
  const readInvitations = prepare<{ id: string; email: string }>(INVITATIONS);
  const readReceived = prepare<{ id: string; sender: string }>(RECEIVED_MESSAGES);
  const readAddresses = prepare<{ email: string }>(EARLIER_ADDRESSES);
  const readNames = prepare<{ name: string }>(RECORD_NAMES);
  const readFilters = prepare<Pick<SavedFilter, 'id' | 'name' | 'view'>>(SAVED_FILTERS);
  const readAnswered = prepare<FoundRecord>(ANSWERED_RECORDS);
  const deleteFiles = prepare<{ referenceNumber: string; contentHash: string }>(DELETE_FILES);
  const readFacts = prepare<PersonFacts>(PERSON_FACTS);
  const lockSteps = LOCK_STATEMENTS.map(prepare);
  const eraseAll = prepareEraseAll(db);

  async function find(
    queries: Queries,
    { email, walletAddress: wallet }: ErasureSubject,
    locksRecords: boolean,
  ): Promise<{ readonly found: PersonalData; readonly person: Person }> {
    const mailbox = email === null ? null : mailboxOf(email);
    const received = mailbox === null ? [] : await readReceived(queries, {});
    const messages = received.filter(({ sender }) => mailboxOf(sender) === mailbox).map(({ id }) => id);
    const allInvitations = mailbox === null ? [] : await readInvitations(queries, {});
    const invitations = allInvitations.filter((one) => mailboxOf(one.email) === mailbox).map(({ id }) => id);
    const addresses = mailbox === null ? [] : await readAddresses(queries, {});
    const earlierAddresses = addresses.map(({ email }) => email).filter((one) => mailboxOf(one) === mailbox);
    const read = async () => {
      const all = await readRecords(queries, { email, mailbox, wallet });
      const references = [...all.map(({ referenceNumber }) => referenceNumber), ...invitations];
      const person: Person = { references, wallet, email, mailbox, messages, earlierAddresses };
      return { all, person };
    };
    let { all: foundRecords, person } = await read();
    // A merge may have added records before the locks were taken. Locks are taken again until no more records are found.
    for (let lockedCount = 0; locksRecords && foundRecords.length > lockedCount; ) {
      lockedCount = foundRecords.length;
      for (const lock of lockSteps) await lock(queries, person);
      ({ all: foundRecords, person } = await read());
    }
    const names = (await readNames(queries, person)).map(({ name }) => name);
    const filters = filtersWithNames(await readFilters(queries, {}), names);
    person = { ...person, filters };
    const [storedFacts] = await readFacts(queries, person);
    if (!storedFacts) throw new Error('The query for a person returned no row.');
    const { counts, wallets, deliveries, liveCards, adminMails } = storedFacts;
    return {
      person,
      found: {
        records: foundRecords,
        counts,
        otherWallets: wallets.filter((named) => named !== wallet),
        kept: {
          liveCards,
          adminAccounts: adminMails.filter((admin) => mailboxOf(admin) === mailbox).length,
        },
        deliveries,
      },
    };
  }

  return {
    find: async (subject) => (await find(db, subject, false)).found,
    erase: (subject, at, recordOf) =>
      db.transaction([], async (transaction) => {
        const { found, person } = await find(transaction, subject, true);
        const record = recordOf(found);
        const { actor, address = null } = record;
        const deletion = { at, actor, address, why: 'erasure' } as const;
        const answered = await readAnswered(transaction, person);
        // Locked, so that no message is stored while search words are written.
        const answeredReferences = answered.map(({ referenceNumber }) => referenceNumber);
        for (const lock of lockSteps) await lock(transaction, { references: answeredReferences });
        for (const { referenceNumber } of found.records) {
          await deleteDocuments(transaction, referenceNumber, deletion);
        }
        for (const { referenceNumber, contentHash } of await deleteFiles(transaction, person)) {
          const file = { kind: MESSAGE_FILE, contentHash };
          transaction.record(documentDeletionRecord(referenceNumber, file, deletion));
        }
        await eraseAll(transaction, { ...person, at });
        for (const { referenceNumber, kind } of answered) {
          await searchWords.update(transaction, kind, referenceNumber);
        }
        transaction.record(record);
        return found;
      }),
  };
}
