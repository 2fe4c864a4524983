import Database from 'better-sqlite3';

/** One answer by its path. */
export interface StoredAnswer {
  readonly path: string;
  readonly body: string;
}

/** Writes the answers into an SQLite file, one row each: what the peers read from at every request. */
export function writeAnswers(file: string, answers: readonly StoredAnswer[]): void {
  const client = new Database(file);
  client.pragma('journal_mode = wal');
  client.exec('create table answers (path text primary key, body text not null) without rowid');
  const insert = client.prepare('insert into answers values (?, ?)');
  for (const { path, body } of answers) insert.run(path, body);
  client.close();
}

/**
 * How a peer reads an answer: one prepared look-up of the finished text. That is less than reading and joining the rows
 * of a figure and writing them as JSON, so the peers are no slower than a plain server would be.
 */
export function answerReader(file: string): (path: string) => string | undefined {
  const client = new Database(file, { readonly: true });
  const select = client.prepare<[string], string>('select body from answers where path = ?').pluck();
  return (path) => select.get(path);
}
