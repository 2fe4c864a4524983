import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import { SolanaStakingClient } from '@streamflow/staking';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/environment.ts';
import { ERRORS } from '../../data/contract/errors.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { stakeActionCard, stakeActionOrder } from '../../data/contract/stake-action.ts';
import {
  availableForStake,
  buildStake,
  buildUnstake,
  stakeProgress,
  submitStake,
} from '../../data/contract/stake-order.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { LIGHTHOUSE_PROGRAM } from '../../data/model/solana-programs.ts';
import { STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { TIERS } from '../../data/model/tiers.ts';
import { NOTHING_INDEXED } from '../../data/store/ports.ts';
import { ChainReads } from '../chain/chain-reads.ts';
import { ApiError } from '../errors.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import {
  fund,
  type LedgerProcess,
  ledgerKeypair,
  sendToLedger,
  startLedger,
} from '../testing/ledger-process.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { post } from '../testing/test-wallet.ts';
import { createHeldTokensReader } from '../verification/held-tokens.ts';
import { createStakedTokensReader } from '../verification/staked-tokens.ts';
import type { UnitPrice } from './priority-fee.ts';
import { LOCK_SECONDS, StakeInstructions, TOKEN_PROGRAMS } from './stake-instructions.ts';

const BD = 1_000_000n;
const SOL = 1_000_000_000n;
const DAY = 86_400_000;
const { stakePool, mint, vault } = EMBEDDED_ADDRESSES;
const instructions = new StakeInstructions(web3, { stakePool, mint, tokenProgram: TOKEN_PROGRAMS.token });

let ledger: LedgerProcess;
let portal: TestPortal;
const portals: TestPortal[] = [];

async function portalAt(urls: readonly string[], unitPrice: UnitPrice | null = null): Promise<TestPortal> {
  const index = new FakeIndex();
  const { identity } = SAMPLE_INDEX;
  index.commit({ identity: identity && { ...identity, stakePool, mint, vault }, endpoints: [] });
  index.commitChain({ slot: 0 });
  const started = await startTestPortal({
    index,
    chain: 'embedded-ledger',
    stakeReads: new ChainReads(urls, { readTimeoutMs: 20_000 }),
    unitPrice,
    walletReaders: { staked: createStakedTokensReader(urls), held: createHeldTokensReader(urls) },
  });
  portals.push(started);
  return started;
}

beforeAll(async () => {
  ledger = await startLedger();
  portal = await portalAt([ledger.url]);
});
afterAll(async () => {
  for (const one of portals) await one.close();
  await ledger.stop();
});

let sent = 0;
/** The headers of a client with its own network address, to avoid rate limits. */
const newClient = () => ({ 'X-Forwarded-For': `10.1.${sent >> 8}.${sent++ & 255}` });

async function fundedWallet(funds: {
  readonly lamports: bigint;
  readonly bd?: bigint;
}): Promise<web3.Keypair> {
  const keypair = web3.Keypair.generate();
  await fund(ledger.url, keypair.publicKey, funds);
  return keypair;
}

async function build(keypair: web3.Keypair, amount: string, at = portal) {
  const body = { walletAddress: keypair.publicKey.toBase58(), amount };
  const answer = await post(at.port, buildStake.path, body, newClient());
  return { status: answer.status, body: JSON.parse(answer.body) };
}

async function buildOk(keypair: web3.Keypair, amount: string, at = portal) {
  const { status, body } = await build(keypair, amount, at);
  expect([status, body.error]).toEqual([200, undefined]);
  return buildStake.response.strict().parse(body);
}

const parse = (text: string) => web3.VersionedTransaction.deserialize(Buffer.from(text, 'base64'));

function signed(text: string, ...keypairs: readonly web3.Keypair[]): Uint8Array {
  const transaction = parse(text);
  transaction.sign([...keypairs]);
  return transaction.serialize();
}

async function submit(bytes: Uint8Array, at = portal) {
  const body = { transaction: Buffer.from(bytes).toString('base64') };
  const answer = await post(at.port, submitStake.path, body, newClient());
  return { status: answer.status, body: JSON.parse(answer.body) };
}

async function progress(signature: string, lastValidBlockHeight: number) {
  const query = `?signature=${signature}&lastValidBlockHeight=${lastValidBlockHeight}`;
  const answer = await ask(portal.port, stakeProgress.path + query, { headers: newClient() });
  expect(answer.status, answer.body).toBe(200);
  return stakeProgress.response.strict().parse(JSON.parse(answer.body));
}

