// @module-tag slow
// @vitest-environment happy-dom
import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { cleanStores } from 'nanostores';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LOCK_DAYS, STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import { queryClient } from '../../data/query-client.ts';
import type { StakeOrder } from '../../data/stake-calls.ts';
import { $now } from '../../data/ticking-clock.ts';
import { FakeEventSource } from '../testing/fake-event-source.ts';
import {
  CONNECTED_STATE,
  chainReadFields,
  SAMPLE_TRANSACTION,
  SAMPLE_WALLET,
  sampleBodies,
  sampleEligibility,
} from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { LiveRoot } from '../ui/Live.tsx';
import { qrPath } from '../ui/QrCode.tsx';
import { toBase64 } from '../wallet/base64.ts';
import { ProofError } from '../wallet/proof-session.ts';
import { WalletContext } from '../wallet/WalletProvider.tsx';
import { $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import { stakeLinks } from './ShareStake.tsx';
import { ConnectedStake } from './StakePortal.tsx';

const LOCK_SECONDS = BigInt(LOCK_DAYS) * 86_400n;
const SIGNATURE_BYTES = 64;

/** A serialized transaction that stakes `amount` base units. Every byte of its signature is `signatureByte`. */
function stakeBytes(walletAddress: string, amount: bigint, signatureByte = 0): Uint8Array {
  const owner = new PublicKey(walletAddress);
  const data = Buffer.alloc(28);
  data.set([206, 176, 202, 18, 200, 209, 179, 108]);
  data.writeBigUInt64LE(amount, 12);
  data.writeBigUInt64LE(LOCK_SECONDS, 20);
  const transaction = new Transaction({ feePayer: owner, recentBlockhash: STAKING_PROGRAM }).add(
    new TransactionInstruction({
      programId: new PublicKey(STAKING_PROGRAM),
      keys: [{ pubkey: owner, isSigner: true, isWritable: true }],
      data,
    }),
  );
  const bytes = Uint8Array.from(transaction.serialize({ requireAllSignatures: false }));
  bytes.fill(signatureByte, 1, 1 + SIGNATURE_BYTES);
  return bytes;
}

const unsignedBytes = stakeBytes(SAMPLE_WALLET, 1_500_000_000_000n);
const signedBytes = stakeBytes(SAMPLE_WALLET, 1_500_000_000_000n, 7);
const order: StakeOrder = {
  transaction: toBase64(unsignedBytes),
  walletAddress: SAMPLE_WALLET,
  amount: '1500000',
  lockDays: 180,
  unlockDate: '2027-05-20T10:00:00.000Z',
  fee: '25000',
  priorityFee: '20000',
  rent: '4281600',
  lastValidBlockHeight: 500,
  simulation: { unitsConsumed: 50_000 },
};
const holderEligibility = sampleEligibility({
  eligible: false,
  bdBalanceText: '2000000',
  detectionMethod: 'token_account_analysis',
  tier: 'None',
  missing: '1500000',
});
const TERMS = /180 days.*no early withdrawal.*set by the project/;
const AVAILABLE = 'GET /api/staking/available';
const BUILD = 'POST /api/staking/build';
const SUBMIT = 'POST /api/staking/submit';
const ELIGIBILITY = 'GET /api/virtual-card/eligibility';
const PROGRESS = 'GET /api/staking/progress';
const SESSION = 'GET /api/wallet/session';
const MARKET = 'GET /api/trading/market-data';

const signTransaction = vi.fn(async (_: Uint8Array) => signedBytes);
const connect = vi.fn(async () => $wallet.set(CONNECTED_STATE));
const wallet = { connect, signTransaction, prove: vi.fn(), disconnect: vi.fn() };
let page: ServedPage;

beforeEach(async () => {
  vi.clearAllMocks();
  $wallet.set(DISCONNECTED_STATE);
  await openPage();
});

async function openPage(): Promise<void> {
  page = await openServedPage(
    <LiveRoot>
      <WalletContext value={wallet}>
        <ConnectedStake explorer="https://e.example" />
      </WalletContext>
    </LiveRoot>,
  );
  page.respond(ELIGIBILITY, holderEligibility);
  page.respond(AVAILABLE, {
    walletAddress: SAMPLE_WALLET,
    available: '2000000.000001',
    ...chainReadFields(),
  });
  page.respond(BUILD, order);
  page.respond(SUBMIT, { signature: 's'.repeat(80) });
  page.respond(PROGRESS, { state: 'pending', slot: null, error: null });
}
afterEach(async () => {
  await page.close();
  // Stops the clock, because its timer belongs to the closed page.
  cleanStores($now);
});

const stage = () => page.root.querySelector<HTMLElement>('[data-stake]')?.dataset.stake;
const alert = () => page.root.querySelector('[role=alert]')?.textContent;
const amountValue = () => page.root.querySelector<HTMLInputElement>('#stake-amount')?.value;
const calls = (call: string) => page.requests.filter((request) => request.call === call);

async function review(): Promise<void> {
  await page.press('Connect Wallet');
  await page.advance(1);
  await page.press('Duckling · 1,500,000');
  await page.press('Review Stake');
  await page.advance(1);
}
async function sign(): Promise<void> {
  await page.press('Sign and Stake');
  // The screen that follows the signature is loaded on demand.
  await page.settle();
}
async function send(): Promise<void> {
  await review();
  await sign();
}

describe('a stake from the portal', () => {
  it('is built, shown with its terms, signed, sent and followed until it is confirmed', async () => {
    expect(page.text()).toMatch(TERMS);
    await review();
    expect(page.text()).toMatch(TERMS);
    expect(calls(BUILD)).toEqual([
      { call: BUILD, payload: { walletAddress: SAMPLE_WALLET, amount: '1500000' } },
    ]);
    const figures =
      /1,500,000 BD.*20 May 2027, 10:00 UTC.*0\.000025 SOL, including 0\.00002 SOL.*0\.0042816 SOL/;
    expect(page.text()).toMatch(figures);
    expect(signTransaction).not.toHaveBeenCalled();

    await sign();
    expect(signTransaction.mock.calls).toEqual([[unsignedBytes]]);
    expect(calls(SUBMIT)).toEqual([{ call: SUBMIT, payload: { transaction: toBase64(signedBytes) } }]);
    expect(stage()).toBe('following');
    page.respond(PROGRESS, { state: 'confirmed', slot: 9, error: null });
    page.respond(ELIGIBILITY, sampleEligibility({ bdBalanceText: '1500000', tier: 'Duckling' }));
    await page.advance(4);
    await page.settle();
    expect(stage()).toBe('confirmed');
    expect(page.text()).toMatch(/1,500,000 BD is staked.*20 May 2027/);
    // The dialog is loaded once the tier has risen.
    await page.settle();
    expect(page.root.querySelector('dialog')?.textContent).toContain('Duckling Tier Activated');
  });

  it('is sent again until the chain confirms it', async () => {
    await send();
    expect(calls(SUBMIT)).toHaveLength(1);
    await page.advance(40);
    const payloads = calls(SUBMIT).map(({ payload }) => payload);
    expect(payloads.length).toBeGreaterThanOrEqual(3);
    expect(new Set(payloads.map((payload) => JSON.stringify(payload))).size).toBe(1);
    page.respond(PROGRESS, { state: 'confirmed', slot: 9, error: null });
    await page.advance(2);
    const count = calls(SUBMIT).length;
    await page.advance(40);
    expect(calls(SUBMIT)).toHaveLength(count);
  });

  it('returns to the form with its amount if the wallet does not sign', async () => {
    signTransaction.mockRejectedValueOnce(new ProofError('not-signed'));
    await send();
    expect(page.text()).toContain(new ProofError('not-signed').message);
    expect(amountValue()).toBe('1500000');
    expect(calls(SUBMIT)).toEqual([]);
  });

  it('is not signed if it differs from what was shown', async () => {
    page.respond(BUILD, { ...order, transaction: toBase64(stakeBytes(SAMPLE_WALLET, 1_500_000_000_001n)) });
    await send();
    expect(signTransaction).not.toHaveBeenCalled();
    expect(alert()).not.toBe('');
  });

  it('is not signed if the screen that follows a sent stake cannot be loaded', async () => {
    vi.doMock('./OrderSent.tsx', () => {
      throw new TypeError('Failed to fetch');
    });
    onTestFinished(() => void vi.doUnmock('./OrderSent.tsx'));
    await send();
    expect(signTransaction).not.toHaveBeenCalled();
    expect(calls(SUBMIT)).toEqual([]);
    expect(alert()).toBeTruthy();
    expect(amountValue()).toBe('1500000');
  });

  it('is not sent if the wallet signed something else', async () => {
    signTransaction.mockResolvedValueOnce(stakeBytes(SAMPLE_WALLET, 9n, 7));
    await send();
    expect(calls(SUBMIT)).toEqual([]);
    expect(alert()).not.toBe('');
  });

  it('shows the server’s message if it cannot be built', async () => {
    page.respond(BUILD, { success: false, error: 'The wallet holds too little SOL.' }, 409);
    await review();
    expect(page.text()).toContain('The wallet holds too little SOL.');
    expect(amountValue()).toBe('1500000');
  });

  it('can be sent again or followed if the server did not respond', async () => {
    page.failNetwork(SUBMIT);
    await send();
    await page.press('Send Again');
    expect(stage()).toBe('send-failed');
    page.respond(PROGRESS, { state: 'finalized', slot: 9, error: null });
    await page.press('Check status');
    await page.advance(2);
    expect(stage()).toBe('finalized');
    expect(signTransaction).toHaveBeenCalledOnce();
  });

  it('can be sent again, or followed, if the connection stops responding', async () => {
    await review();
    const endWait = page.stopResponding();
    await sign();
    expect(stage()).toBe('sending');
    await endWait();
    expect(stage()).toBe('send-failed');
    await page.press('Check status');
    expect(document.querySelector('[data-warning=unreadable]')).toBeNull();
    await endWait();
    expect(document.querySelector('[data-warning=unreadable]')).not.toBeNull();
  });

  it('is followed if the server refuses to send it again, because it may have been sent before', async () => {
    page.failNetwork(SUBMIT);
    await send();
    page.respond(SUBMIT, { success: false, error: 'No BD was moved.' }, 409);
    await page.press('Send Again');
    expect(stage()).toBe('following');
    expect(page.text()).not.toContain('No BD was moved.');
    expect(document.querySelector('[data-warning=may-be-sent]')).not.toBeNull();
    page.respond(PROGRESS, { state: 'finalized', slot: 9, error: null });
    await page.advance(2);
    expect(stage()).toBe('finalized');
  });

  it('cannot be signed once its quote has expired, until the quote is refreshed', async () => {
    await review();
    await page.advance(46);
    expect(page.text()).not.toContain('Sign and Stake');
    await page.press('Refresh the quote');
    await page.advance(1);
    expect(calls(BUILD)).toHaveLength(2);
    expect(page.text()).toContain('Sign and Stake');
  });

  it('warns if it takes long, and lets the visitor leave', async () => {
    await send();
    expect(document.querySelector('[data-warning=may-be-sent]')).toBeNull();
    page.respond(PROGRESS, {}, 503);
    await page.advance(25);
    expect(page.root.querySelector('[data-warning=slow]')).not.toBeNull();
    expect(page.root.querySelector('[data-warning=unreadable]')).not.toBeNull();
    await page.press('Back');
    const readCount = calls(PROGRESS).length;
    await page.advance(10);
    expect(calls(PROGRESS)).toHaveLength(readCount);
    expect(amountValue()).toBe('1500000');
  });

  it.each([
    ['failed', 'Too little BD.', 'Too little BD. Nothing was staked.'],
    ['expired', null, 'expired before it was confirmed'],
  ])('that has %s shows the reason', async (state, error, text) => {
    page.respond(PROGRESS, { state, slot: null, error });
    await send();
    await page.advance(2);
    expect(page.text()).toContain(text);
  });

  it('is dropped if another wallet connects before signing, but its amount is kept for the first wallet', async () => {
    await review();
    await page.advance(1, () => $wallet.set({ ...CONNECTED_STATE, walletAddress: '1'.repeat(32) }));
    expect(stage()).toBeUndefined();
    expect(amountValue()).toBe('');
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    expect(amountValue()).toBe('1500000');
  });

  it('does not ask to connect again while the wallet is connecting', async () => {
    await page.advance(1, () => $wallet.set({ ...DISCONNECTED_STATE, isConnecting: true }));
    await page.press('Connecting…');
    expect(connect).not.toHaveBeenCalled();
  });

  it('requires a valid amount', async () => {
    await page.press('Connect Wallet');
    await page.advance(1);
    await page.type('stake-amount', '1e6');
    await page.press('Review Stake');
    expect(page.root.querySelector('#stake-amount-error')).not.toBeNull();
    expect(calls(BUILD)).toEqual([]);
  });

  it('that is confirmed but not yet in the portal’s figures is polled for a limited time, and the balance is read once', async () => {
    await send();
    page.respond(PROGRESS, { state: 'confirmed', slot: 9, error: null });
    const before = { available: calls(AVAILABLE).length, eligibility: calls(ELIGIBILITY).length };
    await page.advance(4);
    await page.advance(26);
    expect(calls(AVAILABLE).length - before.available).toBe(1);
    // Well below the server's limit of 30 reads a minute.
    expect(calls(ELIGIBILITY).length - before.eligibility).toBeGreaterThan(2);
    expect(calls(ELIGIBILITY).length - before.eligibility).toBeLessThan(10);
    await page.advance(60);
    const after = calls(ELIGIBILITY).length;
    await page.advance(50);
    // The form itself reads once a minute.
    expect(calls(ELIGIBILITY).length - after).toBeLessThanOrEqual(1);
  });
});

describe('a shared stake', () => {
  it('has a Solana Pay code for the call that builds a stake of the typed amount', async () => {
    await page.press('Connect Wallet');
    await page.advance(1);
    await page.press('Duckling · 1,500,000');
    const details = page.root.querySelector('details');
    if (!details) throw new Error('The form offers no code.');
    await page.advance(0, () => {
      details.open = true;
    });
    await page.settle();
    const code = qrPath(stakeLinks('1500000', location.origin, location.origin).pay);
    expect(page.root.querySelector('svg[role=img] path + path')?.getAttribute('d')).toBe(code.path);
  });

  it('links to the page and to the API, each on its own origin', () => {
    const { page: link, pay } = stakeLinks('0.5', 'https://a.example', 'https://api.example');
    expect(link).toBe('https://a.example/staking?amount=0.5');
    expect(decodeURIComponent(pay)).toBe('solana:https://api.example/api/actions/stake?amount=0.5');
    expect(stakeLinks(null, 'https://a.example', 'https://a.example').page).toBe('https://a.example/staking');
  });
});

describe('the tier beside the wallet', () => {
  const shownTier = () => page.root.querySelector<HTMLElement>('p[data-tier]')?.dataset.tier;

  it.each([
    [
      'none for a whitelisted wallet without a stake',
      { detectionMethod: 'token_account_analysis' },
      undefined,
    ],
    ['lower for a whitelisted wallet that staked less', { detectionMethod: 'stake_entry' }, 'Duckling'],
  ] as const)('is the one that the stake earns: %s', async (_case, { detectionMethod }, tier) => {
    page.respond(
      ELIGIBILITY,
      sampleEligibility({ bdBalanceText: '2000000', detectionMethod, tier: 'Raven' }),
    );
    await page.press('Connect Wallet');
    await page.advance(1);
    await page.settle();
    expect(shownTier()).toBe(tier);
  });
});

describe('the stake form', () => {
  const connectWallet = async () => {
    await page.press('Connect Wallet');
    await page.advance(1);
  };
  const tierButtons = () =>
    [...page.root.querySelectorAll('fieldset button')].map(({ textContent }) => textContent);
  const outOfReachTexts = () =>
    [...page.root.querySelectorAll<HTMLElement>('li[data-tier]')].map((row) => row.textContent);

  it('offers the tiers within reach first, and says what the wallet lacks for the others', async () => {
    await connectWallet();
    expect(page.text()).toMatch(/Duckling · .*Banker needs .*Raven needs /);
    expect(tierButtons()).toEqual(['Duckling · 1,500,000']);
    expect(outOfReachTexts()).toEqual([
      expect.stringMatching(/^Banker.*2,999,999\.999999 BD/),
      expect.stringMatching(/^Raven.*5,499,999\.999999 BD/),
    ]);
  });

  it('counts the BD that the wallet has already staked', async () => {
    page.respond(ELIGIBILITY, sampleEligibility({ bdBalanceText: '5000000' }));
    page.respond(AVAILABLE, { walletAddress: SAMPLE_WALLET, available: '2500000', ...chainReadFields() });
    await connectWallet();
    expect(tierButtons()).toEqual(['Raven · 2,500,000']);
    expect(outOfReachTexts()).toEqual([]);
    expect(page.text()).toContain('This wallet already has a stake');
  });

  it('fills in the whole available balance on Max, to the base unit', async () => {
    await connectWallet();
    await page.press('Max');
    expect(amountValue()).toBe('2000000.000001');
    await page.press('Review Stake');
    expect(calls(BUILD)).toMatchObject([{ payload: { amount: '2000000.000001' } }]);
  });

  it('shows the unlock date, the tier, the stated reward and the terms before the review', async () => {
    await connectWallet();
    await page.type('stake-amount', '1,500,000');
    expect(page.text()).toMatch(/20 May 2027, 10:00 UTC.*Review Stake/);
    expect(page.text()).toMatch(/Card tier with this stake ?Duckling/);
    expect(page.text()).toContain('1,500,000.00 BD× 88.7%× 180÷ 365= 656,136.99 BD');
    expect(page.text()).toMatch(TERMS);
    await page.type('stake-amount', '9000000');
    expect(page.text()).toContain('2,000,000.000001 BD available. Enter that amount or less.');
  });

  it('has no Max, and no tier out of reach, while the balance is unknown', async () => {
    page.respond(AVAILABLE, {}, 503);
    await connectWallet();
    await page.advance(10);
    expect(page.text()).not.toContain('Max');
    expect(tierButtons()).toHaveLength(3);
    expect(outOfReachTexts()).toEqual([]);
    page.respond(AVAILABLE, { walletAddress: SAMPLE_WALLET, available: '0', ...chainReadFields() });
    await page.press('Retry the balance');
    expect(page.text()).not.toContain('Max');
    expect(outOfReachTexts()).toHaveLength(3);
  });

  it('shows how old the balance is, and offers a retry while it cannot be read again', async () => {
    await connectWallet();
    const available = () => page.root.querySelector('#stake-available');
    expect(available()?.querySelector('[data-state=live]')).not.toBeNull();
    expect(available()?.querySelector('button')).toBeNull();
    page.respond(AVAILABLE, {}, 503);
    // The balance is read only once a minute, so it stays live longer than other figures from the chain.
    await page.advance(100);
    expect(available()?.querySelector('[data-state=live]')).not.toBeNull();
    await page.advance(100);
    expect(available()?.querySelector('[data-state=stale]')).not.toBeNull();
    expect(available()?.textContent).toContain('2,000,000.000001 BD');
    page.respond(AVAILABLE, { walletAddress: SAMPLE_WALLET, available: '7', ...chainReadFields() });
    await page.press('Retry the balance');
    expect(available()?.textContent).toContain('7 BD');
    expect(available()?.querySelector('[data-state=live]')).not.toBeNull();
    expect(available()?.querySelector('button')).toBeNull();
  });

  it('warns of a stake below the lowest tier, a restarted lock, and a wallet other than the proven one', async () => {
    const warnings = () =>
      [...page.root.querySelectorAll<HTMLElement>('[role=status] [data-warning]')].map(
        ({ dataset }) => dataset.warning,
      );
    page.respond(SESSION, { walletAddress: null, provedAt: null, expiresAt: null });
    await connectWallet();
    await page.settle();
    expect(warnings()).toEqual([]);
    await page.type('stake-amount', '1499999');
    expect(warnings()).toEqual(['no-tier']);
    expect(page.text()).toContain('Add 1 BD to this stake to reach Duckling');
    await page.type('stake-amount', '1500000');
    expect(warnings()).toEqual([]);
    page.respond(ELIGIBILITY, sampleEligibility({ bdBalanceText: '1500000' }));
    const provedAt = new Date().toISOString();
    page.respond(SESSION, { walletAddress: '1'.repeat(32), provedAt, expiresAt: provedAt });
    await page.advance(61, () => queryClient.invalidateQueries());
    expect(warnings()).toEqual(['other-wallet', 'restart', 'same-tier']);
    expect(page.text()).toContain('Add 2,000,000 BD to this stake to reach Banker');
    await page.type('stake-amount', '3500000');
    expect(warnings()).toEqual(['other-wallet', 'restart']);
  });

  it('shows the value in dollars in the form and the review only while the price is current', async () => {
    const worth = () => page.root.querySelector('[data-worth]')?.textContent;
    const { '/api/trading/market-data': market } = sampleBodies(0, { price: '0.0002' });
    await connectWallet();
    await page.press('Duckling · 1,500,000');
    expect(worth()).toBeUndefined();
    page.respond(MARKET, market);
    await page.advance(1, () => queryClient.invalidateQueries());
    expect(worth()).toContain('$300.00');
    await page.press('Review Stake');
    await page.advance(1);
    expect(stage()).toBe('review');
    expect(worth()).toContain('$300.00');
    page.respond(MARKET, {}, 503);
    await page.advance(400);
    expect(worth()).toBeUndefined();
    expect(page.text()).toContain('1,500,000 BD');
  });

  it('begins the next stake with an empty amount, even if the last amount came from a link', async () => {
    await page.close();
    history.replaceState(null, '', '?amount=1500000');
    onTestFinished(() => history.replaceState(null, '', location.pathname));
    await openPage();
    await page.press('Connect Wallet');
    await page.advance(1);
    expect(amountValue()).toBe('1500000');
    await page.press('Review Stake');
    await page.advance(1);
    await sign();
    page.respond(PROGRESS, { state: 'confirmed', slot: 9, error: null });
    await page.advance(4);
    await page.settle();
    await page.press('New Stake');
    expect(amountValue()).toBe('');
  });

  it('reads the balance and the stake again after the wallet moved BD outside the form', async () => {
    await page.press('Connect Wallet');
    await page.advance(1);
    const before = { available: calls(AVAILABLE).length, eligibility: calls(ELIGIBILITY).length };
    const sendRows = (version: string, ...rows: readonly unknown[]) =>
      FakeEventSource.newest.send('change', {
        ...{ version, announced: [], missing: [] },
        bodies: { '/api/transactions': rows },
      });
    sendRows('0123abcd-1');
    await page.advance(1);
    expect(calls(AVAILABLE)).toHaveLength(before.available);
    sendRows('0123abcd-2', { ...SAMPLE_TRANSACTION, wallet: SAMPLE_WALLET });
    await page.advance(1);
    expect(calls(AVAILABLE)).toHaveLength(before.available + 1);
    expect(calls(ELIGIBILITY)).toHaveLength(before.eligibility + 1);
  });
});
