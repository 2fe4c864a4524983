import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ContactStore, NewContactMessage } from '../contact-port.ts';
import { contactMessages } from './contact-schema.ts';
import { eq, sql } from './drizzle.ts';
import type { GroupCommit } from './group-commit.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';
import type { TakeSubmission } from './take-submission.ts';

const value = (name: string) => sql.placeholder(name);

function prepareContactStatements(db: BetterSQLite3Database) {
  return {
    add: db
      .insert(contactMessages)
      .values({
        id: value('id'),
        referenceNumber: value('referenceNumber'),
        name: value('name'),
        email: value('email'),
        subject: value('subject'),
        category: value('category'),
        message: value('message'),
        walletAddress: value('walletAddress'),
        createdAt: value('createdAt'),
      })
      .prepare(),
    message: db
      .select()
      .from(contactMessages)
      .where(eq(contactMessages.referenceNumber, value('referenceNumber')))
      .prepare(),
  };
}

/** The part of `app.db` that holds what people write to support. */
export function openContacts(
  client: Database.Database,
  db: BetterSQLite3Database,
  submit: TakeSubmission,
  group: GroupCommit,
): ContactStore {
  const rows = prepareContactStatements(db);

  const submitted = (message: NewContactMessage): Parameters<TakeSubmission>[0] => {
    const { email, category, createdAt: at } = message;
    const addRow = (referenceNumber: string) => void rows.add.run({ ...message, referenceNumber });
    return { kind: 'contact-message', email, at, audited: { category }, addRow };
  };

  return {
    submitMessage: (message, terms) => group.run(() => submit(submitted(message), terms)),
    messageByReference: (referenceNumber) =>
      inStore(client, APP_FILE, () => rows.message.get({ referenceNumber }) ?? null),
  };
}
