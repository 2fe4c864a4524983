// @module-tag slow
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as web3 from '@solana/web3.js';
import { SolanaStakingClient } from '@streamflow/staking';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ERRORS } from '../../data/contract/errors.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { stakeActionCard, stakeActionOrder } from '../../data/contract/stake-action.ts';
import { availableForStake, submitStake } from '../../data/contract/stake-order.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { fromDecimalText } from '../../data/model/amounts.ts';
import { LIGHTHOUSE_PROGRAM } from '../../data/model/solana-programs.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { TIER_TERMS } from '../../data/model/tiers.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../../data/store/ports.ts';
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
import { startTestPortal } from '../testing/test-portal.ts';
import type { ComputeUnitPriceEstimator } from './priority-fee.ts';
import { LOCK_SECONDS, StakeInstructions, TOKEN_PROGRAMS } from './stake-instructions.ts';
import {
  freshAddressHeaders,
  LAMPORTS_PER_SOL,
  mint,
  parseTransaction,
  type StakeClient,
  signTransaction,
  stakeInstructions,
  stakePool,
  startStakeClient,
  toPlain,
  UNITS_PER_BD,
} from './testing/stake-client.ts';

const DAY_MS = 86_400_000;

let ledger: LedgerProcess;
let client: StakeClient;
const clients: StakeClient[] = [];

async function start(
  url: string,
  estimateComputeUnitPrice?: ComputeUnitPriceEstimator,
): Promise<StakeClient> {
  const started = await startStakeClient([url], estimateComputeUnitPrice);
  clients.push(started);
  return started;
}

beforeAll(async () => {
  ledger = await startLedger();
  client = await start(ledger.url);
});
afterAll(async () => {
  for (const { portal } of clients) await portal.close();
  await ledger.stop();
});

async function fundedWallet(funds: {
  readonly lamports: bigint;
  readonly bd?: bigint;
}): Promise<web3.Keypair> {
  const keypair = web3.Keypair.generate();
  await fund(ledger.url, keypair.publicKey, funds);
  return keypair;
}

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
    expect(stakeInstructions.build(stake).slice(1).map(toPlain)).toEqual(ixs.map(toPlain));
  }
});

describe('the Solana Action', () => {
  const walletHeaders = { Origin: 'https://wallet.example', 'Sec-Fetch-Site': 'cross-site' };
  const request = async (method: string, query: string, body?: object, portal = client.portal) => {
    const answer = await ask(portal.port, PATHS.stakeAction + query, {
      method,
      headers: {
        ...freshAddressHeaders(),
        ...walletHeaders,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) };
  };

  it('offers each tier’s minimum and a field for any amount, or only the amount in the link', async () => {
    const { headers, body } = await request('GET', '');
    const card = stakeActionCard.response.strict().parse(body);
    expect(card.links?.actions.map(({ href }) => href)).toEqual([
      ...TIER_TERMS.map(({ minimumStakeBd }) => `${PATHS.stakeAction}?amount=${minimumStakeBd}`),
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

  it('builds the same stake as the portal for a wallet on another site', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 2_000_000n * UNITS_PER_BD });
    const account = keypair.publicKey.toBase58();
    const { status, body } = await request('POST', '?amount=1500000.50', { account, type: 'transaction' });
    expect([status, body.message]).toEqual([200, expect.stringContaining('1,500,000.5 BD')]);
    const { transaction } = stakeActionOrder.response.strict().parse(body);
    const builtStake = await client.expectBuiltStake(keypair, '1500000.50');
    const instructionsOf = (text: string) =>
      parseTransaction(text).message.compiledInstructions.map(({ data }) =>
        Buffer.from(data).toString('hex'),
      );
    expect(instructionsOf(transaction)).toEqual(instructionsOf(builtStake.transaction));
    // A wallet sends the transaction itself, without the portal.
    const connection = new web3.Connection(ledger.url, 'confirmed');
    const signature = await connection.sendRawTransaction(signTransaction(transaction, keypair));
    expect((await client.waitForOutcome(signature, builtStake.lastValidBlockHeight)).state).not.toBe(
      'expired',
    );
  });

  it('refuses an invalid order, with a message that the wallet can show', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 5n * UNITS_PER_BD });
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
    const headers = { ...freshAddressHeaders(), ...walletHeaders, 'Content-Type': 'application/json' };
    const brokenAnswer = await ask(client.portal.port, PATHS.stakeAction, {
      method: 'POST',
      headers,
      body: '{',
    });
    const { code, error, message } = JSON.parse(brokenAnswer.body);
    expect([brokenAnswer.status, code, message]).toEqual([400, 'malformed-json', error]);
  });

  it('is disabled until the chain has been read', async () => {
    const emptyPortal = await startTestPortal({ index: new FakeIndex(EMPTY_INDEX_SNAPSHOT) });
    onTestFinished(() => emptyPortal.close());
    const { status, body } = await request('GET', '', undefined, emptyPortal);
    expect([status, body.disabled, typeof body.error.message]).toEqual([200, true, 'string']);
  });
});

