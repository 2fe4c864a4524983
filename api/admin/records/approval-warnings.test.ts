import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminRecord } from '../../../data/contract/admin-record.ts';
import { FRESHNESS } from '../../../data/model/value-state.ts';
import {
  sampleApplication,
  submitApplication,
  submitRequest,
} from '../../../data/store/testing/sample-submissions.ts';
import { FakeIndex, TEST_START } from '../../testing/fake-index.ts';
import { manyStakes, openedStake } from '../../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { askAs, signedInAdmin } from '../testing/team.ts';

const DECIDE_APPLICATION = '/api/admin/applications/decide';
const DECIDE_REQUEST = '/api/admin/verification-requests/decide';

describe('an approval', () => {
  let portal: TestPortal;
  let index: FakeIndex;
  let token: string;
  beforeEach(async () => {
    index = new FakeIndex();
    stake(8_000_000n);
    portal = await startTestPortal({ index });
    ({ token } = await signedInAdmin(portal.store, { username: 'grace', role: 'reviewer', at: TEST_START }));
  });
  afterEach(() => portal.close());

  const wallet = sampleApplication().walletAddress ?? '';
  /** @param amount in whole BD */
  function stake(amount: bigint) {
    index.storedStakes = {
      ...manyStakes(0),
      entries: [openedStake(0, { wallet, amount: amount * 1_000_000n })],
    };
    index.commitChain({ entryChanges: (index.snapshot.chain?.entryChanges ?? 0) + 1 });
  }
  async function readRecord(reference: string) {
    const { body } = await askAs(portal, token, `/api/admin/record?reference=${reference}`);
    const { record } = adminRecord.response.parse(JSON.parse(body));
    if (!('changedAt' in record)) throw new Error('It cannot be decided.');
    return record;
  }
  async function approve(path: string, reference: string, changes: object = {}) {
    const { changedAt } = await readRecord(reference);
    const requestBody = { referenceNumber: reference, changedAt, decision: 'approved', ...changes };
    const { status, body } = await askAs(portal, token, path, requestBody);
    return [status, JSON.parse(body).code];
  }
  const auditedApprovals = async () =>
    (await portal.store.auditTrail(99))
      .filter(({ action }) => action.endsWith('.approved'))
      .map(({ details }) => details);

  it('without warnings needs no reason', async () => {
    const reference = await submitApplication(portal.store, { isOwnershipProven: true });
    expect((await readRecord(reference)) as object).toMatchObject({
      walletNow: { tier: 'Raven', staked: '8000000' },
    });
    expect(await approve(DECIDE_APPLICATION, reference)).toEqual([200, undefined]);
    expect(await auditedApprovals()).toEqual([{ referenceNumber: reference, from: 'received' }]);
  });

  it('for a wallet that has since unstaked is refused until the admin gives a reason', async () => {
    const reference = await submitApplication(portal.store, { isOwnershipProven: true });
    const before = await readRecord(reference);
    stake(1n);
    await portal.pollAt(TEST_START + 5_000);
    expect(await approve(DECIDE_APPLICATION, reference)).toEqual([409, 'approval-warned']);
    const otherWarning = { warnings: ['ownership-unproven'], reason: 'Seen.' };
    expect(await approve(DECIDE_APPLICATION, reference, { despite: otherWarning })).toEqual([
      409,
      'approval-warned',
    ]);
    const empty = { warnings: ['no-tier'], reason: ' ' };
    expect(await approve(DECIDE_APPLICATION, reference, { despite: empty })).toEqual([400, 'invalid-body']);
    const personal = { warnings: ['no-tier'], reason: `I know ${sampleApplication().name.toUpperCase()}.` };
    expect(await approve(DECIDE_APPLICATION, reference, { despite: personal })).toEqual([
      400,
      'reason-names-person',
    ]);
    expect((await readRecord(reference)).changedAt).toBe(before.changedAt);
    const despite = { warnings: ['no-tier'], reason: 'Staked elsewhere.' };
    expect(await approve(DECIDE_APPLICATION, reference, { despite })).toEqual([200, undefined]);
    expect(await auditedApprovals()).toEqual([
      { referenceNumber: reference, from: 'received', despite: 'no-tier', reason: 'Staked elsewhere.' },
    ]);
    const { body } = await askAs(portal, null, '/api/card/application-status', {
      referenceNumber: reference,
      email: sampleApplication().email,
    });
    expect(body).not.toContain('Staked elsewhere.');
  });

  it('is refused if its reason contains the person’s name, but not if the name is only part of a word', async () => {
    for (const [name, personal, reason] of [
      ['Li', 'Li called.', 'Verified by a client in a call.'],
      ['An', 'An, of the bank, called.', 'Verified in an email.'],
      ['Eka', 'EKA called.', 'Seen on the page of Weekapital.'],
      ['Ada (Byron)', 'Seen with ada (byron).', 'Adamant in a call.'],
      ['王伟', '王伟打来电话。', '伟大的王。'],
    ] as const) {
      const reference = await submitApplication(portal.store, { name, isOwnershipProven: false });
      const approveBecause = (givenReason: string) =>
        approve(DECIDE_APPLICATION, reference, {
          despite: { warnings: ['ownership-unproven'], reason: givenReason },
        });
      expect([name, ...(await approveBecause(personal))]).toEqual([name, 400, 'reason-names-person']);
      expect([name, ...(await approveBecause(reason))]).toEqual([name, 200, undefined]);
    }
  });

  it('needs a reason if it whitelists a wallet for a higher tier than its stake earns', async () => {
    const reference = await submitRequest(portal.store, { walletAddress: wallet, isOwnershipProven: true });
    stake(2_000_000n);
    await portal.pollAt(TEST_START + 5_000);
    expect(await approve(DECIDE_REQUEST, reference, { tier: 'Banker' })).toEqual([409, 'approval-warned']);
    expect(await approve(DECIDE_REQUEST, reference, { tier: 'Duckling' })).toEqual([200, undefined]);
  });

  it('needs a reason while the stakes are stale, and the record then shows no stake', async () => {
    const reference = await submitApplication(portal.store, { isOwnershipProven: true });
    await portal.pollAt(TEST_START + FRESHNESS.chain.limitMs + 1);
    expect((await readRecord(reference)) as object).toMatchObject({
      walletNow: { tier: null, staked: null },
    });
    expect(await approve(DECIDE_APPLICATION, reference)).toEqual([409, 'approval-warned']);
  });
});
