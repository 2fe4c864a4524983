import { describe, expect, it, onTestFinished } from 'vitest';
import { requestVerification } from '../../data/contract/submissions.ts';
import { SHORT_REQUEST_VALUES } from '../../data/model/forms/verification-forms.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { readersOf, startTestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { openWalletSession } from '../testing/test-wallet.ts';
import { VERIFICATION_BODY } from './testing/sample-forms.ts';

async function sendAndFind(body: unknown, changes: TestPortalChanges = {}, provenWallet?: string) {
  const portal = await startTestPortal(changes);
  onTestFinished(() => portal.close());
  const headers = provenWallet
    ? { Cookie: await openWalletSession(portal.store, provenWallet, TEST_START) }
    : {};
  const answer = await sendForm(portal.port, requestVerification.path, body, headers);
  expect(answer.status).toBe(200);
  const { referenceNumber } = requestVerification.response.parse(JSON.parse(answer.body));
  return portal.store.submissions.find('verification-request', referenceNumber);
}

const MODAL_BODY = {
  ...VERIFICATION_BODY,
  userTelegram: '@ada',
  evidenceProvided: 'https://solscan.io/tx/1\r\nSee there.',
  requestedAt: '2025-12-31T23:59:59.500+01:00',
};

describe('a request for manual verification', () => {
  it('from the modal is stored with the portal’s own detection', async () => {
    const index = new FakeIndex();
    index.storedStakes = { ...manyStakes(0), entries: [openedStake(1, { amount: 1_499_999_500_000n })] };
    expect(await sendAndFind(MODAL_BODY, { index })).toMatchObject({
      walletAddress: walletOf(1),
      email: 'ada@example.com',
      telegram: 'ada',
      claimedAmount: '1,500,000',
      reason: 'It is staked in another pool.',
      evidence: 'https://solscan.io/tx/1\nSee there.',
      statedDetection: 'No BD tokens found',
      checkedDetection: '1,499,999.5 BD staked (found on-chain)',
      requestedAt: Date.parse('2025-12-31T22:59:59.500Z'),
      isOwnershipProven: false,
      status: 'received',
      createdAt: TEST_START,
    });
  });

  it.each([
    [2_000_000n, '2 BD in wallet (not staked) (token_account_analysis)'],
    [0n, 'No BD tokens found'],
  ])('records the balance of a wallet without a stake (%s base units)', async (amount, checkedDetection) => {
    const index = new FakeIndex();
    const held = { readsInProgress: 0, read: async () => ({ amount, slot: 4_300, readAt: TEST_START }) };
    const walletReaders = { ...readersOf(index, () => TEST_START), held };
    expect(await sendAndFind(MODAL_BODY, { index, walletReaders })).toMatchObject({ checkedDetection });
  });

  it('is stored even if nothing can be detected', async () => {
    expect(await sendAndFind(MODAL_BODY)).toMatchObject({ checkedDetection: null });
  });

  it('from the inline form is stored, even with short evidence', async () => {
    const inline = {
      ...VERIFICATION_BODY,
      userTelegram: '',
      claimedStakedAmount: SHORT_REQUEST_VALUES.claimedStakedAmount,
      requestReason: 'tx 5abc',
      evidenceProvided: 'tx 5abc',
    };
    expect(await sendAndFind(inline)).toMatchObject({
      telegram: null,
      claimedAmount: SHORT_REQUEST_VALUES.claimedStakedAmount,
      reason: 'tx 5abc',
      evidence: 'tx 5abc',
    });
  });

  it('records that its wallet is proven', async () => {
    expect(await sendAndFind(MODAL_BODY, {}, walletOf(1))).toMatchObject({ isOwnershipProven: true });
  });
});
