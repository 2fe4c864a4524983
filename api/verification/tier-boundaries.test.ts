// @module-tag slow
import * as web3 from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/environment.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { StakeInstructions, TOKEN_PROGRAMS } from '../stake-order/stake-instructions.ts';
import { FakeIndex, SAMPLE_INDEX } from '../testing/fake-index.ts';
import { fund, type LedgerProcess, sendToLedger, startLedger } from '../testing/ledger-process.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { createHeldTokensReader } from './held-tokens.ts';
import { createStakedTokensReader } from './staked-tokens.ts';

const UNITS_PER_BD = 1_000_000n;

/** Staked base units, their tier, and the BD still needed for the lowest tier. */
const BOUNDARIES = [
  [1n, 'None', '1499999.999999'],
  [1_499_999n * UNITS_PER_BD, 'None', '1'],
  [1_500_000n * UNITS_PER_BD - 1n, 'None', '0.000001'],
  [1_500_000n * UNITS_PER_BD, 'Duckling', '0'],
  [5_000_000n * UNITS_PER_BD - 1n, 'Duckling', '0'],
  [5_000_000n * UNITS_PER_BD, 'Banker', '0'],
  [7_500_000n * UNITS_PER_BD - 1n, 'Banker', '0'],
  [7_500_000n * UNITS_PER_BD, 'Raven', '0'],
] as const;

const { stakePool, mint, vault } = EMBEDDED_ADDRESSES;
const instructions = new StakeInstructions(web3, { stakePool, mint, tokenProgram: TOKEN_PROGRAMS.token });

let ledger: LedgerProcess;
let portal: TestPortal;

beforeAll(async () => {
  ledger = await startLedger();
  const index = new FakeIndex();
  const { identity } = SAMPLE_INDEX;
  index.commit({ identity: identity && { ...identity, stakePool, mint, vault }, endpoints: [] });
  index.commitChain({ slot: 0 });
  portal = await startTestPortal({
    index,
    chain: 'embedded-ledger',
    walletReaders: {
      staked: createStakedTokensReader([ledger.url]),
      held: createHeldTokensReader([ledger.url]),
    },
  });
});
afterAll(async () => {
  await portal.close();
  await ledger.stop();
});

/**
 * Creates a wallet that stakes these amounts (base units) one by one. For each amount, it also has one base unit that it does
 * not stake.
 */
async function createStaker(...amounts: readonly bigint[]): Promise<string> {
  const keypair = web3.Keypair.generate();
  const wallet = keypair.publicKey.toBase58();
  const bd = amounts.reduce((sum, amount) => sum + amount + 1n, 0n);
  await fund(ledger.url, keypair.publicKey, { lamports: 1_000_000_000n, bd });
  for (const [nonce, amount] of amounts.entries()) {
    await sendToLedger(ledger.url, instructions.build({ wallet, nonce, amount }), [keypair]);
  }
  return wallet;
}

async function verifyAndCheck(wallet: string) {
  const query = `?walletAddress=${wallet}`;
  const verifyAnswer = await ask(portal.port, verifyBdTokens.path + query);
  const eligibilityAnswer = await ask(portal.port, cardEligibility.path + query);
  return {
    verified: verifyBdTokens.response.parse(JSON.parse(verifyAnswer.body)),
    eligible: cardEligibility.response.parse(JSON.parse(eligibilityAnswer.body)),
  };
}

describe('on the embedded ledger, a stake', () => {
  it('gets the tier for its exact amount in base units', async () => {
    const wallets = await Promise.all(BOUNDARIES.map(([amount]) => createStaker(amount)));
    for (const [index, [amount, tier, missing]] of BOUNDARIES.entries()) {
      const { verified, eligible } = await verifyAndCheck(wallets[index] ?? '');
      const stakedAmountText = toDecimalText(amount, 6);
      expect(verified, stakedAmountText).toMatchObject({
        isStaking: true,
        tier,
        stakedAmountText,
        heldAmount: null,
        detectionMethod: 'stake_entry',
        source: 'embedded-ledger',
      });
      expect(eligible, stakedAmountText).toMatchObject({
        eligible: tier !== 'None',
        tier,
        missing,
        bdBalanceText: stakedAmountText,
        detectionMethod: 'stake_entry',
      });
    }
  });

  it('is added to the wallet’s other stakes', async () => {
    const wallet = await createStaker(1_000_000n * UNITS_PER_BD, 500_000n * UNITS_PER_BD - 1n, 1n);
    expect((await verifyAndCheck(wallet)).verified).toMatchObject({
      tier: 'Duckling',
      stakedAmountText: '1500000',
    });
  });

  it('does not include unstaked tokens, which earn no tier', async () => {
    const keypair = web3.Keypair.generate();
    await fund(ledger.url, keypair.publicKey, { lamports: 1_000_000_000n, bd: 2_000_000n * UNITS_PER_BD });
    const { verified, eligible } = await verifyAndCheck(keypair.publicKey.toBase58());
    expect(verified).toMatchObject({
      isStaking: false,
      tier: 'None',
      stakedAmountText: '0',
      heldAmount: '2000000',
      detectionMethod: 'token_account_analysis',
    });
    expect(eligible).toMatchObject({
      eligible: false,
      tier: 'None',
      missing: '1500000',
      bdBalanceText: '2000000',
    });
  });
});
