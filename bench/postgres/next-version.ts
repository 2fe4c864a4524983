import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The default `DATA_DIR`. It is not copied, because it may be large and a running portal changes it. */
const DEFAULT_DATA_DIR = join(ROOT, 'data/var');
const MIGRATIONS = 'data/store/postgres/migrations';

/** The tables that the migrations of one part (`app` or `index`) create. */
function tablesOf(part: string): readonly string[] {
  const folder = join(ROOT, MIGRATIONS, part);
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/create table \$\.(\w+)/g)].map(([, name = '']) => name));
}

/**
 * Copies the programs into a folder as the next version, with one more migration for `app` and one for `index`. Each migration
 * adds a column to every existing table, and creates a table and an index.
 */
export function writeNextVersion(folder: string): void {
  for (const name of ['api', 'data', 'indexer', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => path !== DEFAULT_DATA_DIR && !/\.test\.tsx?$/.test(path),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const part of ['app', 'index']) {
    const statements = tablesOf(part).map((table) => `alter table $.${table} add "addedLater" text;`);
    statements.push(
      `create table $.added_later_to_${part} (id integer primary key);`,
      `create index ${part}_added_later on $.${part === 'app' ? 'contact_messages' : 'events'} ("addedLater");`,
    );
    const file = join(folder, MIGRATIONS, part, '9999_added_later.sql');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, statements.join('\n'));
  }
}