async function available(keypair: web3.Keypair, at = portal) {
  const query = `?walletAddress=${keypair.publicKey.toBase58()}`;
  const answer = await ask(at.port, availableForStake.path + query, { headers: newClient() });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

/** Polls until the outcome of a stake is certain. */
async function waitForOutcome(signature: string, lastValidBlockHeight: number) {
  for (;;) {
    const current = await progress(signature, lastValidBlockHeight);
    if (current.state !== 'pending') return current;
  }
}

/** Signs a transaction with these instructions. */
async function sign(
  list: readonly web3.TransactionInstruction[],
  signers: readonly [web3.Keypair, ...web3.Keypair[]],
  recentBlockhash?: string,
): Promise<Uint8Array> {
  const message = new web3.TransactionMessage({
    payerKey: signers[0].publicKey,
    recentBlockhash:
      recentBlockhash ?? (await new web3.Connection(ledger.url).getLatestBlockhash()).blockhash,
    instructions: [...list],
  });
  const transaction = new web3.VersionedTransaction(message.compileToLegacyMessage());
  transaction.sign([...signers]);
  return transaction.serialize();
}

const toPlain = ({ programId, keys, data }: web3.TransactionInstruction) => ({
  program: programId.toBase58(),
  keys: keys.map((key) => [key.pubkey.toBase58(), key.isSigner, key.isWritable]),
  data: Buffer.from(data).toString('hex'),
});

it('the stake instruction equals the one from Streamflow’s SDK', async () => {
  const sdk = new SolanaStakingClient({ clusterUrl: ledger.url });
  // A zero in the SDK's number type. Other numbers are derived from it.
  const zero = (await sdk.getStakePool(stakePool)).totalStake.muln(0);
  for (const [nonce, amount] of [
    [0, 1],
    [77, 1_500_000_000_001],
    [0xffff_ffff, 7_500_000_000_000],
  ] as const) {
    const invoker = web3.Keypair.generate();
    const millions = zero.addn(Math.floor(amount / 1_000_000)).muln(1_000_000);
    const { ixs } = await sdk.prepareStakeInstructions(
      {
        nonce,
        amount: millions.addn(amount % 1_000_000),
        duration: zero.addn(Number(LOCK_SECONDS)),
        stakePool,
        stakePoolMint: mint,
      },
      // The SDK has its own copy of web3.js, whose Keypair differs only in the class of a private member.
      { invoker: invoker as unknown as Parameters<typeof sdk.stake>[1]['invoker'] },
    );
    const stake = { wallet: invoker.publicKey.toBase58(), nonce, amount: BigInt(amount) };
    expect(instructions.build(stake).slice(1).map(toPlain)).toEqual(ixs.map(toPlain));
  }
});

describe('the Solana Action', () => {
  const wallet = { Origin: 'https://wallet.example', 'Sec-Fetch-Site': 'cross-site' };
  const request = async (method: string, query: string, body?: object, at = portal) => {
    const answer = await ask(at.port, PATHS.stakeAction + query, {
      method,
      headers: { ...newClient(), ...wallet, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) };
  };

  it('offers the minimum of each tier and an amount to enter, or only the amount in the link', async () => {
    const { headers, body } = await request('GET', '');
    const card = stakeActionCard.response.strict().parse(body);
    expect(card.links?.actions.map(({ href }) => href)).toEqual([
      ...TIERS.map(({ minimumStakeBd }) => `${PATHS.stakeAction}?amount=${minimumStakeBd}`),
      `${PATHS.stakeAction}?amount={amount}`,
    ]);
    expect(card.description).toContain(`${LOCK_DAYS} days`);
    expect(card).not.toHaveProperty('disabled');
    expect(new URL(card.icon).pathname).toBe(PATHS.actionIcon);
    const { genesisHash = '' } = SAMPLE_INDEX.identity ?? {};
    expect(headers['x-blockchain-ids']).toBe(`solana:${genesisHash.slice(0, 32)}`);
    const linked = await request('GET', '?amount=1500000');
    expect(linked.body).not.toHaveProperty('links');
    expect(linked.body.label).toContain('1,500,000');
  });

  it('builds the stake that the portal itself builds, for a wallet on another site', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 2_000_000n * BD });
    const account = keypair.publicKey.toBase58();
    const { status, body } = await request('POST', '?amount=1500000.50', { account, type: 'transaction' });
    expect([status, body.message]).toEqual([200, expect.stringContaining('1,500,000.5 BD')]);
    const { transaction } = stakeActionOrder.response.strict().parse(body);
    const built = await buildOk(keypair, '1500000.50');
    const instructionsOf = (text: string) =>
      parse(text).message.compiledInstructions.map(({ data }) => Buffer.from(data).toString('hex'));
    expect(instructionsOf(transaction)).toEqual(instructionsOf(built.transaction));
    // A wallet sends the transaction itself, without the portal.
    const connection = new web3.Connection(ledger.url, 'confirmed');
    const signature = await connection.sendRawTransaction(signed(transaction, keypair));
    expect((await waitForOutcome(signature, built.lastValidBlockHeight)).state).not.toBe('expired');
  });

  it('refuses with a message that the wallet shows', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 5n * BD });
    const account = keypair.publicKey.toBase58();
    for (const [query, sent, code] of [
      ['?amount=6', { account }, 'too-little-bd'],
      ['?amount=0', { account }, 'invalid-body'],
      ['?amount=-1', { account }, 'invalid-query'],
      ['', { account }, 'invalid-query'],
      ['?amount=1', { account: 'BD' }, 'invalid-body'],
      ['?amount=1', {}, 'invalid-body'],
    ] as const) {
      const { status, headers, body } = await request('POST', query, sent);
      expect([status, body.code], query).toEqual([ERRORS[code][0], code]);
      expect(body.message, query).toBe(body.error);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    const headers = { ...newClient(), ...wallet, 'Content-Type': 'application/json' };
    const broken = await ask(portal.port, PATHS.stakeAction, { method: 'POST', headers, body: '{' });
    const { code, error, message } = JSON.parse(broken.body);
    expect([broken.status, code, message]).toEqual([400, 'malformed-json', error]);
  });

  it('is disabled until the chain was read', async () => {
    const empty = await startTestPortal({ index: new FakeIndex(NOTHING_INDEXED) });
    portals.push(empty);
    const { status, body } = await request('GET', '', undefined, empty);
    expect([status, body.disabled, typeof body.error.message]).toEqual([200, true, 'string']);
  });
});

