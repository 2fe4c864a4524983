import { describe, expect, it } from 'vitest';
import type { AuditRecord } from './audit-port.ts';
import { StoreUnavailableError } from './store-errors.ts';
import { reopenAppStore, store, useAppStore } from './testing/test-stores.ts';

const DAY = 86_400_000;

const record = (id: string, changes: Partial<AuditRecord> = {}): AuditRecord => ({
  id,
  at: 1_000,
  actor: 'system',
  action: 'portal.started',
  details: { port: 4_000, isFirst: true, note: 'ä "quoted"', nothing: null, ratio: 0.5 },
  address: null,
  ...changes,
});

describe('the app store', () => {
  useAppStore();

  it('rejects every call once it is closed, and can be closed twice', async () => {
    await store.close();
    await store.close();
    await expect(store.auditTrail(1)).rejects.toThrow(StoreUnavailableError);
  });

  describe('the audit trail', () => {
    it('is read in the order of recording, newest first, even after a restart', async () => {
      const times = { a: 5, b: 9, c: 5, d: 1 };
      for (const [id, at] of Object.entries(times)) await store.recordAudit(record(id, { at }));
      await reopenAppStore();
      const [newest, before] = await store.auditTrail(2);
      expect([newest, before]).toMatchObject([record('d', { at: 1 }), record('c', { at: 5 })]);
      expect((await store.auditTrail(9, before?.sequence)).map(({ id }) => id)).toEqual(['b', 'a']);
      expect(await store.auditTrail(0)).toEqual([]);
    });

    it('records a repeated record once, and never overwrites one', async () => {
      await store.recordAudit(record('a'));
      await store.recordAudit(record('a'));
      await expect(store.recordAudit(record('a', { actor: 'someone else' }))).rejects.toThrow(RangeError);
      expect(await store.auditTrail(9)).toMatchObject([record('a')]);
    });
  });

  describe('the chat', () => {
    it('counts a question each time, and forgets the one asked longest ago beyond the limit', async () => {
      for (const [at, question] of ['a', 'b', 'b', 'c'].entries()) {
        await store.chat.addUnanswered(question, at, 2);
      }
      expect(await store.chat.unanswered(9)).toEqual([
        { question: 'b', times: 2, firstAskedAt: 1, lastAskedAt: 2 },
        { question: 'c', times: 1, firstAskedAt: 3, lastAskedAt: 3 },
      ]);
    });

    it('counts verdicts since a day, most negative ones first', async () => {
      await store.chat.addVerdict('x', 'up', 0);
      for (const source of ['x', 'y', 'y']) await store.chat.addVerdict(source, 'down', 2 * DAY);
      expect(await store.chat.verdicts(DAY)).toEqual([
        { source: 'y', up: 0, down: 2 },
        { source: 'x', up: 0, down: 1 },
      ]);
      expect(await store.chat.verdicts(0)).toContainEqual({ source: 'x', up: 1, down: 1 });
    });

    it('deletes transcripts that are too old', async () => {
      const transcript = (at: number) => ({ at, question: `q${at}`, answer: 'a', source: 's' });
      await store.chat.addTranscript(transcript(1), 0);
      await store.chat.addTranscript(transcript(9), 5);
      expect(await store.chat.transcripts(9)).toEqual([transcript(9)]);
    });
  });
});
