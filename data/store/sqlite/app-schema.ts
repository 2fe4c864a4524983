import { index, integer, sqliteTable, text } from './drizzle.ts';

/**
 * The tables of `app.db`. Times are Unix milliseconds. After a change:
 * `npx drizzle-kit generate --config data/store/sqlite/drizzle.app.config.ts`.
 */

/** What was done, by whom and when. Rows are added, never changed. */
export const auditRecords = sqliteTable(
  'audit_records',
  {
    /** The order of recording, which breaks ties of time. */
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    at: integer().notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    details: text({ mode: 'json' })
      .$type<Readonly<Record<string, string | number | boolean | null>>>()
      .notNull(),
    /** From where it was done: an admin's network address; null for what the portal or a visitor did. */
    address: text(),
    /** SHA-256, in hex, over the record and the hash before it; null for records older than the chain. */
    hash: text(),
  },
  (table) => [index('audit_records_at').on(table.at)],
);
