// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StakeOrder } from '../../data/stake-calls.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { SAMPLE_WALLET, sampleEligibility } from '../testing/sample-eligibility.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { ProofError } from '../wallet/proof-errors.ts';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import { $wallet, DISCONNECTED } from '../wallet/wallet-stores.ts';
import { ConnectedStake } from './StakePortal.tsx';
import { toBase64 } from './stake-message.ts';
import { stakeBytes } from './testing/stake-bytes.ts';

const connected = {
  walletAddress: SAMPLE_WALLET,
  isConnected: true,
  isConnecting: false,
  walletName: 'Test',
};
const unsigned = stakeBytes(SAMPLE_WALLET, 1_500_000_000_000n);
const signed = stakeBytes(SAMPLE_WALLET, 1_500_000_000_000n, 7);
const order: StakeOrder = {
  transaction: toBase64(unsigned),
  walletAddress: SAMPLE_WALLET,
  amount: '1500000',
  lockDays: 180,
  unlockDate: '2027-05-20T10:00:00.000Z',
  fee: '5000',
  rent: '4281600',
  lastValidBlockHeight: 500,
  simulation: { unitsConsumed: 50_000 },
};
const holder = sampleEligibility({
  eligible: false,
  bdBalanceText: '2000000',
  detectionMethod: 'token_account_analysis',
  tier: 'None',
  missing: '1500000',
});
const BUILD = 'POST /api/staking/build';
const SUBMIT = 'POST /api/staking/submit';
const PROGRESS = 'GET /api/staking/progress';

const signTransaction = vi.fn(async (_: Uint8Array) => signed);
const connect = vi.fn(async () => $wallet.set(connected));
const wallet = { connect, signTransaction, prove: vi.fn(), disconnect: vi.fn() };
let page: ServedPage;

beforeEach(async () => {
  vi.clearAllMocks();
  HTMLDialogElement.prototype.showModal ??= () => {};
  $wallet.set(DISCONNECTED);
  page = await openServedPage(
    <LiveRoot>
      <WalletProvider wallet={wallet}>
        <ConnectedStake explorer="https://e.example" />
      </WalletProvider>
    </LiveRoot>,
  );
  page.answer('GET /api/virtual-card/eligibility', holder);
  page.answer(BUILD, order);
  page.answer(SUBMIT, { signature: 's'.repeat(80) });
  page.answer(PROGRESS, { state: 'pending', slot: null, error: null });
});
afterEach(() => page.close());

const amount = () => page.place.querySelector<HTMLInputElement>('#stake-amount')?.value;
const calls = (call: string) => page.asked.filter((asked) => asked.call === call);

async function review(): Promise<void> {
  await page.press('Connect Wallet');
  await page.pass(1);
  await page.press('Duckling · 1,500,000');
  await page.press('Review the Stake');
  await page.pass(1);
}
async function send(): Promise<void> {
  await review();
  await page.press('Sign and Stake');
  await page.pass(0.1);
}

