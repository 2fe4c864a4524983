import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';

export async function writeFolder(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Every row of `app.db` as JSON, by table, except the word tables, which the store fills later from `record_search`. */
type StoredRows = ReadonlyMap<string, readonly string[]>;

export function storedRows(folder: string): StoredRows {
  const reader = openRowReader(folder);
  try {
    return reader.read();
  } finally {
    reader.close();
  }
}

/** `read` returns the same rows again if nothing has been committed since the last read. */
export function openRowReader(folder: string): { read(): StoredRows; close(): void } {
  const client = new Database(join(folder, 'app.db'), { readonly: true });
  let version: unknown;
  let rows: StoredRows = new Map();
  return {
    read() {
      const current = client.pragma('data_version', { simple: true });
      if (version === current) return rows;
      const tables = client
        .prepare<[], { name: string }>(
          "select name from sqlite_master where type = 'table' and name not glob '*_words*' order by name",
        )
        .all();
      const rowsOf = (name: string) => client.prepare<[], unknown>(`select * from "${name}"`).all();
      rows = new Map(tables.map(({ name }) => [name, rowsOf(name).map((row) => JSON.stringify(row))]));
      version = current;
      return rows;
    },
    close: () => void client.close(),
  };
}

interface StoredAuditRecord {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly address: string;
  /** JSON. */
  readonly details: string;
}

/** Oldest first. */
export function auditRecords(folder: string): readonly StoredAuditRecord[] {
  return (storedRows(folder).get('audit_records') ?? []).map((row) => JSON.parse(row));
}