describe('a stake from the portal', () => {
  it('is built, signed by the wallet, sent, followed to its end, and verified at once', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 2_000_000n * BD });
    const address = keypair.publicKey.toBase58();
    const stake = await buildOk(keypair, '1500000.50');
    expect(stake).toMatchObject({
      walletAddress: address,
      amount: '1500000.5',
      lockDays: 180,
      unlockDate: new Date(TEST_START + 180 * DAY).toISOString(),
      fee: '5000',
      priorityFee: '0',
      simulation: { unitsConsumed: expect.any(Number) },
    });
    const { signatures, message } = parse(stake.transaction);
    expect(signatures).toEqual([new Uint8Array(64)]);
    // The stake has no priority fee, so the wallet may add one.
    expect(message.compiledInstructions).toHaveLength(2);

    const connection = new web3.Connection(ledger.url, 'confirmed');
    const bytes = signed(stake.transaction, keypair);
    const { status, body } = await submit(bytes);
    expect([status, body.error]).toEqual([200, undefined]);
    const { signature } = submitStake.response.parse(body);
    expect(await waitForOutcome(signature, stake.lastValidBlockHeight)).toMatchObject({
      state: 'confirmed',
      slot: expect.any(Number),
      error: null,
    });
    // The actual cost equals the cost that was shown.
    const left = BigInt(await connection.getBalance(keypair.publicKey));
    expect(SOL - left).toBe(BigInt(stake.fee) + BigInt(stake.rent));
    const query = `?walletAddress=${address}`;
    const verified = await ask(portal.port, verifyBdTokens.path + query, { headers: newClient() });
    expect(JSON.parse(verified.body)).toMatchObject({ tier: 'Duckling', stakedAmountText: '1500000.5' });
    // A retry is harmless. The next stake opens another entry and reuses the receipt account.
    expect(await submit(bytes)).toEqual({ status: 200, body: { signature } });
    const second = await buildOk(keypair, '0.000001');
    expect(BigInt(second.rent)).toBeLessThan(BigInt(stake.rent));
    const again = await submit(signed(second.transaction, keypair));
    expect(again.status).toBe(200);
  });

  it('can take all the available BD, to the last base unit', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 1_234_567n * BD + 1n });
    const { status, body } = await available(keypair);
    expect([status, body.error]).toEqual([200, undefined]);
    expect(availableForStake.response.strict().parse(body)).toMatchObject({ available: '1234567.000001' });
    const stake = await buildOk(keypair, body.available);
    expect(stake.amount).toBe(body.available);
    const { signature } = (await submit(signed(stake.transaction, keypair))).body;
    await waitForOutcome(signature, stake.lastValidBlockHeight);
    expect((await available(keypair)).body).toMatchObject({ available: '0' });
    expect((await available(web3.Keypair.generate())).body).toMatchObject({ available: '0' });
  });

  it('costs what was shown, even with a priority fee', async () => {
    const asked: (readonly string[])[] = [];
    const priced = await portalAt([ledger.url], async (writable) => {
      asked.push(writable);
      return 12_345n;
    });
    const keypair = await fundedWallet({ lamports: SOL, bd: 5n * BD });
    const stake = await buildOk(keypair, '5', priced);
    // 400,000 units at 0.012345 lamports.
    expect(stake).toMatchObject({ fee: '9938', priorityFee: '4938' });
    const { signature } = (await submit(signed(stake.transaction, keypair), priced)).body;
    expect(await waitForOutcome(signature, stake.lastValidBlockHeight)).toMatchObject({ state: 'confirmed' });
    const left = await new web3.Connection(ledger.url, 'confirmed').getBalance(keypair.publicKey);
    expect(SOL - BigInt(left)).toBe(BigInt(stake.fee) + BigInt(stake.rent));
    expect(asked).toEqual([expect.arrayContaining([keypair.publicKey.toBase58(), stakePool, mint])]);
    expect(new Set(asked[0]).size).toBe(asked[0]?.length);
  });

  it('finds a nonce even if an entry of the wallet has the highest possible one', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 5n * BD });
    const last = { wallet: keypair.publicKey.toBase58(), nonce: 0xffff_ffff, amount: BD };
    expect((await submit(await sign(instructions.build(last), [keypair]))).status).toBe(200);
    const stake = await buildOk(keypair, '1');
    const { status, body } = await submit(signed(stake.transaction, keypair));
    expect([status, body.error]).toEqual([200, undefined]);
  });

  it('is reported as finalized once it cannot be reversed', async () => {
    const connection = new web3.Connection(ledger.url, 'confirmed');
    const past = await connection.getSignaturesForAddress(new web3.PublicKey(stakePool), { limit: 1_000 });
    const oldest = past.findLast(({ err }) => err === null);
    const finalized = { state: 'finalized', slot: oldest?.slot, error: null };
    expect(await progress(oldest?.signature ?? '', 0)).toEqual(finalized);
  });

  it('of too much BD, or with too little SOL, is rejected with the amounts', async () => {
    const poor = await fundedWallet({ lamports: SOL, bd: 5n * BD });
    expect(await build(poor, '5.000001')).toMatchObject({
      status: 409,
      body: { code: 'too-little-bd', error: expect.stringContaining('5 BD') },
    });
    const empty = await build(web3.Keypair.generate(), '1');
    expect([empty.status, empty.body.code]).toEqual([409, 'too-little-bd']);
    const withoutSol = await fundedWallet({ lamports: 1_000_000n, bd: 5n * BD });
    expect(await build(withoutSol, '5')).toMatchObject({
      status: 409,
      body: { code: 'too-little-sol', error: expect.stringMatching(/0\.001 SOL .* 0\.00\d+ SOL/) },
    });
  });

  it.each([
    ['nothing', '0'],
    ['zero with six decimals', '0.000000'],
    ['less than a base unit', '0.0000001'],
    ['more than any account can hold', '99999999999999999999'],
    ['a negative amount', '-1'],
    ['a number in another notation', '1e6'],
  ])('of %s is rejected', async (_case, amount) => {
    const { status, body } = await build(ledgerKeypair('treasury'), amount);
    expect([status, body.code]).toEqual([400, 'invalid-body']);
  });

  it('that became impossible after it was built is rejected and not sent', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 10n * BD });
    const { transaction } = await buildOk(keypair, '10');
    const move = instructions.build({ wallet: keypair.publicKey.toBase58(), nonce: 9, amount: BD });
    await sendToLedger(ledger.url, move, [keypair]);
    const refused = await submit(signed(transaction, keypair));
    expect([refused.status, refused.body.code]).toEqual([409, 'too-little-bd']);
  });

  it('that was signed too late is rejected, and is reported as expired', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 10n * BD });
    const list = instructions.build({ wallet: keypair.publicKey.toBase58(), nonce: 0, amount: BD });
    const old = await sign(list, [keypair], web3.Keypair.generate().publicKey.toBase58());
    const late = await submit(old);
    expect([late.status, late.body.code]).toEqual([409, 'stake-too-old']);
    const signature = web3.VersionedTransaction.deserialize(old).signatures[0] ?? new Uint8Array(64);
    expect((await progress(bs58.encode(signature), 0)).state).toBe('expired');
    expect((await progress(bs58.encode(signature), 999_999_999_999)).state).toBe('pending');
  });

  it('that failed on the chain is reported as failed, with the reason', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: BD });
    const list = instructions.build({ wallet: keypair.publicKey.toBase58(), nonce: 0, amount: 2n * BD });
    const bytes = await sign(list, [keypair]);
    const connection = new web3.Connection(ledger.url, 'confirmed');
    const signature = await connection.sendRawTransaction(bytes, { skipPreflight: true });
    expect(await waitForOutcome(signature, 999_999_999_999)).toMatchObject({
      state: 'failed',
      slot: expect.any(Number),
      error: new ApiError('too-little-bd').message,
    });
  });

  it('is neither built nor sent while the chain is unreachable', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: BD });
    const { transaction } = await buildOk(keypair, '1');
    const lost = await portalAt(['http://127.0.0.1:9']);
    expect((await build(keypair, '1', lost)).body).toMatchObject({ code: 'chain-unreadable' });
    expect((await available(keypair, lost)).body).toMatchObject({ code: 'chain-unreadable' });
    const unsent = await submit(signed(transaction, keypair), lost);
    expect([unsent.status, unsent.body.code]).toEqual([503, 'chain-unreadable']);
  });
});

