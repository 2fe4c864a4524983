// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { correctAddress } from '../../../data/contract/admin-bounces.ts';
import { openUndos, reopenRecord, undoDecision } from '../../../data/contract/admin-decisions.ts';
import { LIST_CALLS } from '../../../data/contract/admin-lists.ts';
import { adminRecord } from '../../../data/contract/admin-record.ts';
import { adminSearch, otherRecords } from '../../../data/contract/admin-search.ts';
import { adminStats } from '../../../data/contract/admin-stats.ts';
import { enhancedStakers } from '../../../data/contract/stakes.ts';
import { createLogger } from '../../../data/runtime/log.ts';
import {
  SUBMITTED_AT,
  sampleRequest,
  submitApplication,
  submitRequest,
} from '../../../data/store/testing/sample-submissions.ts';
import { statusProofs } from '../../applications/status-proof.ts';
import { recordBounce } from '../../delivery/record-bounce.ts';
import { FakeIndex, TEST_START } from '../../testing/fake-index.ts';
import { manyStakes, openedStake } from '../../testing/sample-stakes.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../../testing/test-portal.ts';
import { askAs, CONFIRMED_WARNINGS, signedInAdmin } from '../testing/team.ts';

describe('the calls about records', () => {
  let portal: TestPortal;
  let viewerToken: string;
  let graceToken: string;
  let alanToken: string;
  beforeEach(async () => {
    const index = new FakeIndex();
    const staker = { wallet: sampleRequest().walletAddress, amount: 8_000_000_000_000n };
    index.storedStakes = { ...manyStakes(0), entries: [openedStake(0, staker)] };
    portal = await startTestPortal({ index });
    const tokenOf = async (username: string, role: 'viewer' | 'reviewer') =>
      (await signedInAdmin(portal.store, { username, role, at: TEST_START })).token;
    viewerToken = await tokenOf('viola', 'viewer');
    graceToken = await tokenOf('grace', 'reviewer');
    alanToken = await tokenOf('alan', 'reviewer');
  });
  afterEach(() => portal.close());

  const apply = (changes?: Parameters<typeof submitApplication>[1]) =>
    submitApplication(portal.store, changes);
  const call = async (token: string, path: string, requestBody?: unknown) => {
    const { status, body } = await askAs(portal, token, path, requestBody);
    return { status, body: JSON.parse(body) };
  };
  const get = (path: string) => call(viewerToken, path);
  const post = (path: string, body: unknown, token = graceToken) => call(token, path, body);
  const unchangedSince = new Date(SUBMITTED_AT).toISOString();

  it('list ten rows by default, with amounts as decimal text, and continue from a cursor', async () => {
    for (let number = 0; number < 12; number += 1)
      await apply({ name: `Person ${number}`, createdAt: number });
    const first = LIST_CALLS.applications.page.response.parse((await get('/api/admin/applications')).body);
    expect(first.applications.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `Person ${11 - index}`),
    );
    expect(first).toMatchObject({ total: 12, isTotalExact: true });
    expect(first.applications[0]).toMatchObject({
      tier: 'Banker',
      bdAmount: '6200000',
      isStakeChecked: true,
    });
    const rest = (await get(`/api/admin/applications?after=${first.next}`)).body;
    expect(rest.applications).toHaveLength(2);
    expect(rest.next).toBeNull();
  });

  it('reject an invalid query', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=ten',
      'sort=password',
      'order=up',
      'status=gone',
      'from=yesterday',
      'q=ada',
      'limit=1&limit=2',
      "after=x'--",
    ]) {
      const { status, body } = await get(`/api/admin/applications?${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'invalid-query']);
    }
  });

  it('search by a term in the body, never in a URL', async () => {
    await apply();
    await apply({ name: 'Grace Hopper', email: 'grace@example.com', telegram: null });
    const found = LIST_CALLS.applications.page.response.parse(
      (await post('/api/admin/applications', { q: 'hopper' }, viewerToken)).body,
    );
    expect(found.applications.map(({ name }) => name)).toEqual(['Grace Hopper']);
    const hostile = await post('/api/admin/applications', { q: '" OR NEAR(' }, viewerToken);
    expect([hostile.status, hostile.body.applications]).toEqual([200, []]);
    expect((await post('/api/admin/applications', { q: '' }, viewerToken)).status).toBe(400);
    expect(portal.logLines.join()).not.toContain('hopper');
  });

  it('search all kinds at once, and show the newest records of each with the field that matches', async () => {
    for (let number = 0; number < 9; number += 1) {
      await apply({
        name: `Ada ${number}`,
        email: `a${number}@one.example`,
        createdAt: SUBMITTED_AT + number,
      });
    }
    await submitRequest(portal.store, { email: 'ada@example.com' });
    const { groups } = adminSearch.response.parse(
      (await post('/api/admin/search', { q: 'ada' }, viewerToken)).body,
    );
    expect(groups.map(({ list, total, results }) => [list, total, results.length])).toEqual([
      ['applications', 9, 8],
      ['verification-requests', 1, 1],
    ]);
    expect(groups[0]?.results[0]).toMatchObject({
      name: 'Ada 8',
      field: 'name',
      excerpt: [
        { text: 'Ada', isMatch: true },
        { text: ' 8', isMatch: false },
      ],
    });
    expect(groups[1]?.results[0]).toMatchObject({
      name: 'ada@example.com',
      field: 'email',
      status: 'received',
    });
    expect((await post('/api/admin/search', { q: ' ' }, viewerToken)).status).toBe(400);
    expect(portal.logLines.join()).not.toContain('ada@');
  });

  it('show an application with its decisions and notes, and show the decisions to the applicant', async () => {
    const reference = await apply();
    const seen = { referenceNumber: reference, changedAt: unchangedSince };
    const refusal = { ...seen, decision: 'refused', reason: 'Too young.' };
    expect((await post('/api/admin/applications/decide', { ...refusal, reason: '' })).status).toBe(400);
    expect((await post('/api/admin/applications/decide', refusal)).body).toMatchObject({ status: 'refused' });
    await post('/api/admin/notes/add', { referenceNumber: reference, text: 'Wrote back.' });
    const fullRecord = adminRecord.response.parse(
      (await get(`/api/admin/record?reference=${reference}`)).body,
    );
    expect(fullRecord).toMatchObject({
      kind: 'card-application',
      record: { status: 'refused', statedTier: 'Banker', checkedAmount: '6200000' },
      decisions: [{ by: 'grace', decision: 'refused', reason: 'Too young.' }],
      notes: [{ by: 'grace', text: 'Wrote back.', isYours: false, isRemoved: false, versions: [] }],
    });
    const change = { noteId: fullRecord.notes[0]?.id, seen: 'Wrote back.', text: 'Wrote twice.' };
    expect((await post('/api/admin/notes/change', change, alanToken)).body.code).toBe('not-your-note');
    expect((await post('/api/admin/notes/change', change)).body).toEqual({ success: true });
    expect((await post('/api/admin/notes/change', change)).body.code).toBe('note-changed');
    const removal = { ...change, seen: 'Wrote twice.', text: null };
    expect((await post('/api/admin/notes/change', removal)).status).toBe(200);
    expect((await post('/api/admin/notes/change', removal)).body.code).toBe('unknown-note');
    const email = 'ada@example.com';
    const proof = statusProofs(TEST_MASTER_KEY)(reference, email);
    const query = { referenceNumber: reference, email, proof };
    expect((await post('/api/card/application-status', query)).body).toMatchObject({
      status: 'refused',
      timeline: [{ status: 'received' }, { status: 'refused', note: 'Too young.' }],
    });
    expect((await get('/api/admin/record?reference=BD-20200101-100000')).status).toBe(404);
  });

  it('find a person’s other records by wallet, and by mailbox even if the address is written differently', async () => {
    const { walletAddress } = sampleRequest();
    const first = await apply({ email: 'Ada+cards@Example.com', walletAddress: null });
    const request = await submitRequest(portal.store, {
      email: 'ada@example.com',
      createdAt: SUBMITTED_AT + 1,
    });
    const ofWallet = await apply({ email: 'other@example.org', walletAddress, createdAt: SUBMITTED_AT + 2 });
    await apply({ email: 'grace@example.com', walletAddress: null });
    const others = async (reference: string) =>
      otherRecords.response
        .parse((await get(`/api/admin/record/others?reference=${reference}`)).body)
        .records.map((one) => [one.referenceNumber, one.isSameMailbox]);
    expect(await others(request)).toEqual([
      [ofWallet, false],
      [first, true],
    ]);
    expect(await others(first)).toEqual([[request, true]]);
    expect((await get('/api/admin/record/others?reference=BD-20200101-100000')).status).toBe(404);
  });

  it('let one of two concurrent decisions win, and name the winner in the error for the other admin', async () => {
    const referenceNumber = await submitRequest(portal.store);
    const seen = { referenceNumber, changedAt: unchangedSince };
    const decide = (token: string, decision: object) =>
      post('/api/admin/verification-requests/decide', { ...seen, ...decision }, token);
    const answers = await Promise.all([
      decide(graceToken, { decision: 'approved', tier: 'Raven', despite: CONFIRMED_WARNINGS }),
      decide(alanToken, { decision: 'refused', reason: 'No.' }),
    ]);
    const [winner, loser] = answers.toSorted((one, other) => one.status - other.status);
    expect(winner).toMatchObject({ status: 200, body: { success: true } });
    expect(loser).toMatchObject({ status: 409, body: { code: 'record-changed' } });
    expect(loser?.body.error).toMatch(/^(grace|alan) /);
    const { requests } = LIST_CALLS['verification-requests'].page.response.parse(
      (await get('/api/admin/verification-requests')).body,
    );
    expect(requests[0]?.status).toBe(winner?.body.status);
  });

  it('whitelist a wallet on approval; the wallet then counts as authenticated', async () => {
    const referenceNumber = await submitRequest(portal.store);
    const { walletAddress } = sampleRequest();
    const decision = { referenceNumber, changedAt: unchangedSince, decision: 'approved' };
    expect((await post('/api/admin/verification-requests/decide', decision)).status).toBe(400);
    await post('/api/admin/verification-requests/decide', {
      ...decision,
      tier: 'Banker',
      despite: CONFIRMED_WARNINGS,
    });
    expect(await portal.store.sessions.whitelistedTier(walletAddress)).toBe('Banker');
    expect(await portal.store.auditTrail(10)).toContainEqual(
      expect.objectContaining({ action: 'verification-request.approved', address: '127.0.0.1' }),
    );
    await portal.pollAt(TEST_START + 60_000);
    const { body } = await get(enhancedStakers.path);
    expect(JSON.stringify(body)).toContain('"isAuthenticated":true');
  });

  it('undo a decision only for the admin who made it, and reopen a decided record only with a reason', async () => {
    const referenceNumber = await apply();
    const decide = async (changedAt: string) => {
      const decision = { referenceNumber, changedAt, decision: 'refused', reason: 'No.' };
      return (await post('/api/admin/applications/decide', decision)).body.changedAt;
    };
    const undoRequest = { referenceNumber, changedAt: await decide(unchangedSince) };
    const { undos } = openUndos.response.parse((await call(graceToken, openUndos.path)).body);
    expect(undos).toMatchObject([{ ...undoRequest, kind: 'card-application', status: 'refused' }]);
    expect(undos[0]?.remainingMs).toBeGreaterThan(0);
    expect((await post(undoDecision.path, undoRequest, alanToken)).body.code).toBe('undo-over');
    const { body } = await post(undoDecision.path, undoRequest);
    expect(body).toMatchObject({ success: true, status: 'received' });
    expect((await call(graceToken, openUndos.path)).body).toEqual({ undos: [] });
    expect((await post(undoDecision.path, undoRequest)).body.code).toBe('record-changed');

    const decided = { referenceNumber, changedAt: await decide(body.changedAt) };
    expect((await post(reopenRecord.path, { ...decided, reason: '' })).status).toBe(400);
    const reopened = await post(reopenRecord.path, { ...decided, reason: 'Wrong one.' });
    expect(reopened.body).toMatchObject({ status: 'in-review' });
    const { changedAt } = reopened.body;
    const again = { referenceNumber, changedAt, reason: 'Wrong one.' };
    expect((await post(reopenRecord.path, again)).body.code).toBe('record-closed');
    const query = { referenceNumber, email: 'ada@example.com' };
    const { body: seen } = await post('/api/card/application-status', query);
    expect(seen.status).toBe('in-review');
    expect(JSON.stringify(seen)).not.toContain('Wrong one');
  });

  it('reject decisions about closed and unknown records', async () => {
    const referenceNumber = await apply();
    const decide = (changedAt: string, decision: string) =>
      post('/api/admin/applications/decide', { referenceNumber, changedAt, decision, reason: 'No.' });
    const { body } = await decide(unchangedSince, 'refused');
    const again = await decide(body.changedAt, 'approved');
    expect([again.status, again.body.code]).toEqual([409, 'record-closed']);
    const unknown = {
      referenceNumber: 'BD-20200101-100000',
      changedAt: unchangedSince,
      decision: 'approved',
    };
    expect((await post('/api/admin/applications/decide', unknown)).status).toBe(404);
    const vote = { ...unknown, decision: undefined, vote: 'approve' };
    expect((await post('/api/admin/loan-applications/vote', vote)).status).toBe(404);
    const delivery = { deliveryId: '00000000-0000-4000-8000-000000000000' };
    expect((await post('/api/admin/deliveries/retry', delivery)).status).toBe(404);
  });

  it('retry a failed delivery', async () => {
    await apply();
    const { deliveries } = portal.store;
    const lease = { now: SUBMITTED_AT, leasedUntil: SUBMITTED_AT + 1, limit: 1 };
    const [leased] = await deliveries.claimDue({ channel: 'telegram', ...lease });
    if (!leased) throw new Error('Nothing is queued.');
    const attempt = {
      at: TEST_START,
      outcome: 'dead' as const,
      providerId: null,
      code: '403',
      error: 'The bot is not a member.',
      maskedRecipient: '-1***',
      latencyMs: 5,
    };
    await deliveries.recordAttempt(leased, attempt, { state: 'dead' });
    const log = LIST_CALLS['delivery-logs'].page.response.parse(
      (await get('/api/admin/delivery-logs?dead=only')).body,
    );
    expect(log.logs).toMatchObject([
      { deliveryMethod: 'telegram', success: false, error: 'The bot is not a member.', isRetryable: true },
    ]);
    const retry = () => post('/api/admin/deliveries/retry', { deliveryId: log.logs[0]?.deliveryId });
    expect((await retry()).status).toBe(200);
    expect((await retry()).status).toBe(409);
    expect((await get('/api/admin/delivery-logs?dead=only')).body).toMatchObject({ logs: [], total: 0 });
    expect((await get('/api/admin/delivery-logs')).body.logs).toMatchObject([{ isRetryable: false }]);
  });

  it('show a bounced email with its reason, send it to a corrected address, and settle the bounce', async () => {
    const referenceNumber = await apply({ email: 'typo@example.com' });
    const bounceMailTo = async (recipient: string) => {
      const claim = {
        channel: 'mail',
        now: SUBMITTED_AT + 1e9,
        leasedUntil: SUBMITTED_AT + 2e9,
        limit: 9,
      } as const;
      for (const leased of await portal.store.deliveries.claimDue(claim)) {
        const attempt = {
          at: TEST_START,
          providerId: null,
          code: null,
          error: null,
          maskedRecipient: 't…',
          latencyMs: 1,
        };
        await portal.store.deliveries.recordAttempt(
          leased,
          { ...attempt, outcome: 'sent' },
          { state: 'sent' },
        );
      }
      const bounce = {
        messageId: `<${referenceNumber}.applicant@x>`,
        recipient,
        code: '5.1.1',
        text: `no ${recipient}`,
      };
      return recordBounce(
        { store: portal.store, now: () => TEST_START, log: createLogger('api', 'silent') },
        bounce,
      );
    };
    expect(await bounceMailTo('typo@example.com')).toBe('bounced');
    const readRecord = async () =>
      adminRecord.response.parse((await get(`/api/admin/record?reference=${referenceNumber}`)).body);
    expect((await readRecord()).bounces).toMatchObject([
      { reason: 'address-unknown', error: 'no t…@….com', recipient: 't…@….com' },
    ]);
    const { body: stats } = await get('/api/admin/dashboard/stats');
    expect(stats.deadDeliveries).toBe(1);
    expect(stats.parts.find(({ part }: { part: string }) => part === 'mail').isHealthy).toBe(true);
    expect((await get('/api/admin/applications?mail=bounced')).body.total).toBe(1);
    const path = '/api/admin/bounces/correct-address';
    expect((await post(path, { referenceNumber, email: 'not an address' })).status).toBe(400);
    expect((await post(path, { referenceNumber, email: 'typo@example.com' })).body.code).toBe(
      'address-unchanged',
    );
    expect((await post(path, { referenceNumber, email: 'right@example.com' }, viewerToken)).status).toBe(403);
    const corrected = await post(path, { referenceNumber, email: ' right@example.com ' });
    expect(correctAddress.response.parse(corrected.body)).toMatchObject({ deliveries: 1, confirmBy: null });
    expect((await post(path, { referenceNumber, email: 'b@example.com' })).body.code).toBe(
      'mail-not-bounced',
    );
    expect(await readRecord()).toMatchObject({
      bounces: [],
      record: { email: 'right@example.com', mailBounced: false },
      earlierAddresses: [{ email: 'typo@example.com', by: 'grace' }],
    });
    expect(await bounceMailTo('right@example.com')).toBe('bounced');
    const retry = { referenceNumber: null, preview: true };
    const preview = () => post('/api/admin/deliveries/retry-failed', retry);
    expect([(await preview()).body, (await preview()).body]).toEqual(
      Array(2).fill({
        success: true,
        deliveries: 1,
        recordCount: 1,
        records: [{ referenceNumber, deliveries: 1 }],
      }),
    );
    const settle = () => post('/api/admin/bounces/settle', { referenceNumber, by: 'telegram' });
    expect([(await settle()).status, (await settle()).status]).toEqual([200, 409]);
    expect((await readRecord()).record.emailState).toBe('settled');
    expect(
      (await post('/api/admin/deliveries/retry-failed', { referenceNumber: null })).body.deliveries,
    ).toBe(0);
  });

  it('count submissions, list the open alerts, and report the portal as operational only while every part is healthy', async () => {
    await apply({ createdAt: TEST_START });
    await apply({ createdAt: TEST_START - 8 * 86_400_000 });
    const alert = { id: 'disk-low@x', code: 'disk-low', startedAt: TEST_START, detail: '5 MB are free.' };
    await portal.store.alerts.begin({ ...alert, notifiedAt: TEST_START }, []);
    const stats = adminStats.response.parse((await get('/api/admin/dashboard/stats?t=1')).body);
    expect(stats).toMatchObject({
      totalApplications: 2,
      recentApplications: 1,
      deliverySuccessRate: null,
      totalDeliveries: 0,
      waitingDeliveries: 6,
    });
    const since = new Date(TEST_START).toISOString();
    expect(stats.alerts).toMatchObject([{ code: 'disk-low', since, detail: '5 MB are free.' }]);
    expect(stats.isOperational).toBe(stats.parts.every(({ isHealthy }) => isHealthy));
    const mail = stats.parts.find(({ part }) => part === 'mail');
    // The two emails about the older application were due eight days ago.
    expect(mail).toMatchObject({ isHealthy: false, problems: [expect.stringContaining('2 deliveries')] });
    expect(stats.isOperational).toBe(false);
  });
});
