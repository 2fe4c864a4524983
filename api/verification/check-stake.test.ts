import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCard } from '../../data/contract/cards.ts';
import { FakeIndex } from '../testing/fake-index.ts';
import { manyStakes, openedStake } from '../testing/sample-stakes.ts';
import { readersOf, startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { post, signedIn, type TestWallet, testWallet } from '../testing/test-wallet.ts';
import { createHeldTokensReader } from './held-tokens.ts';
import { createStakedTokensReader } from './staked-tokens.ts';

describe('a gated action', () => {
  let owner: TestWallet;
  let portal: TestPortal;
  /** A chain on which the wallet has unstaked. The index still has its stake. */
  const chain = new FakeIndex();

  beforeAll(async () => {
    owner = testWallet();
    const index = new FakeIndex();
    index.held = { ...manyStakes(0), entries: [openedStake(1, { wallet: owner.address })] };
    const { staked } = readersOf(chain, () => 0);
    const held = {
      readsInProgress: 0,
      read: async () => ({ amount: 2_000_000_000_000n, slot: 1, readAt: 0 }),
    };
    portal = await startTestPortal({ index, walletReaders: { staked, held } });
  });
  afterAll(() => portal.close());

  const create = async () => {
    const cookie = await signedIn(portal.port, owner);
    const body = { walletAddress: owner.address, holderName: 'Ada Lovelace' };
    return post(portal.port, createCard.path, body, { Cookie: cookie });
  };

  it('is refused to a wallet that unstaked, although the index still has its stake', async () => {
    const refused = await create();
    expect([refused.status, JSON.parse(refused.body).success]).toEqual([403, false]);
    chain.held = { ...manyStakes(0), entries: [openedStake(1, { wallet: owner.address })] };
    expect((await create()).status).toBe(200);
  });

  it('is not decided while the chain cannot be read', async () => {
    const index = new FakeIndex();
    index.held = { ...manyStakes(0), entries: [openedStake(1, { wallet: owner.address })] };
    const walletReaders = { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) };
    const lost = await startTestPortal({ index, walletReaders });
    const cookie = await signedIn(lost.port, owner);
    const body = { walletAddress: owner.address, holderName: 'Ada Lovelace' };
    const answer = await post(lost.port, createCard.path, body, { Cookie: cookie });
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([503, 'chain-unreadable']);
    await lost.close();
  });
});
