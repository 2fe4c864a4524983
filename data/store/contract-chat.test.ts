import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppStore } from './ports.ts';
import { openAppStore } from './sqlite/app-store.ts';

const DAY = 86_400_000;

describe('what the assistant keeps', () => {
  let folder: string;
  let store: AppStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chat-'));
    store = await openAppStore(join(folder, 'app.db'));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('counts a question each time, and forgets the one not asked for longest beyond the number kept', async () => {
    for (const [question, at] of [
      ['a', 1],
      ['b', 2],
      ['b', 3],
      ['c', 4],
    ] as const) {
      await store.chat.addUnanswered(question, at, 2);
    }
    expect(await store.chat.unanswered(9)).toEqual([
      { question: 'b', times: 2, firstAskedAt: 2, lastAskedAt: 3 },
      { question: 'c', times: 1, firstAskedAt: 4, lastAskedAt: 4 },
    ]);
  });

  it('counts verdicts since a day, those with most against them first', async () => {
    await store.chat.addVerdict('x', 'up', 0);
    for (const source of ['x', 'y', 'y']) await store.chat.addVerdict(source, 'down', 2 * DAY);
    expect(await store.chat.verdicts(DAY)).toEqual([
      { source: 'y', up: 0, down: 2 },
      { source: 'x', up: 0, down: 1 },
    ]);
    expect(await store.chat.verdicts(0)).toContainEqual({ source: 'x', up: 1, down: 1 });
  });

  it('removes transcripts that are older than they are kept', async () => {
    const transcript = (at: number) => ({ at, question: `q${at}`, answer: 'a', source: 's' });
    await store.chat.addTranscript(transcript(1), 0);
    await store.chat.addTranscript(transcript(9), 5);
    expect(await store.chat.transcripts(9)).toEqual([transcript(9)]);
  });
});
