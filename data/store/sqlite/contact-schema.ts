import { CONTACT_CATEGORIES } from '../../model/submission-status.ts';
import { referenceNumbers } from './application-schema.ts';
import { index, integer, sqliteTable, text } from './drizzle.ts';

/** What people write to support. Times are Unix milliseconds. */
export const contactMessages = sqliteTable(
  'contact_messages',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .unique()
      .references(() => referenceNumbers.referenceNumber),
    name: text().notNull(),
    email: text().notNull(),
    subject: text(),
    category: text({ enum: CONTACT_CATEGORIES }),
    message: text().notNull(),
    walletAddress: text(),
    createdAt: integer().notNull(),
  },
  (table) => [index('contact_messages_created').on(table.createdAt)],
);