describe('a withdrawal', () => {
  const DAYS_181 = 181 * 86_400;
  let own: LedgerProcess;
  let at: TestPortal;
  beforeAll(async () => {
    own = await startLedger();
    at = await portalAt([own.url]);
  });
  afterAll(() => own.stop());

  const entryOf = (keypair: web3.Keypair, nonce: number) =>
    instructions.entryOf({ wallet: keypair.publicKey.toBase58(), nonce }).toBase58();

  /** A wallet with a stake of each amount, the first with nonce 0. */
  async function staker(...amounts: readonly bigint[]): Promise<web3.Keypair> {
    const keypair = web3.Keypair.generate();
    const bd = amounts.reduce((sum, amount) => sum + amount, 0n);
    await fund(own.url, keypair.publicKey, { lamports: SOL, bd });
    for (const [nonce, amount] of amounts.entries()) {
      const stake = instructions.build({ wallet: keypair.publicKey.toBase58(), nonce, amount });
      await sendToLedger(own.url, stake, [keypair]);
    }
    return keypair;
  }

  async function order(keypair: web3.Keypair, entry: string) {
    const body = { walletAddress: keypair.publicKey.toBase58(), entry };
    const answer = await post(at.port, buildUnstake.path, body, newClient());
    return { status: answer.status, body: JSON.parse(answer.body) };
  }

  async function unlock(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'advanceClock', params: [DAYS_181] });
    await fetch(own.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }

  it('has the instruction of Streamflow’s SDK', async () => {
    const keypair = await staker(BD, BD);
    const sdk = new SolanaStakingClient({ clusterUrl: own.url });
    const { ixs } = await sdk.prepareUnstakeInstructions(
      { nonce: 1, stakePool, stakePoolMint: mint },
      { invoker: keypair as unknown as Parameters<typeof sdk.unstake>[1]['invoker'] },
    );
    const unstake = { wallet: keypair.publicKey.toBase58(), entry: entryOf(keypair, 1) };
    expect(instructions.buildUnstake(unstake).slice(1).map(toPlain)).toEqual(ixs.map(toPlain));
  });

  it('is refused with the unlock date while the lock lasts', async () => {
    const keypair = await staker(5n * BD);
    const { status, body } = await order(keypair, entryOf(keypair, 0));
    expect([status, body.code]).toEqual([409, 'stake-locked']);
    const account = await new web3.Connection(own.url).getAccountInfo(
      new web3.PublicKey(entryOf(keypair, 0)),
    );
    const { createdAt = 0n, duration = 0n } = (account && STAKE_ENTRY.decode(account.data)) ?? {};
    const day = new Date(Number(createdAt + duration) * 1_000).toISOString().slice(0, 10);
    expect(body.error).toContain(day);
  });

  it('returns one stake to the wallet after the lock, costs what was shown, and works once', async () => {
    const keypair = await staker(5n * BD, 7n * BD + 1n, 1n);
    await unlock();
    const connection = new web3.Connection(own.url, 'confirmed');
    for (const [nonce, amount, left] of [
      [1, '7.000001', '7.000001'],
      [2, '0.000001', '7.000002'],
      [0, '5', '12.000002'],
    ] as const) {
      const before = await connection.getBalance(keypair.publicKey);
      const { status, body } = await order(keypair, entryOf(keypair, nonce));
      expect([status, body.error]).toEqual([200, undefined]);
      const built = buildUnstake.response.strict().parse(body);
      expect(built).toMatchObject({ amount, entry: entryOf(keypair, nonce), fee: '5000', rent: '0' });
      const bytes = signed(built.transaction, keypair);
      const sentOnce = await submit(bytes, at);
      expect([sentOnce.status, sentOnce.body.error]).toEqual([200, undefined]);
      await expect.poll(async () => (await available(keypair, at)).body.available).toBe(left);
      expect(before - (await connection.getBalance(keypair.publicKey))).toBe(5_000);
      // A retry is harmless, and a second withdrawal is refused.
      expect(await submit(bytes, at)).toEqual(sentOnce);
      expect((await order(keypair, entryOf(keypair, nonce))).body.code).toBe('no-such-stake');
    }
  });

  it('opens the BD account again if the wallet has closed it, and says what that costs', async () => {
    const keypair = await staker(5n * BD);
    const wallet = keypair.publicKey;
    const { bd } = instructions.accounts(wallet.toBase58());
    await sendToLedger(own.url, [createCloseAccountInstruction(bd, wallet, wallet)], [keypair]);
    await unlock();
    const { body } = await order(keypair, entryOf(keypair, 0));
    expect(BigInt(body.rent)).toBeGreaterThan(1_000_000n);
    expect((await submit(signed(body.transaction, keypair), at)).status).toBe(200);
    await expect.poll(async () => (await available(keypair, at)).body.available).toBe('5');
  });

  it('is refused without the receipt tokens', async () => {
    const keypair = await staker(5n * BD);
    const wallet = keypair.publicKey;
    const { receipts, stakeMint } = instructions.accounts(wallet.toBase58());
    const buyer = ledgerKeypair('treasury').publicKey;
    const to = getAssociatedTokenAddressSync(stakeMint, buyer);
    const open = createAssociatedTokenAccountIdempotentInstruction(wallet, to, buyer, stakeMint);
    await sendToLedger(own.url, [open, createTransferInstruction(receipts, to, wallet, BD)], [keypair]);
    await unlock();
    const { status, body } = await order(keypair, entryOf(keypair, 0));
    expect([status, body.code]).toEqual([409, 'unstake-refused']);
  });

  it('is refused for another wallet’s stake, and for an address that is no stake', async () => {
    const [keypair, other] = [await staker(5n * BD), await staker(5n * BD)];
    await unlock();
    for (const entry of [entryOf(other, 0), entryOf(keypair, 1), stakePool, mint, 'So1111']) {
      const { status, body } = await order(keypair, entry);
      expect([entry, status, body.code]).toEqual(
        entry.length < 32 ? [entry, 400, 'invalid-body'] : [entry, 409, 'no-such-stake'],
      );
    }
  });

  it('is sent only if it is what the portal builds, signed by its wallet', async () => {
    const keypair = await staker(5n * BD);
    const wallet = keypair.publicKey.toBase58();
    const [open, unstake] = instructions.buildUnstake({ wallet, entry: entryOf(keypair, 0) });
    if (!open || !unstake) throw new Error('A withdrawal is two instructions.');
    const closing = new web3.TransactionInstruction({ ...unstake, data: Buffer.from(unstake.data) });
    closing.data[9] = 1;
    const elsewhere = new web3.TransactionInstruction({ ...unstake, keys: [...unstake.keys] });
    elsewhere.keys[4] = { pubkey: instructions.accounts(wallet).receipts, isSigner: false, isWritable: true };
    const { blockhash } = await new web3.Connection(own.url).getLatestBlockhash();
    for (const list of [[unstake], [open, closing], [open, elsewhere], [open, unstake, unstake]]) {
      const { body } = await submit(await sign(list, [keypair], blockhash), at);
      expect(body.code).toBe('not-a-stake-of-this-portal');
    }
    const price = web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    for (const list of [
      [open, unstake],
      [price, open, unstake],
      [open, unstake, price],
    ]) {
      const early = await submit(await sign(list, [keypair], blockhash), at);
      expect([early.status, early.body.code]).toEqual([409, 'stake-locked']);
    }
    const programId = new web3.PublicKey(LIGHTHOUSE_PROGRAM);
    const assertion = new web3.TransactionInstruction({ programId, keys: [], data: Buffer.of(5) });
    const guarded = await submit(await sign([open, unstake, assertion], [keypair], blockhash), at);
    expect(guarded.body.code).not.toBe('not-a-stake-of-this-portal');
  });
});

