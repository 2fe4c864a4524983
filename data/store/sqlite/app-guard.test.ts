import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { createAppGuard } from './app-guard.ts';
import { createGroupCommit } from './group-commit.ts';
import { openForWriting } from './open-database.ts';
import { APP_FILE, runInStore } from './store-files.ts';

const FULL = { problem: { kind: 'full' } };

function openLimited() {
  const client: Database.Database = openForWriting(join(temporaryFolder(), 'app.db'), APP_FILE);
  const guard = createAppGuard(client);
  onTestFinished(() => guard.close());
  const group = createGroupCommit(client, APP_FILE);
  const insertTranscript = client.prepare(
    "insert into chat_transcripts (at, question, answer, source) values (1, ?, '', '')",
  );
  const pages = Number(client.pragma('page_count', { simple: true }));
  const limit = (extraPages: number) => client.pragma(`max_page_count = ${pages + extraPages}`);
  const fill = () => insertTranscript.run('x'.repeat(100_000));
  return { client, guard, group, limit, fill };
}

it.each(['a group commit', 'a single call'])(
  'a full disk is detected by %s, and counts as full until a write succeeds',
  async (how) => {
    const { client, guard, group, limit, fill } = openLimited();
    const write = () => (how === 'a group commit' ? group.run(fill) : runInStore(client, APP_FILE, fill));
    limit(0);
    expect(guard.problem()).toBeNull();
    await expect(write()).rejects.toMatchObject(FULL);
    expect(guard.problem()).toEqual({ kind: 'full' });
    await runInStore(client, APP_FILE, () => client.prepare('select count(*) from chat_transcripts').get());
    await group.run(() => client.prepare('delete from chat_transcripts').run());
    expect(guard.problem()).toEqual({ kind: 'full' });
    await expect(write()).rejects.toMatchObject(FULL);
    limit(100);
    await write();
    expect(guard.problem()).toBeNull();
  },
);

it('a full disk is detected if one of the calls in a group commit fails', async () => {
  const { guard, group, limit, fill } = openLimited();
  limit(0);
  const outcomes = await Promise.allSettled([group.run(() => null), group.run(fill)]);
  expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: FULL });
  expect(guard.problem()).toEqual({ kind: 'full' });
});

it.each(['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC'])(
  'a disk that rejects writes is detected, and counts as full until a probe or a write succeeds: %s',
  async (code) => {
    const { client, guard, group, fill } = openLimited();
    const refuse = () => {
      throw new Database.SqliteError('disk I/O error', code);
    };
    await expect(group.run(refuse)).rejects.toMatchObject(FULL);
    expect(guard.problem()).toEqual({ kind: 'full' });
    await group.run(fill);
    expect(guard.problem()).toBeNull();
    await expect(runInStore(client, APP_FILE, refuse)).rejects.toMatchObject(FULL);
    symlinkSync(join(client.name, 'unwritable'), `${client.name}.probe`);
    guard.tryToWrite();
    expect(guard.problem()).toEqual({ kind: 'full' });
    guard.tryToWrite();
    expect(guard.problem()).toBeNull();
  },
);

it('a read error does not count as a full disk', async () => {
  const { client, guard } = openLimited();
  const fail = () => {
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
  };
  await expect(runInStore(client, APP_FILE, fail)).rejects.toMatchObject({ problem: null });
  expect(guard.problem()).toBeNull();
});
