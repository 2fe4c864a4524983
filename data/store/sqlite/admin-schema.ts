import { ADMIN_ROLES } from '../../model/admin-roles.ts';
import { referenceNumbers } from './application-schema.ts';
import { blob, index, integer, sqliteTable, text } from './drizzle.ts';

/** Tables of `app.db` about the team. Times are Unix milliseconds. */

export const admins = sqliteTable('admins', {
  id: text().primaryKey(),
  /** As it was typed. */
  username: text().notNull(),
  /** In NFKC and lower case: two names that look alike are one. */
  usernameKey: text().notNull().unique(),
  email: text(),
  /** Argon2id, in PHC form. */
  passwordHash: text().notNull(),
  role: text({ enum: ADMIN_ROLES }).notNull(),
  /** The TOTP secret, encrypted under the master key (nonce, secret, tag); null where none is set up. */
  totpSecret: blob({ mode: 'buffer' }),
  /** When the first code was proved; null while it is only offered. */
  totpConfirmedAt: integer(),
  /** The time step of the newest code that was taken: no code is taken twice. */
  totpLastStep: integer(),
  createdAt: integer().notNull(),
  changedAt: integer().notNull(),
  /** When it was shut out; null while it may sign in. */
  disabledAt: integer(),
});

export const adminSessions = sqliteTable(
  'admin_sessions',
  {
    /** SHA-256 of the token, in hex. */
    tokenHash: text().primaryKey(),
    /** Names the session in lists, without giving it away. */
    id: text().notNull().unique(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    startedAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    expiresAt: integer().notNull(),
    endedAt: integer(),
    address: text().notNull(),
    /** What the browser calls itself, shortened. */
    userAgent: text().notNull(),
  },
  (table) => [
    index('admin_sessions_admin').on(table.adminId),
    index('admin_sessions_expires').on(table.expiresAt),
  ],
);

/** Codes that stand in for TOTP, each once. */
export const adminRecoveryCodes = sqliteTable(
  'admin_recovery_codes',
  {
    /** SHA-256 of the code, in hex: 120 random bits need no slow hash. */
    codeHash: text().primaryKey(),
    adminId: text()
      .notNull()
      .references(() => admins.id),
    createdAt: integer().notNull(),
    usedAt: integer(),
  },
  (table) => [index('admin_recovery_codes_admin').on(table.adminId)],
);

/** Failed sign-ins, by what they count for: SHA-256 of an account's or an address's name, in hex. */
export const signInFailures = sqliteTable(
  'sign_in_failures',
  {
    subjectHash: text().primaryKey(),
    failures: integer().notNull(),
    lastAt: integer().notNull(),
    /** No sign-in is tried before this moment. */
    blockedUntil: integer().notNull(),
  },
  (table) => [index('sign_in_failures_last').on(table.lastAt)],
);

/** What the team writes to itself about a record. Rows are added, never changed. */
export const recordNotes = sqliteTable(
  'record_notes',
  {
    sequence: integer().primaryKey(),
    id: text().notNull().unique(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    adminId: text().notNull(),
    text: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [index('record_notes_reference').on(table.referenceNumber, table.sequence)],
);
