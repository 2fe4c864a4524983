import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, property, string, uint8Array } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseEnvironment } from '../../data/config/environment.ts';
import { isDocumentKey } from '../../data/config/storage-variables.ts';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { masterKeyOf, openMasterKey } from './master-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'master-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the master key for documents', () => {
  it('is 32 bytes in base64', () => {
    assert(
      property(uint8Array({ maxLength: 48 }), (bytes) => {
        expect(isDocumentKey(Buffer.from(bytes).toString('base64'))).toBe(bytes.length === 32);
      }),
    );
    assert(
      property(string(), (text) => {
        expect(isDocumentKey(text)).toBe(
          Buffer.from(text, 'base64').toString('base64') === text && text.length === 44,
        );
      }),
    );
  });

  it('is the configured key if there is one, and no file is created', async () => {
    const text = randomBytes(32).toString('base64');
    expect(await openMasterKey(folder, text)).toEqual(masterKeyOf(text));
    expect(await readdir(folder)).toEqual([]);
  });

  it('is created once, even by two concurrent processes, and only its owner can read it', async () => {
    const [one, two] = await Promise.all([openMasterKey(folder, null), openMasterKey(folder, null)]);
    expect(one).toEqual(two);
    expect(await openMasterKey(folder, null)).toEqual(one);
    expect(await readdir(folder)).toEqual(['document.key']);
    expect((await stat(join(folder, 'document.key'))).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'short', `${'A'.repeat(44)}\n`])(
    'stops the portal from starting if its file is invalid (%j), and the file is kept',
    async (text) => {
      const file = join(folder, 'document.key');
      await writeFile(file, text);
      await expect(openMasterKey(folder, null)).rejects.toMatchObject({
        exitCode: EXIT.configuration,
        message: expect.stringContaining(file),
      });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it('is reported among the configuration problems, without its value, if it is invalid', () => {
    const outcome = parseEnvironment({ DOCUMENT_KEY: 'hunter2', PORT: 'x' });
    expect(outcome).toMatchObject({ ok: false });
    const problems = outcome.ok ? [] : outcome.problems;
    expect(problems.map(({ variable }) => variable)).toEqual(['PORT', 'DOCUMENT_KEY']);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});
