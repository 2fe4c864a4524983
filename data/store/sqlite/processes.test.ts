// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IDENTITY } from '../testing/sample-rows.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openIndexReader } from './index-reader.ts';
import { openIndexWriter } from './index-writer.ts';

const BATCH_SIZE = 50;

describe('index.db shared between processes', () => {
  let folder: string;
  let file: string;
  let children: ChildProcess[];

  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder, 'index.db');
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
  });

  function start(program: string, batches: number, lastArgument = batches) {
    const path = fileURLToPath(new URL(`../testing/${program}`, import.meta.url));
    const child = spawn(process.execPath, [path, file, String(BATCH_SIZE), String(lastArgument)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return {
      child,
      lines: createInterface(child.stdout)[Symbol.asyncIterator](),
      ended: once(child, 'exit'),
    };
  }

  it('keeps rows, cursor and sums consistent when the writer is killed during commits', async () => {
    let previousSlot = 0;
    for (const commitsBeforeKill of [1, 12]) {
      const { child, lines, ended } = start('commit-program.ts', 5_000);
      let acknowledgedSlot = 0;
      for (let seen = 0; seen < commitsBeforeKill; seen += 1) {
        acknowledgedSlot = Number((await lines.next()).value);
      }
      child.kill('SIGKILL');
      await ended;

      const writer = await openIndexWriter(file);
      const reader = openIndexReader(file);
      const cursorSlot = (await writer.cursor(IDENTITY.vault))?.slot ?? 0;
      expect(cursorSlot).toBeGreaterThanOrEqual(acknowledgedSlot);
      expect(acknowledgedSlot).toBeGreaterThan(previousSlot);
      const { recentEvents } = await reader.latestSnapshot(cursorSlot + 1);
      expect(recentEvents.map((event) => event.slot)).toEqual(
        Array.from({ length: cursorSlot }, (_, index) => cursorSlot - index),
      );
      expect(await reader.vaultMovements(0)).toMatchObject({
        deposits: BigInt(cursorSlot) * 1_000n,
        movements: cursorSlot,
      });
      await reader.close();
      await writer.close();
      previousSlot = cursorSlot;
    }
  });

  it('shows two readers only complete batches, from before the file exists to the last commit', async () => {
    const batches = 100;
    const watchers = [1, 2].map(() => start('watch-program.ts', batches, batches * BATCH_SIZE));
    for (const { lines } of watchers) expect((await lines.next()).value).toBe('ready');
    const committing = start('commit-program.ts', batches);
    for await (const _ of committing.lines);
    for (const { lines, ended } of watchers) {
      expect(Number((await lines.next()).value)).toBeGreaterThan(1);
      expect(await ended).toEqual([0, null]);
    }
  });
});
