import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { openAppStore } from './app-store.ts';
import { takeWritersPlace } from './writer-lock.ts';

describe("the writer's place", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'writer-lock-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is refused to a second writer, in words that say what to do', () => {
    const file = join(folder, 'index.db');
    const giveBack = takeWritersPlace(file);
    expect(() => takeWritersPlace(file, { waitMs: 0 })).toThrow(StoreUnavailableError);
    expect(() => takeWritersPlace(file, { waitMs: 0 })).toThrow(/another process.*DATA_DIR/);
    giveBack();
    takeWritersPlace(file, { waitMs: 0 })();
  });

  it('in app.db is taken while it is open', async () => {
    const file = join(folder, 'app.db');
    const store = await openAppStore(file);
    expect(() => takeWritersPlace(file, { waitMs: 0 })).toThrow(/another process/);
    await store.close();
    takeWritersPlace(file, { waitMs: 0 })();
  });

  it('in an app.db that cannot be opened is given back', async () => {
    const file = join(folder, 'broken.db');
    await writeFile(file, 'no database');
    await expect(openAppStore(file)).rejects.toThrow(StoreUnavailableError);
    takeWritersPlace(file, { waitMs: 0 })();
  });

  it('is free again once the process that had it was killed', async () => {
    const file = join(folder, 'killed.db');
    const lockModule = new URL('./writer-lock.ts', import.meta.url).href;
    const program = `import { takeWritersPlace } from ${JSON.stringify(lockModule)};
      takeWritersPlace(${JSON.stringify(file)}); globalThis.gc(); console.log('taken'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      expect(() => takeWritersPlace(file, { waitMs: 0 })).toThrow(StoreUnavailableError);
    } finally {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    takeWritersPlace(file, { waitMs: 0 })();
  });

  it('says that the folder cannot be written where that is so', () => {
    expect(() => takeWritersPlace(join(folder, 'missing', 'index.db'))).toThrow(/cannot be locked/);
  });
});
