import { afterEach, describe, expect, it } from 'vitest';
import { requestVerification } from '../../data/contract/applications.ts';
import { INLINE_REQUEST } from '../../data/model/application-rules.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { sendForm } from '../testing/send-form.ts';
import { readersOf, startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const portals: TestPortal[] = [];
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});

async function send(body: unknown, changes: Parameters<typeof startTestPortal>[0] = {}) {
  const portal = await startTestPortal(changes);
  portals.push(portal);
  const answer = await sendForm(portal.port, requestVerification.path, body);
  expect(answer.status).toBe(200);
  const { referenceNumber } = requestVerification.response.parse(JSON.parse(answer.body));
  return portal.store.applications.requestByReference(referenceNumber);
}

const MODAL = {
  walletAddress: walletOf(1),
  userEmail: 'ada@example.com',
  userTelegram: '@ada',
  claimedStakedAmount: '1,500,000',
  requestReason: 'It is staked in another pool.',
  evidenceProvided: 'https://solscan.io/tx/1\r\nSee there.',
  currentDetection: 'No BD tokens found',
  requestedAt: '2025-12-31T23:59:59.500+01:00',
};

describe('a request for manual verification', () => {
  it('of the modal is kept, with what the portal itself detects', async () => {
    const index = new FakeIndex();
    index.held = { ...manyStakes(0), entries: [openedStake(1, { amount: 1_499_999_500_000n })] };
    expect(await send(MODAL, { index })).toMatchObject({
      walletAddress: walletOf(1),
      email: 'ada@example.com',
      telegram: 'ada',
      claimedAmount: '1,500,000',
      reason: 'It is staked in another pool.',
      evidence: 'https://solscan.io/tx/1\nSee there.',
      statedDetection: 'No BD tokens found',
      checkedDetection: '1499999.5 BD staked (stake_entry)',
      requestedAt: Date.parse('2025-12-31T22:59:59.500Z'),
      isOwnershipProven: false,
      status: 'received',
      createdAt: TEST_START,
    });
  });

  it.each([
    [2_000_000n, '2 BD in wallet (not staked) (token_account_analysis)'],
    [0n, 'No BD tokens found'],
  ])('tells what a wallet without a stake holds: %s base units', async (amount, checkedDetection) => {
    const index = new FakeIndex();
    const held = { underWay: 0, read: async () => ({ amount, slot: 4_300, readAt: TEST_START }) };
    const walletReaders = { ...readersOf(index, () => TEST_START), held };
    expect(await send(MODAL, { index, walletReaders })).toMatchObject({ checkedDetection });
  });

  it('is kept where nothing can be detected at the moment', async () => {
    expect(await send(MODAL)).toMatchObject({ checkedDetection: null });
  });

  it('of the short form is kept, however short its evidence is', async () => {
    const short = {
      walletAddress: walletOf(1),
      userEmail: 'ada@example.com',
      userTelegram: '',
      claimedStakedAmount: INLINE_REQUEST.claimedStakedAmount,
      requestReason: 'tx 5abc',
      evidenceProvided: 'tx 5abc',
      currentDetection: 'No BD tokens found',
      requestedAt: '2026-01-01T00:00:00.000Z',
    };
    expect(await send(short)).toMatchObject({
      telegram: null,
      claimedAmount: INLINE_REQUEST.claimedStakedAmount,
      reason: 'tx 5abc',
      evidence: 'tx 5abc',
    });
  });

  it('sent with the proof of its wallet is kept so', async () => {
    const readProvenWallet = async () => ({ walletAddress: walletOf(1), provedAt: TEST_START });
    expect(await send(MODAL, { readProvenWallet })).toMatchObject({ isOwnershipProven: true });
  });
});
