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
  },
  (table) => [index('audit_records_at').on(table.at)],
);
