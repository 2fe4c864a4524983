import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { openNewApp } from '../testing/new-stores.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openAppStore } from './app-store.ts';
import { acquireWriterLock } from './writer-lock.ts';

describe("the writer's lock", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('is refused to a second writer until it is released', () => {
    const file = join(folder, 'index.db');
    const release = acquireWriterLock(file);
    expect(() => acquireWriterLock(file, 0)).toThrow(StoreUnavailableError);
    release();
    acquireWriterLock(file, 0)();
  });

  it('of app.db is held while the store is open', async () => {
    const file = join(folder, 'app.db');
    const store = await openNewApp(file);
    expect(() => acquireWriterLock(file, 0)).toThrow(StoreUnavailableError);
    await store.close();
    acquireWriterLock(file, 0)();
  });

  it('of an app.db that cannot be opened is released', async () => {
    const file = join(folder, 'broken.db');
    await writeFile(file, 'not a database');
    await expect(openAppStore(file)).rejects.toThrow(StoreUnavailableError);
    acquireWriterLock(file, 0)();
  });

  it('can be taken once the process that held it has been killed', async () => {
    const file = join(folder, 'killed.db');
    const lockModule = new URL('./writer-lock.ts', import.meta.url).href;
    const program = `import { acquireWriterLock } from ${JSON.stringify(lockModule)};
      acquireWriterLock(${JSON.stringify(file)}); globalThis.gc(); console.log('locked'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      const first = await Promise.race([once(child.stdout, 'data').then(String), exited]);
      expect(first).toContain('locked');
      expect(() => acquireWriterLock(file, 0)).toThrow(StoreUnavailableError);
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    acquireWriterLock(file, 0)();
  });

  it('cannot be taken in a missing folder', () => {
    expect(() => acquireWriterLock(join(folder, 'missing', 'index.db'))).toThrow('DATA_DIR');
  });
});
