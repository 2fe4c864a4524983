import Database from 'better-sqlite3';

/** Whether an error says that a store file is no sound database: trying again is of no use. */
export function isStoreDamage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Database.SqliteError) return /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code);
  }
  return false;
}
