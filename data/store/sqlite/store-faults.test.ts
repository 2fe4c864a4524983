import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { storeFault } from './store-faults.ts';
import { APP_FILE, INDEX_FILE } from './store-files.ts';

const faultOf = (code: string, kind = INDEX_FILE) =>
  storeFault('/data/index.db', kind, new Database.SqliteError('in SQLite’s words', code));

describe('a fault of a store file', () => {
  it.each([
    ['SQLITE_NOTADB', /not a database of this portal.*DATA_DIR/],
    ['SQLITE_CORRUPT', /damaged.*--rebuild/],
    ['SQLITE_CORRUPT_INDEX', /damaged.*--rebuild/],
    ['SQLITE_FULL', /disk is full.*Free some space/],
    ['SQLITE_BUSY', /locked by another process.*End it/],
    ['SQLITE_BUSY_RECOVERY', /locked by another process/],
    ['SQLITE_CANTOPEN', /cannot be opened or written.*writable.*DATA_DIR/],
    ['SQLITE_READONLY_DBMOVED', /cannot be opened or written/],
    ['SQLITE_IOERR_WRITE', /disk answers with errors.*Check the disk/],
  ])('%s names the file and says what to do', (code, words) => {
    const fault = faultOf(code);
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(String(fault)).toMatch(words);
    expect(String(fault)).toContain('/data/index.db');
    expect(String(fault)).toContain(code);
  });

  it('that damaged what cannot be made again says to take the backup', () => {
    expect(String(faultOf('SQLITE_CORRUPT', APP_FILE))).toMatch(/backup/);
  });

  it.each([
    [
      'a broken constraint',
      new Database.SqliteError('NOT NULL constraint failed', 'SQLITE_CONSTRAINT_NOTNULL'),
    ],
    ['any other error', new TypeError('oh')],
  ])('is told from a fault of the program: %s stays what it is', (_, error) => {
    expect(storeFault('/data/index.db', INDEX_FILE, error)).toBe(error);
  });
});
