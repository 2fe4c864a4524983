import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminRecord } from '../../../data/contract/admin-record.ts';
import { adminApplications, adminDeliveryLogs, adminRequests } from '../../../data/contract/admin-records.ts';
import { adminStats } from '../../../data/contract/admin-stats.ts';
import { CALLS } from '../../../data/contract/calls.ts';
import { enhancedStakers } from '../../../data/contract/stakes.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleRequest,
  sampleTerms,
} from '../../../data/store/testing/sample-submissions.ts';
import { FakeIndex, TEST_START } from '../../testing/fake-index.ts';
import { manyStakes, openedStake } from '../../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { addAdmin, askAs, openSession } from '../testing/team.ts';

describe('the team’s calls over records', () => {
  let portal: TestPortal;
  let viewer: string;
  let grace: string;
  let alan: string;
  beforeEach(async () => {
    const index = new FakeIndex();
    const staker = { wallet: sampleRequest().walletAddress, amount: 8_000_000_000_000n };
    index.held = { ...manyStakes(0), entries: [openedStake(0, staker)] };
    portal = await startTestPortal({ index, adminCallsPerMinute: 1_000 });
    const tokenOf = async (username: string, role: 'viewer' | 'reviewer') => {
      const id = await addAdmin(portal.store, { username, role, at: TEST_START });
      return (await openSession(portal.store, id, TEST_START)).token;
    };
    viewer = await tokenOf('viola', 'viewer');
    grace = await tokenOf('grace', 'reviewer');
    alan = await tokenOf('alan', 'reviewer');
  });
  afterEach(() => portal.close());

  async function apply(changes: Parameters<typeof sampleApplication>[0] = {}): Promise<string> {
    const { applications } = portal.store;
    const outcome = await applications.submitApplication(sampleApplication(changes), sampleTerms());
    if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
    return String(outcome.answer.referenceNumber);
  }
  async function request(): Promise<string> {
    const { applications } = portal.store;
    const outcome = await applications.submitVerificationRequest(sampleRequest(), sampleTerms());
    if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
    return String(outcome.answer.referenceNumber);
  }
  const get = async (path: string, token = viewer) => {
    const { status, body } = await askAs(portal, token, path);
    return { status, body: JSON.parse(body) };
  };
  const post = async (path: string, body: unknown, token = grace) => {
    const answer = await askAs(portal, token, path, body);
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  const seenAt = new Date(SUBMITTED_AT).toISOString();

  const OURS = CALLS.filter(
    ({ path, access }) =>
      /^\/api\/admin\/(dashboard|applications|contacts|delivery-logs|verification|loan|record|notes|deliveries|export)/.test(
        path,
      ) && access !== undefined,
  );

  it('are refused to whoever is not signed in, and to a role that may not do them', async () => {
    expect(OURS.length).toBeGreaterThanOrEqual(22);
    for (const { method, path, access } of OURS) {
      const body = method === 'POST' ? {} : undefined;
      expect((await askAs(portal, null, path, body)).status, path).toBe(401);
      const { status } = await askAs(portal, viewer, path, body);
      if (access === 'viewer') expect([200, 400], path).toContain(status);
      else expect(status, path).toBe(403);
    }
    expect(await portal.store.auditTrail(100)).not.toContainEqual(
      expect.objectContaining({ action: 'records.exported' }),
    );
  });

  it('list ten rows where no number is asked for, with the amount as decimal text, and go on from there', async () => {
    for (let place = 0; place < 12; place += 1) await apply({ name: `Person ${place}`, createdAt: place });
    const first = adminApplications.response.parse((await get('/api/admin/applications')).body);
    expect(first.applications.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, place) => `Person ${11 - place}`),
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

  it.each([
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
  ])('refuse the query %s, with words for it', async (query) => {
    const { status, body } = await get(`/api/admin/applications?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid-query']);
  });

  it('never list by a search text in a URL, and find by one in the body', async () => {
    await apply();
    await apply({ name: 'Grace Hopper', email: 'grace@example.com', telegram: null });
    const found = adminApplications.response.parse(
      (await post('/api/admin/applications', { q: 'hopper' }, viewer)).body,
    );
    expect(found.applications.map(({ name }) => name)).toEqual(['Grace Hopper']);
    const hostile = await post('/api/admin/applications', { q: '" OR NEAR(' }, viewer);
    expect([hostile.status, hostile.body.applications]).toEqual([200, []]);
    expect((await post('/api/admin/applications', { q: '' }, viewer)).status).toBe(400);
    expect(portal.logged.join()).not.toContain('hopper');
  });

  it('tell of an application all that is known, and that a decision reaches the applicant’s page', async () => {
    const reference = await apply();
    const refusal = {
      referenceNumber: reference,
      changedAt: seenAt,
      decision: 'refused',
      reason: 'Too young.',
    };
    expect((await post('/api/admin/applications/decide', { ...refusal, reason: '' })).status).toBe(400);
    expect((await post('/api/admin/applications/decide', refusal)).body).toMatchObject({ status: 'refused' });
    await post('/api/admin/notes/add', { referenceNumber: reference, text: 'Wrote back.' });
    const whole = adminRecord.response.parse((await get(`/api/admin/record?reference=${reference}`)).body);
    expect(whole).toMatchObject({
      kind: 'card-application',
      record: { status: 'refused', statedTier: 'Banker', checkedAmount: '6200000' },
      decisions: [{ by: 'grace', decision: 'refused', reason: 'Too young.' }],
      notes: [{ by: 'grace', text: 'Wrote back.' }],
    });
    const asked = { referenceNumber: reference, email: 'ada@example.com' };
    expect((await post('/api/card/application-status', asked)).body).toMatchObject({
      status: 'refused',
      timeline: [{ status: 'received' }, { status: 'refused', note: 'Too young.' }],
    });
    expect((await get('/api/admin/record?reference=BD-20200101-100000')).status).toBe(404);
  });

  it('let one of two admins decide, and tell the other who was faster', async () => {
    const referenceNumber = await request();
    const seen = { referenceNumber, changedAt: seenAt };
    const answers = await Promise.all([
      post(
        '/api/admin/verification-requests/decide',
        { ...seen, decision: 'approved', tier: 'Raven' },
        grace,
      ),
      post('/api/admin/verification-requests/decide', { ...seen, decision: 'refused', reason: 'No.' }, alan),
    ]);
    const [won, lost] = answers.toSorted((one, other) => one.status - other.status);
    expect(won).toMatchObject({ status: 200, body: { success: true } });
    expect(lost).toMatchObject({ status: 409, body: { code: 'record-changed' } });
    expect(lost?.body.error).toMatch(
      /^(grace approved|alan refused) it on \d+ \w+ \d{4} at \d\d:\d\d UTC\. /,
    );
    const { requests } = adminRequests.response.parse((await get('/api/admin/verification-requests')).body);
    expect(requests[0]?.status).toBe(won?.body.status);
  });

  it('whitelist a wallet on approval, so that it counts as authenticated from the next look on', async () => {
    const referenceNumber = await request();
    const { walletAddress } = sampleRequest();
    const decision = { referenceNumber, changedAt: seenAt, decision: 'approved' };
    expect((await post('/api/admin/verification-requests/decide', decision)).status).toBe(400);
    await post('/api/admin/verification-requests/decide', { ...decision, tier: 'Banker' });
    expect(await portal.store.sessions.whitelistedTier(walletAddress)).toBe('Banker');
    expect(await portal.store.auditTrail(10)).toContainEqual(
      expect.objectContaining({ action: 'verification-request.approved', address: '127.0.0.1' }),
    );
    await portal.lookAt(TEST_START + 60_000);
    const { body } = await get(enhancedStakers.path);
    expect(JSON.stringify(body)).toContain('"isAuthenticated":true');
  });

  it('tell that a record is closed, and of what is not there', async () => {
    const referenceNumber = await apply();
    const decide = (changedAt: string, decision: string) =>
      post('/api/admin/applications/decide', { referenceNumber, changedAt, decision, reason: 'No.' });
    const { body } = await decide(seenAt, 'refused');
    const again = await decide(body.changedAt, 'approved');
    expect([again.status, again.body.code]).toEqual([409, 'record-closed']);
    const unknown = { referenceNumber: 'BD-20200101-100000', changedAt: seenAt, decision: 'approved' };
    expect((await post('/api/admin/applications/decide', unknown)).status).toBe(404);
    expect(
      (await post('/api/admin/loan-applications/vote', { ...unknown, vote: 'approve', decision: undefined }))
        .status,
    ).toBe(404);
    const delivery = { deliveryId: '00000000-0000-4000-8000-000000000000' };
    expect((await post('/api/admin/deliveries/retry', delivery)).status).toBe(404);
  });

  it('queue a delivery again that was given up, from the log', async () => {
    await apply();
    const { deliveries } = portal.store;
    const [leased] = await deliveries.claimDue({
      channel: 'telegram',
      now: SUBMITTED_AT,
      leasedUntil: SUBMITTED_AT + 1,
      limit: 1,
    });
    if (!leased) throw new Error('Nothing is queued.');
    const attempt = {
      at: TEST_START,
      outcome: 'dead' as const,
      providerId: null,
      code: '403',
      error: 'The bot is no member.',
      maskedRecipient: '-1***',
      latencyMs: 5,
    };
    await deliveries.recordAttempt(leased, attempt, { state: 'dead' });
    const log = adminDeliveryLogs.response.parse((await get('/api/admin/delivery-logs?dead=only')).body);
    expect(log.logs).toMatchObject([
      { deliveryMethod: 'telegram', success: false, error: 'The bot is no member.', isRetryable: true },
    ]);
    const retry = () => post('/api/admin/deliveries/retry', { deliveryId: log.logs[0]?.deliveryId });
    expect((await retry()).status).toBe(200);
    expect((await retry()).status).toBe(409);
    expect((await get('/api/admin/delivery-logs?dead=only')).body).toMatchObject({ logs: [], total: 0 });
    expect((await get('/api/admin/delivery-logs')).body.logs).toMatchObject([{ isRetryable: false }]);
  });

  it('count what came in, and are operational only while every part is healthy', async () => {
    await apply({ createdAt: TEST_START });
    await apply({ createdAt: TEST_START - 8 * 86_400_000 });
    const stats = adminStats.response.parse((await get('/api/admin/dashboard/stats?t=1')).body);
    expect(stats).toMatchObject({
      totalApplications: 2,
      recentApplications: 1,
      deliverySuccessRate: null,
      totalDeliveries: 0,
      waitingDeliveries: 6,
    });
    expect(stats.isOperational).toBe(stats.parts.every(({ isHealthy }) => isHealthy));
    const mail = stats.parts.find(({ part }) => part === 'mail');
    // One of the forms has waited for a week.
    expect(mail).toMatchObject({ isHealthy: false, problems: [expect.stringContaining('2 deliveries')] });
    expect(stats.isOperational).toBe(false);
  });
});