describe('a stake from the portal', () => {
  it('is built, signed by the wallet, sent, tracked until confirmed, and verified immediately', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 2_000_000n * UNITS_PER_BD });
    const address = keypair.publicKey.toBase58();
    const stake = await client.expectBuiltStake(keypair, '1500000.50');
    expect(stake).toMatchObject({
      walletAddress: address,
      amount: '1500000.5',
      lockDays: 180,
      unlockDate: new Date(TEST_START + 180 * DAY_MS).toISOString(),
      fee: '5000',
      priorityFee: '0',
      simulation: { unitsConsumed: expect.any(Number) },
    });
    const { signatures, message } = parseTransaction(stake.transaction);
    expect(signatures).toEqual([new Uint8Array(64)]);
    // The stake has no priority fee, so the wallet may add one.
    expect(message.compiledInstructions).toHaveLength(2);

    const connection = new web3.Connection(ledger.url, 'confirmed');
    const bytes = signTransaction(stake.transaction, keypair);
    const { status, body } = await client.submit(bytes);
    expect([status, body.error]).toEqual([200, undefined]);
    const { signature } = submitStake.response.parse(body);
    expect(await client.waitForOutcome(signature, stake.lastValidBlockHeight)).toMatchObject({
      state: 'confirmed',
      slot: expect.any(Number),
      error: null,
    });
    const lamportsLeft = BigInt(await connection.getBalance(keypair.publicKey));
    expect(LAMPORTS_PER_SOL - lamportsLeft).toBe(BigInt(stake.fee) + BigInt(stake.rent));
    const query = `?walletAddress=${address}`;
    const verifyAnswer = await ask(client.portal.port, verifyBdTokens.path + query, {
      headers: freshAddressHeaders(),
    });
    expect(JSON.parse(verifyAnswer.body)).toMatchObject({ tier: 'Duckling', stakedAmountText: '1500000.5' });
    // A retry is harmless. The next stake opens another entry and reuses the receipt account.
    expect(await client.submit(bytes)).toEqual({ status: 200, body: { signature } });
    const second = await client.expectBuiltStake(keypair, '0.000001');
    expect(BigInt(second.rent)).toBeLessThan(BigInt(stake.rent));
    const secondAnswer = await client.submit(signTransaction(second.transaction, keypair));
    expect(secondAnswer.status).toBe(200);
  });

  it('can take all the available BD, to the last base unit', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 1_234_567n * UNITS_PER_BD + 1n });
    const { status, body } = await client.readAvailable(keypair);
    expect([status, body.error]).toEqual([200, undefined]);
    expect(availableForStake.response.strict().parse(body)).toMatchObject({ available: '1234567.000001' });
    const stake = await client.expectBuiltStake(keypair, body.available);
    expect(stake.amount).toBe(body.available);
    const { signature } = (await client.submit(signTransaction(stake.transaction, keypair))).body;
    await client.waitForOutcome(signature, stake.lastValidBlockHeight);
    expect((await client.readAvailable(keypair)).body).toMatchObject({ available: '0' });
    expect((await client.readAvailable(web3.Keypair.generate())).body).toMatchObject({ available: '0' });
  });

  it('costs what was shown, even with a priority fee', async () => {
    const estimatedAccounts: (readonly string[])[] = [];
    const pricedClient = await start(ledger.url, async (writable) => {
      estimatedAccounts.push(writable);
      return 12_345n;
    });
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 5n * UNITS_PER_BD });
    const stake = await pricedClient.expectBuiltStake(keypair, '5');
    // The priority fee is for 400,000 compute units at 0.012345 lamports each.
    expect(stake).toMatchObject({ fee: '9938', priorityFee: '4938' });
    const { signature } = (await pricedClient.submit(signTransaction(stake.transaction, keypair))).body;
    expect(await client.waitForOutcome(signature, stake.lastValidBlockHeight)).toMatchObject({
      state: 'confirmed',
    });
    const lamportsLeft = await new web3.Connection(ledger.url, 'confirmed').getBalance(keypair.publicKey);
    expect(LAMPORTS_PER_SOL - BigInt(lamportsLeft)).toBe(BigInt(stake.fee) + BigInt(stake.rent));
    expect(estimatedAccounts).toEqual([
      expect.arrayContaining([keypair.publicKey.toBase58(), stakePool, mint]),
    ]);
    expect(new Set(estimatedAccounts[0]).size).toBe(estimatedAccounts[0]?.length);
  });

  it('gets an unused nonce even if another entry of the wallet has the highest possible nonce', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 5n * UNITS_PER_BD });
    const highestNonceStake = {
      wallet: keypair.publicKey.toBase58(),
      nonce: 0xffff_ffff,
      amount: UNITS_PER_BD,
    };
    expect(
      (await client.submit(await client.sign(stakeInstructions.build(highestNonceStake), [keypair]))).status,
    ).toBe(200);
    const stake = await client.expectBuiltStake(keypair, '1');
    const { status, body } = await client.submit(signTransaction(stake.transaction, keypair));
    expect([status, body.error]).toEqual([200, undefined]);
  });

  it('is reported as finalized once it cannot be reversed', async () => {
    const connection = new web3.Connection(ledger.url, 'confirmed');
    const past = await connection.getSignaturesForAddress(new web3.PublicKey(stakePool), { limit: 1_000 });
    const oldest = past.findLast(({ err }) => err === null);
    const finalized = { state: 'finalized', slot: oldest?.slot, error: null };
    expect(await client.readProgress(oldest?.signature ?? '', 0)).toEqual(finalized);
  });

  it('of too much BD, or with too little SOL, is rejected with the amounts', async () => {
    const poorWallet = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 5n * UNITS_PER_BD });
    expect(await client.buildStake(poorWallet, '5.000001')).toMatchObject({
      status: 409,
      body: { code: 'too-little-bd', error: expect.stringContaining('5 BD') },
    });
    const emptyWalletAnswer = await client.buildStake(web3.Keypair.generate(), '1');
    expect([emptyWalletAnswer.status, emptyWalletAnswer.body.code]).toEqual([409, 'too-little-bd']);
    const withoutSol = await fundedWallet({ lamports: 1_000_000n, bd: 5n * UNITS_PER_BD });
    expect(await client.buildStake(withoutSol, '5')).toMatchObject({
      status: 409,
      body: { code: 'too-little-sol', error: expect.stringMatching(/0\.001 SOL .* 0\.00\d+ SOL/) },
    });
  });

  it('is rejected with an error that names the needed SOL if the wallet could not keep its rent-exempt minimum', async () => {
    const keypair = await fundedWallet({ lamports: 5_000_000n, bd: 5n * UNITS_PER_BD });
    const { status, body } = await client.buildStake(keypair, '5');
    expect([status, body.code]).toEqual([409, 'too-little-sol']);
    const [, needed = ''] = /0\.005 SOL .*?([\d.]+) SOL/.exec(body.error) ?? [];
    const missing = fromDecimalText(needed, 9) - 5_000_000n;
    await fund(ledger.url, keypair.publicKey, { lamports: missing });
    await client.expectBuiltStake(keypair, '5');
  });

  it('is rejected if its amount is zero, too precise, too large or not a plain decimal', async () => {
    const invalidAmounts = ['0', '0.000000', '0.0000001', '99999999999999999999', '-1', '1e6'];
    for (const amount of invalidAmounts) {
      const { status, body } = await client.buildStake(ledgerKeypair('treasury'), amount);
      expect([amount, status, body.code]).toEqual([amount, 400, 'invalid-body']);
    }
  });

  it('that became impossible after it was built is rejected and not sent', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 10n * UNITS_PER_BD });
    const { transaction } = await client.expectBuiltStake(keypair, '10');
    const otherStake = stakeInstructions.build({
      wallet: keypair.publicKey.toBase58(),
      nonce: 9,
      amount: UNITS_PER_BD,
    });
    await sendToLedger(ledger.url, otherStake, [keypair]);
    const refused = await client.submit(signTransaction(transaction, keypair));
    expect([refused.status, refused.body.code]).toEqual([409, 'too-little-bd']);
  });

  it('that was signed too late is rejected, and is reported as expired', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 10n * UNITS_PER_BD });
    const instructions = stakeInstructions.build({
      wallet: keypair.publicKey.toBase58(),
      nonce: 0,
      amount: UNITS_PER_BD,
    });
    const oldTransaction = await client.sign(
      instructions,
      [keypair],
      web3.Keypair.generate().publicKey.toBase58(),
    );
    const lateAnswer = await client.submit(oldTransaction);
    expect([lateAnswer.status, lateAnswer.body.code]).toEqual([409, 'stake-too-old']);
    const signature =
      web3.VersionedTransaction.deserialize(oldTransaction).signatures[0] ?? new Uint8Array(64);
    expect((await client.readProgress(bs58.encode(signature), 0)).state).toBe('expired');
    expect((await client.readProgress(bs58.encode(signature), 999_999_999_999)).state).toBe('pending');
  });

  it('that failed on the chain is reported as failed, with the reason', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: UNITS_PER_BD });
    const instructions = stakeInstructions.build({
      wallet: keypair.publicKey.toBase58(),
      nonce: 0,
      amount: 2n * UNITS_PER_BD,
    });
    const bytes = await client.sign(instructions, [keypair]);
    const connection = new web3.Connection(ledger.url, 'confirmed');
    const signature = await connection.sendRawTransaction(bytes, { skipPreflight: true });
    expect(await client.waitForOutcome(signature, 999_999_999_999)).toMatchObject({
      state: 'failed',
      slot: expect.any(Number),
      error: new ApiError('too-little-bd').message,
    });
  });

  it('is neither built nor sent while the chain is unreachable', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: UNITS_PER_BD });
    const { transaction } = await client.expectBuiltStake(keypair, '1');
    const unreachableClient = await start('http://127.0.0.1:9');
    expect((await unreachableClient.buildStake(keypair, '1')).body).toMatchObject({
      code: 'chain-unreadable',
    });
    expect((await unreachableClient.readAvailable(keypair)).body).toMatchObject({ code: 'chain-unreadable' });
    const unsent = await unreachableClient.submit(signTransaction(transaction, keypair));
    expect([unsent.status, unsent.body.code]).toEqual([503, 'chain-unreadable']);
  });
});

