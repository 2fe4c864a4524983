import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoanVote } from '../../model/record-review.ts';
import type { AppStore } from '../ports.ts';
import type { VoteOutcome } from '../record-port.ts';
import { openAppStore } from './app-store.ts';

const AT = 1_767_323_045_000;
const REFERENCE = 'BD-20260102-123456';

describe('votes on a loan application', () => {
  let folder: string;
  let store: AppStore;
  let changedAt: number;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votes-'));
    store = await openAppStore(join(folder, 'app.db'));
    const client = new Database(join(folder, 'app.db'));
    client
      .prepare("insert into reference_numbers values (?, 'loan-application', ?, null)")
      .run(REFERENCE, AT);
    client
      .prepare(
        "insert into loan_applications values ('loan-1', ?, 'Ada Lovelace', 'ada@example.com', 50000, 'HNW Individual', 'Yes', 'Convert', 'GB', null, 'received', null, null, ?, ?, null)",
      )
      .run(REFERENCE, AT, AT);
    client.close();
    changedAt = AT;
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  /** An admin's vote on the application as it is. */
  async function vote(adminId: string, word: LoanVote): Promise<VoteOutcome> {
    const outcome = await store.records.vote(
      { referenceNumber: REFERENCE, changedAt, vote: word, reason: word === 'refuse' ? 'No papers.' : null },
      { adminId, address: '192.0.2.1', at: changedAt + 1_000 },
    );
    if ('changedAt' in outcome) ({ changedAt } = outcome);
    return outcome;
  }
  async function loan() {
    const whole = await store.records.record(REFERENCE);
    if (whole?.kind !== 'loan-application') throw new Error('There is no such application.');
    return whole;
  }

  it('decide it once two different admins say the same', async () => {
    expect(await vote('grace', 'approve')).toMatchObject({ kind: 'waiting', status: 'in-review' });
    expect((await loan()).deliveries).toEqual([]);
    expect(await vote('alan', 'approve')).toMatchObject({ kind: 'decided', status: 'approved' });
    const { record, timeline, deliveries, decisions } = await loan();
    expect(record).toMatchObject({ status: 'approved', decidedAt: AT + 2_000, refusalReason: null });
    expect(timeline.map(({ status }) => status)).toEqual(['in-review', 'approved']);
    expect(deliveries).toMatchObject([{ event: 'loan-application.approved', audience: 'applicant' }]);
    expect(decisions.map(({ by, decision }) => [by, decision])).toEqual([
      ['grace', 'approve'],
      ['alan', 'approve'],
      ['alan', 'approved'],
    ]);
  });

  it('of one admin never count as two', async () => {
    expect(await vote('grace', 'approve')).toMatchObject({ kind: 'waiting' });
    expect(await vote('grace', 'approve')).toMatchObject({ kind: 'waiting' });
    expect(await vote('grace', 'refuse')).toMatchObject({ kind: 'waiting' });
    expect((await loan()).votes).toMatchObject([{ adminId: 'grace', decision: 'refuse' }]);
    expect((await loan()).record.status).toBe('in-review');
  });

  it('that contradict each other take all votes away, and decide nothing', async () => {
    await vote('grace', 'approve');
    expect(await vote('alan', 'refuse')).toMatchObject({ kind: 'contradicted', status: 'in-review' });
    expect((await loan()).votes).toEqual([]);
    expect((await loan()).deliveries).toEqual([]);
    await vote('alan', 'refuse');
    expect(await vote('grace', 'refuse')).toMatchObject({ kind: 'decided', status: 'refused' });
    expect((await loan()).record).toMatchObject({ refusalReason: 'No papers.' });
    expect((await loan()).timeline.at(-1)).toMatchObject({ status: 'refused', note: 'No papers.' });
  });

  it('on a state that another vote has changed are refused, and tell whose vote that was', async () => {
    const seen = { referenceNumber: REFERENCE, changedAt: AT, reason: null };
    const [first, second] = await Promise.all([
      store.records.vote({ ...seen, vote: 'approve' }, { adminId: 'grace', address: 'a', at: AT + 1 }),
      store.records.vote({ ...seen, vote: 'approve' }, { adminId: 'alan', address: 'a', at: AT + 1 }),
    ]);
    expect(first).toMatchObject({ kind: 'waiting' });
    expect(second).toMatchObject({ kind: 'changed', last: { by: 'grace', decision: 'approve' } });
    expect((await loan()).record.status).toBe('in-review');
  });

  it('are over once it is decided', async () => {
    await vote('grace', 'approve');
    await vote('alan', 'approve');
    expect(await vote('barbara', 'refuse')).toMatchObject({ kind: 'closed', status: 'approved' });
  });

  it('are found by a search of loan applications alone', async () => {
    const query = {
      limit: 10,
      sort: 'investmentAmount',
      order: 'asc',
      after: null,
      from: null,
      before: null,
      filters: {},
      search: 'lovelace',
    } as const;
    expect((await store.records.list('loans', query)).rows).toMatchObject([
      { referenceNumber: REFERENCE, investmentAmount: 50_000 },
    ]);
    expect((await store.records.list('applications', { ...query, sort: 'name' })).rows).toEqual([]);
  });
});
