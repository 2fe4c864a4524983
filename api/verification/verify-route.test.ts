import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../../data/store/ports.ts';
import type { ReadOptions } from '../chain/chain-reads.ts';
import { ApiError } from '../errors.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import {
  readersOf,
  startTestPortal,
  type TestPortal,
  type TestPortalChanges,
} from '../testing/test-portal.ts';
import { whitelistWallet } from '../testing/test-wallet.ts';
import type { WalletReaders } from './check-stake.ts';

const INDEX = new FakeIndex();
INDEX.storedStakes = {
  ...manyStakes(2),
  entries: [openedStake(1), openedStake(2, { closedAt: TEST_START })],
};

/** Fake readers for a chain with the stakes of the index and 3.5 BD in each wallet. They record what they read. */
function recordingReaders() {
  const readAccounts: string[] = [];
  const askedOptions: ReadOptions[] = [];
  const { staked } = readersOf(INDEX, () => TEST_START);
  const walletReaders: WalletReaders = {
    staked: {
      readsInProgress: 0,
      read: (wallet, stakePool, options) => {
        readAccounts.push(`${wallet} in ${stakePool}`);
        askedOptions.push(options);
        return staked.read(wallet, stakePool, options);
      },
    },
    held: {
      readsInProgress: 0,
      read: async (wallet, mint, options) => {
        readAccounts.push(`${wallet} of ${mint}`);
        askedOptions.push(options);
        return { amount: 3_500_000n, slot: 4_300, readAt: TEST_START };
      },
    },
  };
  return { read: readAccounts, asked: askedOptions, walletReaders };
}

async function start(changes: TestPortalChanges = {}): Promise<TestPortal> {
  const { walletReaders } = recordingReaders();
  const portal = await startTestPortal({ index: INDEX, walletReaders, ...changes });
  onTestFinished(() => portal.close());
  return portal;
}

async function verify(portal: TestPortal, wallet: string) {
  const answer = await ask(portal.port, `/api/verify-bd-tokens?walletAddress=${wallet}`);
  return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) };
}

describe('verifying a wallet', () => {
  it('reads its stake from the chain, not from the index', async () => {
    const { read, walletReaders } = recordingReaders();
    const portal = await start({ index: new FakeIndex(), walletReaders });
    const { status, headers, body } = await verify(portal, walletOf(1));
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(verifyBdTokens.response.parse(body)).toEqual({
      walletAddress: walletOf(1),
      isStaking: true,
      stakedAmount: 2_000_000,
      stakedAmountText: '2000000',
      heldAmount: null,
      tier: 'Duckling',
      detectionMethod: 'stake_entry',
      asOf: '2026-01-01T00:00:00.000Z',
      slot: 4_242,
      source: 'solana',
      state: 'live',
    });
    expect(read).toEqual([`${walletOf(1)} in ${SAMPLE_INDEX.identity?.stakePool}`]);
  });

  it('reports the balance of a wallet without a stake entry, or with only a closed one, as held, not staked', async () => {
    const portal = await start();
    for (const wallet of [walletOf(5), walletOf(2)]) {
      const { body } = await verify(portal, wallet);
      expect(verifyBdTokens.response.parse(body), wallet).toMatchObject({
        isStaking: false,
        stakedAmount: 0,
        stakedAmountText: '0',
        heldAmount: '3.5',
        tier: 'None',
        detectionMethod: 'token_account_analysis',
        slot: 4_242,
      });
    }
  });

  it('reports the whitelisted tier, but the stake that the chain shows', async () => {
    const portal = await start();
    await whitelistWallet(portal.store, walletOf(5), 'Raven');
    await whitelistWallet(portal.store, walletOf(1), 'Banker');
    expect((await verify(portal, walletOf(5))).body).toMatchObject({
      isStaking: false,
      stakedAmount: 0,
      stakedAmountText: '0',
      heldAmount: '3.5',
      tier: 'Raven',
      detectionMethod: 'token_account_analysis',
    });
    expect((await verify(portal, walletOf(1))).body).toMatchObject({
      isStaking: true,
      stakedAmountText: '2000000',
      tier: 'Banker',
      detectionMethod: 'stake_entry',
    });
  });

  it('reads at the index’s slot or later, from healthy endpoints', async () => {
    const { asked, read, walletReaders } = recordingReaders();
    await verify(await start({ walletReaders }), walletOf(5));
    const options = { minSlot: 4_242, health: SAMPLE_INDEX.endpoints };
    expect(asked).toEqual([options, options]);
    expect(read[1]).toBe(`${walletOf(5)} of ${SAMPLE_INDEX.identity?.mint}`);
  });

  it('rejects anything but a single valid address', async () => {
    const portal = await start();
    for (const wallet of [
      '',
      '0'.repeat(40),
      '1'.repeat(31) + 'a'.repeat(2),
      '5'.repeat(88),
      encodeURIComponent('<script>'),
      `${walletOf(1)}&walletAddress=${walletOf(2)}`,
      encodeURIComponent('\n\nevent: result\ndata: {}'),
    ]) {
      const { status, body } = await verify(portal, wallet);
      expect([wallet, status, body.code]).toEqual([wallet, 400, 'invalid-query']);
    }
  });

  it.each([
    ['its stake', 'staked'],
    ['its tokens', 'held'],
  ])('fails, instead of reporting 0, when %s cannot be read', async (_case, brokenReader) => {
    const { walletReaders } = recordingReaders();
    const failingReader = {
      readsInProgress: 0,
      read: () => Promise.reject(new ApiError('chain-unreadable')),
    };
    const portal = await start({ walletReaders: { ...walletReaders, [brokenReader]: failingReader } });
    const { status, headers, body } = await verify(portal, walletOf(5));
    expect([status, headers['retry-after'], body.code]).toEqual([503, '10', 'chain-unreadable']);
    expect(body).not.toHaveProperty('stakedAmount');
    expect(body).not.toHaveProperty('isStaking');
  });

  it('needs the stake pool from the index, but works even if the index is out of date', async () => {
    const portal = await start();
    await portal.pollAt(TEST_START + 3_600_000);
    expect((await verify(portal, walletOf(1))).body).toMatchObject({ isStaking: true });
    const emptyPortal = await start({ index: new FakeIndex(EMPTY_INDEX_SNAPSHOT) });
    const notIndexedAnswer = await verify(emptyPortal, walletOf(1));
    expect([notIndexedAnswer.status, notIndexedAnswer.body.code]).toEqual([503, 'not-indexed-yet']);
  });
});