/** An endpoint that passes requests on to the ledger. @param answerOf replaces the ledger's answer; null closes the connection */
async function proxyEndpoint(answerOf: (method: string, answer: object) => object | null): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(ledger.url, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    const replaced = answerOf(JSON.parse(body).method, (await answer.json()) as object);
    if (replaced === null) request.socket.destroy();
    else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(replaced));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

describe('an endpoint that is behind the index', () => {
  /** Starts a client. Its first endpoint answers `oldMethod` with `resultAt` of the slot before the indexed one. */
  const startBehind = async (
    oldMethod: string,
    resultAt: (slot: number) => unknown,
    otherUrls = [ledger.url],
  ) => {
    const slot = await new web3.Connection(ledger.url, 'confirmed').getSlot();
    const behindUrl = await proxyEndpoint((method, answer) =>
      method === oldMethod ? { ...answer, result: resultAt(slot - 1) } : answer,
    );
    const behindClient = await startStakeClient([behindUrl, ...otherUrls], null, slot);
    clients.push(behindClient);
    return behindClient;
  };
  const failureAt = (slot: number) => ({
    context: { slot },
    value: { err: { InstructionError: [1, { Custom: 1 }] }, logs: [] },
  });

  it.each<[string, (slot: number) => unknown]>([
    ['getProgramAccounts', () => []],
    ['getMultipleAccounts', (slot) => ({ context: { slot }, value: [null, null, null, null] })],
    ['simulateTransaction', failureAt],
  ])('refuses no stake because of an old answer to %s', async (oldMethod, resultAt) => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 2n * UNITS_PER_BD });
    const first = await client.expectBuiltStake(keypair, '1');
    const { body } = await client.submit(signTransaction(first.transaction, keypair));
    await client.waitForOutcome(body.signature, first.lastValidBlockHeight);
    const behindClient = await startBehind(oldMethod, resultAt);
    const { transaction } = await behindClient.expectBuiltStake(keypair, '1');
    expect((await behindClient.submit(signTransaction(transaction, keypair))).status).toBe(200);
  });

  it('refuses no stake because of an old answer even if there is no other endpoint', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: UNITS_PER_BD });
    const { transaction } = await client.expectBuiltStake(keypair, '1');
    const behindClient = await startBehind('simulateTransaction', failureAt, []);
    expect((await behindClient.buildStake(keypair, '1')).body.code).toBe('chain-unreadable');
    const unsent = await behindClient.submit(signTransaction(transaction, keypair));
    expect(unsent.body.code).toBe('chain-unreadable');
  });
});