describe('a stake from the portal', () => {
  it('is built for what is missing to a tier, shown, signed, sent and followed until it is confirmed', async () => {
    await review();
    expect(calls(BUILD)).toEqual([
      { call: BUILD, payload: { walletAddress: SAMPLE_WALLET, amount: '1500000' } },
    ]);
    for (const shown of ['1,500,000 BD', '20 May 2027, 10:00 UTC', '0.000005 SOL', '0.0042816 SOL'])
      expect(page.text()).toContain(shown);
    expect(signTransaction).not.toHaveBeenCalled();

    await page.press('Sign and Stake');
    expect(signTransaction.mock.calls).toEqual([[unsigned]]);
    expect(calls(SUBMIT)).toEqual([{ call: SUBMIT, payload: { transaction: toBase64(signed) } }]);
    expect(page.text()).toContain('Waiting for the chain');
    page.answer(PROGRESS, { state: 'confirmed', slot: 9, error: null });
    page.answer(
      'GET /api/virtual-card/eligibility',
      sampleEligibility({ bdBalanceText: '1500000', tier: 'Duckling' }),
    );
    await page.pass(4);
    await page.arrive();
    expect(page.text()).toContain('The stake is confirmed');
    expect(page.text()).toContain('1,500,000 BD are staked and locked until 20 May 2027');
    expect(page.place.querySelector('dialog')?.textContent).toContain('Duckling Tier Activated');
  });

  it('tells its risks beside both buttons that lead on', async () => {
    expect(page.text()).toContain('Locked for 180 days. There is no early withdrawal');
    await review();
    expect(page.text()).toContain('Locked for 180 days. There is no early withdrawal');
    expect(page.text()).toContain('set by the project');
    expect(page.text()).not.toContain('This wallet stakes already.');
  });

  it('returns to the form with its amount where the wallet does not sign', async () => {
    signTransaction.mockRejectedValueOnce(new ProofError('not-signed'));
    await send();
    expect(page.text()).toContain('The wallet did not sign.');
    expect(amount()).toBe('1500000');
    expect(calls(SUBMIT)).toEqual([]);
  });

  it('is not given to the wallet where it is not what was shown', async () => {
    page.answer(BUILD, { ...order, transaction: toBase64(stakeBytes(SAMPLE_WALLET, 1_500_000_000_001n)) });
    await send();
    expect(signTransaction).not.toHaveBeenCalled();
    expect(page.text()).toContain('is not the stake that was shown');
  });

  it('is not sent where the wallet signed something else', async () => {
    signTransaction.mockResolvedValueOnce(stakeBytes(SAMPLE_WALLET, 9n, 7));
    await send();
    expect(calls(SUBMIT)).toEqual([]);
    expect(page.text()).toContain('is not the stake that was shown');
  });

  it('tells in the words of the server why it cannot be built', async () => {
    page.answer(BUILD, { success: false, error: 'The wallet holds too little SOL.' }, 409);
    await review();
    expect(page.text()).toContain('The wallet holds too little SOL.');
    expect(amount()).toBe('1500000');
  });

  it('that nothing was heard of after sending can be sent again, or looked for', async () => {
    page.losesNetwork(SUBMIT);
    await send();
    expect(page.text()).toContain('The stake may not have been sent');
    page.answer(SUBMIT, { success: false, error: 'It was sent already.' }, 409);
    await page.press('Send Again');
    expect(page.text()).toContain('It was sent already.');
    page.answer(PROGRESS, { state: 'finalized', slot: 9, error: null });
    await page.press('Look for It');
    await page.pass(2);
    expect(page.text()).toContain('The stake is final');
    expect(signTransaction).toHaveBeenCalledOnce();
  });

  it('that lapsed while it was looked at is prepared again before it is signed', async () => {
    await review();
    await page.pass(46);
    expect(page.text()).toContain('prepared too long ago');
    expect(page.text()).not.toContain('Sign and Stake');
    await page.press('Prepare It Again');
    await page.pass(1);
    expect(calls(BUILD)).toHaveLength(2);
    expect(page.text()).toContain('Sign and Stake');
  });

  it('that takes long says so, and lets the visitor leave', async () => {
    await send();
    page.answer(PROGRESS, {}, 503);
    await page.pass(25);
    expect(page.text()).toContain('longer than usual');
    expect(page.text()).toContain('cannot be read at the moment');
    await page.press('Leave It');
    const looks = calls(PROGRESS).length;
    await page.pass(10);
    expect(calls(PROGRESS)).toHaveLength(looks);
    expect(amount()).toBe('1500000');
  });

  it.each([
    ['failed', 'Too little BD.', 'Too little BD. Nothing was staked.'],
    ['expired', null, 'did not take it before it lapsed'],
  ])('that %s says that nothing was staked', async (state, error, words) => {
    page.answer(PROGRESS, { state, slot: null, error });
    await send();
    await page.pass(2);
    expect(page.text()).toContain(words);
  });

  it('of another wallet is forgotten when the wallet changes before it is signed', async () => {
    await review();
    await page.pass(1, () => $wallet.set({ ...connected, walletAddress: '1'.repeat(32) }));
    expect(page.text()).not.toContain('What you are about to sign');
    expect(amount()).toBe('1500000');
  });

  it('needs an amount', async () => {
    await page.press('Connect Wallet');
    await page.pass(1);
    await page.type('stake-amount', '1e6');
    await page.press('Review the Stake');
    expect(page.text()).toContain('Enter how many BD to stake');
    expect(calls(BUILD)).toEqual([]);
  });
});
