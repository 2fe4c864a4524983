// @module-tag slow
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNewApp } from '../../../data/store/testing/new-stores.ts';
import { addCard } from '../../../data/store/testing/sample-top-ups.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { ANVIL_CHAIN_ID, startAnvil } from './testing/anvil.ts';
import { FUNDING_ADDRESS } from './testing/fake-ethereum.ts';
import { CONFIRMATIONS, openFollower } from './testing/open-follower.ts';

let anvil: Awaited<ReturnType<typeof startAnvil>>;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.close());

const NEVER_ABORTED = new AbortController().signal;

describe('following an Anvil chain', () => {
  it('credits final transfers of the token, even after blocks are replaced, but none of another token or chain', async () => {
    const store = await openNewApp(join(temporaryFolder(), 'app.db'));
    await addCard(store, 'card');
    const [token, otherToken] = [await anvil.deploy(), await anvil.deploy()];
    const finalize = () => anvil.mine(64 + CONFIRMATIONS);
    await finalize();
    const follower = await openFollower(store, [anvil.url], { chainId: ANVIL_CHAIN_ID, token });
    await follower.follow(NEVER_ABORTED);
    const amount = 25_000_000n + BigInt((await store.topUps.tagOf('card')) ?? 0);
    const topUpStates = async () => (await store.topUps.ofCard('card', 9)).map(({ state }) => state);

    await anvil.transfer(token, FUNDING_ADDRESS, amount);
    await anvil.mine(1);
    await follower.follow(NEVER_ABORTED);
    expect(await topUpStates()).toEqual(['confirming']);
    await anvil.reorganize(1);
    await follower.follow(NEVER_ABORTED);
    expect(await topUpStates()).toEqual([]);

    // All these transfers are in one block. The first two are equal.
    await anvil.transfer(token, FUNDING_ADDRESS, amount);
    await anvil.transfer(token, FUNDING_ADDRESS, amount);
    await anvil.transfer(otherToken, FUNDING_ADDRESS, amount);
    await anvil.transfer(token, FUNDING_ADDRESS, 9_000_000n);
    await anvil.transfer(token, FUNDING_ADDRESS, 5n);
    await finalize();
    await follower.follow(NEVER_ABORTED);
    await follower.follow(NEVER_ABORTED);
    expect(await topUpStates()).toEqual(['credited', 'credited']);
    expect((await store.topUps.unmatchedTransfers(9)).map((transfer) => transfer.amount)).toEqual([
      9_000_000n,
    ]);
    const feed = await store.topUps.feed('feed');
    expect(feed?.expected).toBe(2n * amount + 9_000_000n + 5n);

    const wrongChain = await openFollower(store, [anvil.url], { chainId: 1, token });
    await expect(wrongChain.follow(NEVER_ABORTED)).rejects.toThrow(/^Too few/);
    await store.close();
  });
});