describe('a submitted transaction', () => {
  it('is sent only if it is a stake of this portal, signed by its wallet', async () => {
    const keypair = await fundedWallet({ lamports: SOL, bd: 10n * BD });
    const other = await fundedWallet({ lamports: SOL, bd: 10n * BD });
    const address = keypair.publicKey.toBase58();
    const [open, stake] = instructions.build({ wallet: address, nonce: 0, amount: BD });
    if (!open || !stake) throw new Error('A stake is two instructions.');
    const [fromPubkey, toPubkey] = [keypair.publicKey, other.publicKey];
    const gift = web3.SystemProgram.transfer({ fromPubkey, toPubkey, lamports: 1 });
    const shorter = new web3.TransactionInstruction({ ...stake, data: Buffer.from(stake.data) });
    shorter.data.writeBigUInt64LE(LOCK_SECONDS - 1n, 20);
    const elsewhere = new StakeInstructions(web3, {
      stakePool: web3.Keypair.generate().publicKey.toBase58(),
      mint,
      tokenProgram: TOKEN_PROGRAMS.token,
    });
    const unsigned = await sign([open, stake], [keypair]);
    unsigned.fill(0, 1, 65);
    const forged = await sign([open, stake], [keypair]);
    forged[20] = (forged[20] ?? 0) ^ 1;
    const trailing = new Uint8Array([...(await sign([open, stake], [keypair])), 0]);
    const refused: Readonly<Record<string, Uint8Array>> = {
      'a gift': await sign([gift], [keypair]),
      'a gift beside the stake': await sign([open, stake, gift], [keypair]),
      'the stake twice': await sign([open, stake, stake], [keypair]),
      'the stake alone': await sign([stake], [keypair]),
      'the instructions in reverse order': await sign([stake, open], [keypair]),
      'a shorter lock': await sign([open, shorter], [keypair]),
      'another pool': await sign(elsewhere.build({ wallet: address, nonce: 0, amount: BD }), [keypair]),
      'no amount': await sign(instructions.build({ wallet: address, nonce: 0, amount: 0n }), [keypair]),
      'paid by another': await sign([open, stake], [other, keypair]),
      'no signature': unsigned,
      'a forged signature': forged,
      'an extra byte': trailing,
      'other bytes': new Uint8Array(300).fill(7),
    };
    for (const [about, bytes] of Object.entries(refused)) {
      const { status, body } = await submit(bytes);
      expect([about, status, body.code]).toEqual([about, 409, 'not-a-stake-of-this-portal']);
    }
    // A wallet may add a compute budget instruction.
    const price = web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    expect((await submit(await sign([price, open, stake], [keypair]))).status).toBe(200);
    // A wallet may also add a call of the Lighthouse program, which the embedded ledger lacks, so the ledger rejects the stake.
    const programId = new web3.PublicKey(LIGHTHOUSE_PROGRAM);
    const assertion = new web3.TransactionInstruction({ programId, keys: [], data: Buffer.of(5) });
    const guarded = await submit(await sign([open, stake, assertion], [keypair]));
    expect(guarded.body.code).not.toBe('not-a-stake-of-this-portal');
  });
});
