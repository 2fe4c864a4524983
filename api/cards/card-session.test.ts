import { expect, it } from 'vitest';
import { FRESH_PROOF_SECONDS } from '../../data/contract/cards.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { openedStake } from '../testing/sample-stakes.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { post, signedIn, testWallet } from '../testing/test-wallet.ts';

it('a wallet that signed in and stakes enough gets a card, shows it while its proof is fresh', async () => {
  const wallet = testWallet();
  const index = new FakeIndex();
  const stake = (amount: bigint) => {
    index.held = {
      entries: [openedStake(1, { wallet: wallet.address, amount })],
      ended: [],
      transactionCounts: new Map(),
    };
  };
  const portal = await startTestPortal({ index });
  const call = async (name: string, body: unknown, cookie: string) => {
    const answer = await post(portal.port, `/api/virtual-card/${name}`, body, { Cookie: cookie });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  const wish = { walletAddress: wallet.address, holderName: 'BlackDuck Member' };

  const cookie = await signedIn(portal.port, wallet);
  stake(1_499_999_999_999n);
  expect((await call('create', wish, cookie)).status).toBe(403);
  stake(1_500_000_000_000n);
  expect((await call('create', wish, '')).status).toBe(401);
  expect((await call('create', wish, await signedIn(portal.port, testWallet()))).status).toBe(401);
  const made = await call('create', wish, cookie);
  expect(made).toMatchObject({ status: 200, body: { card: { tier: 'Duckling', state: 'active' } } });

  const named = { cardId: made.body.card.cardId };
  expect((await call('reveal', named, cookie)).status).toBe(200);
  await portal.lookAt(TEST_START + FRESH_PROOF_SECONDS * 1_000 + 1);
  expect(await call('reveal', named, cookie)).toMatchObject({
    status: 401,
    body: { code: 'fresh-proof-needed' },
  });
  expect((await call('reveal', named, await signedIn(portal.port, wallet))).status).toBe(200);
  expect((await call('freeze', named, cookie)).body.card.state).toBe('frozen');
  await portal.close();
});