it('a stake is built and sent by the next endpoint if one does not know the stake’s blockhash', async () => {
  const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: UNITS_PER_BD });
  const forgetfulUrl = await proxyEndpoint((method, answer) =>
    method === 'simulateTransaction' && 'result' in answer
      ? { ...answer, result: { ...(answer.result as object), value: { err: 'BlockhashNotFound', logs: [] } } }
      : answer,
  );
  const twoEndpoints = await startStakeClient([forgetfulUrl, ledger.url]);
  clients.push(twoEndpoints);
  const { transaction } = await twoEndpoints.expectBuiltStake(keypair, '1');
  expect((await twoEndpoints.submit(signTransaction(transaction, keypair))).status).toBe(200);
});

describe('a submitted transaction', () => {
  it('is reported as possibly sent if one endpoint may have sent it and another refuses it', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 10n * UNITS_PER_BD });
    const urls = [
      await proxyEndpoint((method, answer) => (method === 'sendTransaction' ? null : answer)),
      await proxyEndpoint((method, answer) =>
        method === 'simulateTransaction' && 'result' in answer
          ? { ...answer, result: { context: { slot: 1 }, value: { err: 'BlockhashNotFound', logs: [] } } }
          : answer,
      ),
    ] as const;
    const twoEndpoints = await startStakeClient(urls);
    clients.push(twoEndpoints);
    const { transaction, lastValidBlockHeight } = await twoEndpoints.expectBuiltStake(keypair, '1');
    const bytes = signTransaction(transaction, keypair);
    const answer = await twoEndpoints.submit(bytes);
    expect([answer.status, answer.body.code]).toEqual([503, 'stake-not-surely-sent']);
    const signature = bs58.encode(
      parseTransaction(Buffer.from(bytes).toString('base64')).signatures[0] ?? [],
    );
    expect(await client.waitForOutcome(signature, lastValidBlockHeight)).toMatchObject({
      state: 'confirmed',
    });
  });

  it('is sent only if it is a stake of this portal, signed by its wallet', async () => {
    const keypair = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 10n * UNITS_PER_BD });
    const other = await fundedWallet({ lamports: LAMPORTS_PER_SOL, bd: 10n * UNITS_PER_BD });
    const address = keypair.publicKey.toBase58();
    const [openAccount, stake] = stakeInstructions.build({ wallet: address, nonce: 0, amount: UNITS_PER_BD });
    if (!openAccount || !stake) throw new Error('The stake does not have two instructions.');
    const [fromPubkey, toPubkey] = [keypair.publicKey, other.publicKey];
    const transfer = web3.SystemProgram.transfer({ fromPubkey, toPubkey, lamports: 1 });
    const shorterLock = new web3.TransactionInstruction({ ...stake, data: Buffer.from(stake.data) });
    shorterLock.data.writeBigUInt64LE(LOCK_SECONDS - 1n, 20);
    const otherPoolInstructions = new StakeInstructions(web3, {
      stakePool: web3.Keypair.generate().publicKey.toBase58(),
      mint,
      tokenProgram: TOKEN_PROGRAMS.token,
    });
    const unsignedBytes = await client.sign([openAccount, stake], [keypair]);
    unsignedBytes.fill(0, 1, 65);
    const forgedBytes = await client.sign([openAccount, stake], [keypair]);
    forgedBytes[20] = (forgedBytes[20] ?? 0) ^ 1;
    const bytesWithTrailer = new Uint8Array([...(await client.sign([openAccount, stake], [keypair])), 0]);
    const refusedTransactions: Readonly<Record<string, Uint8Array>> = {
      'a transfer': await client.sign([transfer], [keypair]),
      'a transfer after the stake': await client.sign([openAccount, stake, transfer], [keypair]),
      'the stake twice': await client.sign([openAccount, stake, stake], [keypair]),
      'the stake alone': await client.sign([stake], [keypair]),
      'the instructions in reverse order': await client.sign([stake, openAccount], [keypair]),
      'a shorter lock': await client.sign([openAccount, shorterLock], [keypair]),
      'another pool': await client.sign(
        otherPoolInstructions.build({ wallet: address, nonce: 0, amount: UNITS_PER_BD }),
        [keypair],
      ),
      'no amount': await client.sign(stakeInstructions.build({ wallet: address, nonce: 0, amount: 0n }), [
        keypair,
      ]),
      'paid by another': await client.sign([openAccount, stake], [other, keypair]),
      'no signature': unsignedBytes,
      'a forged signature': forgedBytes,
      'an extra byte': bytesWithTrailer,
      'other bytes': new Uint8Array(300).fill(7),
    };
    for (const [about, bytes] of Object.entries(refusedTransactions)) {
      const { status, body } = await client.submit(bytes);
      expect([about, status, body.code]).toEqual([about, 409, 'not-a-stake-of-this-portal']);
    }
    // A wallet may add a compute budget instruction.
    const price = web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    expect((await client.submit(await client.sign([price, openAccount, stake], [keypair]))).status).toBe(200);
    // A wallet may also add a call to the Lighthouse program, which the embedded ledger lacks, so the ledger rejects the stake.
    const programId = new web3.PublicKey(LIGHTHOUSE_PROGRAM);
    const assertion = new web3.TransactionInstruction({ programId, keys: [], data: Buffer.of(5) });
    const guardedAnswer = await client.submit(await client.sign([openAccount, stake, assertion], [keypair]));
    expect(guardedAnswer.body.code).not.toBe('not-a-stake-of-this-portal');
  });
});
