import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * Every row of every table of `app.db` in a folder, as JSON, by table; but for the word tables, which the store fills by
 * itself from `record_search` a moment after.
 */
export function storedRows(folder: string): ReadonlyMap<string, readonly string[]> {
  const client = new Database(join(folder, 'app.db'), { readonly: true });
  try {
    const tables = client
      .prepare<[], { name: string }>(
        "select name from sqlite_master where type = 'table' and name not glob '*_words*' order by name",
      )
      .all();
    const rowsOf = (name: string) => client.prepare<[], unknown>(`select * from "${name}"`).all();
    return new Map(tables.map(({ name }) => [name, rowsOf(name).map((row) => JSON.stringify(row))]));
  } finally {
    client.close();
  }
}
