import { afterEach, describe, expect, it } from 'vitest';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { NOTHING_INDEXED } from '../../data/store/ports.ts';
import { ChainUnreadableError } from '../errors.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import type { HeldTokensReader, ReadingTerms } from './held-tokens.ts';

const portals: TestPortal[] = [];
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});

/** A chain on which every wallet holds 3.5 BD, and that remembers who was read. */
function chainOfTest() {
  const read: string[] = [];
  const asked: ReadingTerms[] = [];
  const heldTokens: HeldTokensReader = {
    underWay: 0,
    read: async (wallet, _mint, terms) => {
      read.push(wallet);
      asked.push(terms);
      return { amount: 3_500_000n, slot: 4_300, readAt: TEST_START };
    },
  };
  return { read, asked, heldTokens };
}

async function start(changes: Parameters<typeof startTestPortal>[0] = {}): Promise<TestPortal> {
  const index = new FakeIndex();
  index.held = { ...manyStakes(2), entries: [openedStake(1), openedStake(2, { closedAt: TEST_START })] };
  const portal = await startTestPortal({ index, heldTokens: chainOfTest().heldTokens, ...changes });
  portals.push(portal);
  return portal;
}

async function verify(portal: TestPortal, wallet: string) {
  const answer = await ask(portal.port, `/api/verify-bd-tokens?walletAddress=${wallet}`);
  return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) };
}

describe('verifying a wallet', () => {
  it('finds its stake in the index, and asks the chain nothing', async () => {
    const { read, heldTokens } = chainOfTest();
    const { status, headers, body } = await verify(await start({ heldTokens }), walletOf(1));
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
    expect(read).toEqual([]);
  });

  it.each([
    ['no entry', walletOf(5)],
    ['a closed entry only', walletOf(2)],
  ])('with %s tells what its token accounts hold, as held and not as staked', async (_case, wallet) => {
    const { body } = await verify(await start(), wallet);
    expect(verifyBdTokens.response.parse(body)).toMatchObject({
      isStaking: false,
      stakedAmount: 0,
      stakedAmountText: '0',
      heldAmount: '3.5',
      tier: 'None',
      detectionMethod: 'token_account_analysis',
      slot: 4_300,
    });
  });

  it('without a stake is read at the stakes’ slot or later, where the indexer gets answers', async () => {
    const { asked, heldTokens } = chainOfTest();
    await verify(await start({ heldTokens }), walletOf(5));
    expect(asked).toEqual([{ minSlot: 4_242, health: SAMPLE_INDEX.endpoints }]);
  });

  it('with a stake below every tier is staking, with tier None', async () => {
    const index = new FakeIndex();
    index.held = { ...manyStakes(0), entries: [openedStake(1, { amount: 1n })] };
    const { body } = await verify(await start({ index }), walletOf(1));
    expect(body).toMatchObject({ isStaking: true, stakedAmountText: '0.000001', tier: 'None' });
  });

  it.each([
    ['no address', ''],
    ['letters that base58 has not', '0'.repeat(40)],
    ['too few bytes', '1'.repeat(31) + 'a'.repeat(2)],
    ['a signature', '5'.repeat(88)],
    ['markup', encodeURIComponent('<script>')],
  ])('with %s is refused in clear words', async (_case, wallet) => {
    const { status, body } = await verify(await start(), wallet);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      success: false,
      code: 'invalid-query',
      error: expect.stringMatching(/wallet/),
    });
  });

  it('without the parameter, or with it twice, is refused', async () => {
    const portal = await start();
    const twice = `walletAddress=${walletOf(1)}&walletAddress=${walletOf(2)}`;
    for (const query of ['', `?${twice}`]) {
      expect((await ask(portal.port, `/api/verify-bd-tokens${query}`)).status).toBe(400);
    }
  });

  it('says nothing, rather than 0, where the chain cannot be read', async () => {
    const heldTokens = {
      underWay: 0,
      read: () => Promise.reject(new ChainUnreadableError()),
    };
    const { status, headers, body } = await verify(await start({ heldTokens }), walletOf(5));
    expect([status, headers['retry-after'], body.code]).toEqual([503, '10', 'chain-unreadable']);
    expect(body).not.toHaveProperty('stakedAmount');
  });

  it('says nothing of any wallet where the stakes are stale or not read', async () => {
    const portal = await start();
    await portal.lookAt(TEST_START + 60_001);
    for (const wallet of [walletOf(5), walletOf(1)]) {
      const stale = await verify(portal, wallet);
      expect([stale.status, stale.body.code]).toEqual([503, 'stakes-stale']);
      expect(stale.body).not.toHaveProperty('isStaking');
    }
    const empty = await start({ index: new FakeIndex(NOTHING_INDEXED) });
    const unknown = await verify(empty, walletOf(1));
    expect([unknown.status, unknown.body.code]).toEqual([503, 'not-indexed-yet']);
  });

  it('is limited for one address, by its own count', async () => {
    const portal = await start({ verificationsPerMinute: 2 });
    const statuses = [];
    for (let call = 0; call < 3; call++) statuses.push((await verify(portal, walletOf(1))).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await ask(portal.port, '/api/nope')).status).toBe(404);
  });
});
