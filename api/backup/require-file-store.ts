import type { DatabaseConfig } from '../../data/config/database-variables.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';

/** @throws {StartError} with code 78 if the portal stores its data in PostgreSQL, which has its own tools for backups */
export function requireFileStore(database: DatabaseConfig | null): void {
  if (database === null) return;
  throw new StartError(
    'The data is in a PostgreSQL database. Back it up with pg_dump and restore it with pg_restore. To use the SQLite files instead, unset DATABASE_URL.',
    EXIT.configuration,
  );
}
