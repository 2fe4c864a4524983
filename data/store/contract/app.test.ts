import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../audit-port.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { reopenAppStore, store, stores, useAppStore } from '../testing/test-stores.ts';

const DAY_MS = 86_400_000;

const auditRecord = (id: string, changes: Partial<AuditRecord> = {}): AuditRecord => ({
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
    await expect(store.bounces.findFailed(null)).rejects.toThrow(StoreUnavailableError);
  });

  describe('the audit trail', () => {
    it('lists the last recorded entry first, whatever its time, even after a restart', async () => {
      const times = { a: 5, b: 9, c: 5, d: 1 };
      for (const [id, at] of Object.entries(times)) await store.recordAudit(auditRecord(id, { at }));
      await reopenAppStore();
      const [newest, older] = await store.auditTrail(2);
      expect([newest, older]).toMatchObject([auditRecord('d', { at: 1 }), auditRecord('c', { at: 5 })]);
      expect((await store.auditTrail(9, older?.sequence)).map(({ id }) => id)).toEqual(['b', 'a']);
      expect(await store.auditTrail(0)).toEqual([]);
    });

    it('stores a repeated record once, and never overwrites a record', async () => {
      await store.recordAudit(auditRecord('a'));
      await store.recordAudit(auditRecord('a'));
      await expect(store.recordAudit(auditRecord('a', { actor: 'someone else' }))).rejects.toThrow(
        RangeError,
      );
      expect(await store.auditTrail(9)).toMatchObject([auditRecord('a')]);
    });
  });

  describe('the chat', () => {
    it('counts how often a question is asked, and deletes the least recently asked one above the limit', async () => {
      for (const [at, question] of ['a', 'b', 'b', 'c'].entries()) {
        await store.chat.addUnanswered(question, at, 2);
      }
      expect(await store.chat.unanswered(9)).toEqual([
        { question: 'b', timesAsked: 2, firstAskedAt: 1, lastAskedAt: 2, timesAskedAtDismissal: 0 },
        { question: 'c', timesAsked: 1, firstAskedAt: 3, lastAskedAt: 3, timesAskedAtDismissal: 0 },
      ]);
    });

    it('counts verdicts since a given day, and lists the source with the most negative verdicts first', async () => {
      await store.chat.addVerdict('x', 'up', 0);
      for (const source of ['x', 'y', 'y']) await store.chat.addVerdict(source, 'down', 2 * DAY_MS);
      expect(await store.chat.verdicts(DAY_MS)).toEqual([
        { source: 'y', up: 0, down: 2 },
        { source: 'x', up: 0, down: 1 },
      ]);
      expect(await store.chat.verdicts(0)).toContainEqual({ source: 'x', up: 1, down: 1 });
    });

    it('remembers how often a question was asked before its dismissal, and records the dismissal', async () => {
      for (const question of ['a', 'a', 'b']) await store.chat.addUnanswered(question, 1, 9);
      expect(await store.chat.dismissUnanswered(['a', 'never asked'], auditRecord('1'))).toBe(1);
      await store.chat.addUnanswered('a', 2, 9);
      expect(await store.chat.unanswered(9)).toMatchObject([
        { question: 'a', timesAsked: 3, timesAskedAtDismissal: 2 },
        { question: 'b', timesAskedAtDismissal: 0 },
      ]);
      expect(await store.chat.dismissUnanswered(['never asked'], auditRecord('2'))).toBe(0);
      expect(await store.auditTrail(9)).toMatchObject([{ id: '1' }]);
    });

    describe('additions of the team', () => {
      const phrasing = (id: string, question = `question ${id}`) =>
        ({
          kind: 'phrasing',
          id,
          question,
          href: '/faq#lock',
          title: 'Lock',
          addedAt: 5,
          adminId: 'ada',
        }) as const;
      const answer = {
        kind: 'answer',
        id: 'c',
        question: 'Why?',
        answer: 'So.\n\nYes.',
        addedAt: 7,
      } as const;

      it('are listed newest first with their author, even after a restart, and delete the questions they answer', async () => {
        for (const question of ['a', 'b']) await store.chat.addUnanswered(question, 1, 9);
        expect(await store.chat.addAddition(phrasing('x'), ['a'], 9, auditRecord('1'))).toBe('added');
        expect(await store.chat.addAddition({ ...answer, adminId: 'ada' }, [], 9, auditRecord('2'))).toBe(
          'added',
        );
        await reopenAppStore();
        const { adminId, ...listed } = phrasing('x');
        expect(await store.chat.additions()).toEqual([
          { ...answer, by: adminId },
          { ...listed, by: adminId },
        ]);
        expect(await store.chat.unanswered(9)).toMatchObject([{ question: 'b' }]);
        expect((await store.auditTrail(9)).map(({ id }) => id)).toEqual(['2', '1']);
      });

      it('are refused, without an audit record, if the question is in use or there are too many', async () => {
        await store.chat.addUnanswered('a', 1, 9);
        await store.chat.addAddition(phrasing('x', 'How long?'), [], 2, auditRecord('1'));
        const again = phrasing('y', 'how LONG?');
        expect(await store.chat.addAddition(again, ['a'], 2, auditRecord('2'))).toBe('exists');
        expect(await store.chat.addAddition(phrasing('z'), [], 2, auditRecord('3'))).toBe('added');
        expect(await store.chat.addAddition(phrasing('w'), ['a'], 2, auditRecord('4'))).toBe('full');
        expect(await store.chat.unanswered(9)).toHaveLength(1);
        expect(await store.auditTrail(9)).toHaveLength(2);
      });

      it('are withdrawn once, leave no text behind, and may then be added again', async () => {
        await store.chat.addAddition(phrasing('x', 'secretword'), [], 1, auditRecord('1'));
        expect(
          await store.chat.withdrawAddition('x', 9, auditRecord('2', { action: 'addition.withdrawn' })),
        ).toBe(true);
        expect(await store.chat.withdrawAddition('x', 9, auditRecord('3'))).toBe(false);
        expect(await store.chat.additions()).toEqual([]);
        await store.close();
        const written = await stores.readAppBytes();
        expect(written.includes('withdrawn')).toBe(true);
        expect(written.includes('secretword')).toBe(false);
        await reopenAppStore();
        expect(await store.chat.addAddition(phrasing('y', 'secretword'), [], 1, auditRecord('4'))).toBe(
          'added',
        );
        expect((await store.auditTrail(9)).map(({ id }) => id)).toEqual(['4', '2', '1']);
      });

      it('have a version that increases with each change', async () => {
        const versions = [await store.chat.additionsVersion()];
        const changes = [
          () => store.chat.addAddition(phrasing('x'), [], 9, auditRecord('1')),
          () => store.chat.addAddition(phrasing('y'), [], 9, auditRecord('2')),
          () => store.chat.withdrawAddition('y', 9, auditRecord('3')),
          () => store.chat.addAddition(phrasing('z'), [], 9, auditRecord('4')),
        ];
        for (const change of changes) {
          await change();
          versions.push(await store.chat.additionsVersion());
        }
        expect(new Set(versions).size).toBe(5);
        expect(versions).toEqual(versions.toSorted((one, other) => one - other));
      });
    });

    it('deletes transcripts that are too old', async () => {
      const transcript = (at: number) => ({ at, question: `q${at}`, answer: 'a', source: 's' });
      await store.chat.addTranscript(transcript(1), 0);
      await store.chat.addTranscript(transcript(9), 5);
      expect(await store.chat.transcripts(9)).toEqual([transcript(9)]);
    });
  });
});
