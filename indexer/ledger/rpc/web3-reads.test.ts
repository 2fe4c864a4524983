import { Connection, Keypair, PublicKey, SystemProgram, TransactionMessage } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../addresses.ts';
import { FINALITY_SLOTS } from '../chain.ts';
import { TOKEN_PROGRAM } from '../programs.ts';
import { type LedgerUnderTest, startLedgerUnderTest } from '../testing/ledger-under-test.ts';
import { bdAccountOf, openTokenAccount } from '../token-instructions.ts';
import { signedWire } from '../transactions.ts';
import { ledgerAddress, ledgerKeypair } from '../wallets.ts';

const BD = new PublicKey(LEDGER.mint);
const TOKENS = new PublicKey(TOKEN_PROGRAM);
const holder = new PublicKey(ledgerAddress('holder-1'));
const holding = new PublicKey(bdAccountOf(holder.toBase58()));
const nobody = Keypair.generate().publicKey;

let ledger: LedgerUnderTest;
let connection: Connection;

beforeAll(async () => {
  ledger = await startLedgerUnderTest();
  connection = new Connection(ledger.server.url, 'confirmed');
  // A second token account, of another mint, so that a filter by mint has something to leave out.
  const open = openTokenAccount(ledgerAddress('holder-1'), ledgerAddress('holder-1'), LEDGER.stakeMint);
  const { blockhash } = ledger.chain.latestBlockhash();
  const wire = signedWire([open], [ledgerKeypair('holder-1')], blockhash);
  expect(ledger.chain.send(wire, { skipPreflight: false }).kind).toBe('accepted');
});
afterAll(async () => {
  expect(ledger.faults).toEqual([]);
  await ledger.close();
});

describe('web3.js reads of the node and its clock', () => {
  it('version, genesis and health-like figures', async () => {
    expect(await connection.getVersion()).toMatchObject({ 'solana-core': expect.any(String) });
    expect(await connection.getGenesisHash()).toBe(ledger.chain.genesisHash);
    expect(await connection.getFirstAvailableBlock()).toBe(0);
  });

  it('slot and height: the newest when confirmed, behind by the finality slots when finalized', async () => {
    const { slot, blockHeight } = ledger.chain.clock();
    expect(await connection.getSlot()).toBe(slot);
    expect(await connection.getSlot('finalized')).toBe(slot - FINALITY_SLOTS);
    expect(await connection.getBlockHeight()).toBe(blockHeight);
    expect(await connection.getBlockHeight('finalized')).toBe(blockHeight - FINALITY_SLOTS);
    expect(await connection.getEpochInfo()).toMatchObject({
      absoluteSlot: slot,
      blockHeight,
      slotsInEpoch: 432_000,
    });
  });

  it('block time of a slot, and an error for one in the future', async () => {
    const { slot, unixTime } = ledger.chain.clock();
    expect(await connection.getBlockTime(slot)).toBe(unixTime);
    await expect(connection.getBlockTime(slot + 1)).rejects.toThrow('Block not available');
  });

  it('blockhashes: the newest is valid at any commitment, one never seen is not', async () => {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('finalized');
    expect(lastValidBlockHeight).toBeGreaterThan(await connection.getBlockHeight());
    expect(await connection.isBlockhashValid(blockhash)).toMatchObject({ value: true });
    expect(await connection.isBlockhashValid(nobody.toBase58())).toMatchObject({ value: false });
  });

  it('rent and fees', async () => {
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    const fees = await connection.getRecentPrioritizationFees({ lockedWritableAccounts: [BD] });
    expect(fees.at(-1)).toEqual({ slot: ledger.chain.clock().slot, prioritizationFee: 0 });
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: holder,
      recentBlockhash: blockhash,
      instructions: [SystemProgram.transfer({ fromPubkey: holder, toPubkey: nobody, lamports: 1 })],
    });
    expect(await connection.getFeeForMessage(message.compileToV0Message())).toMatchObject({ value: 5000 });
    message.recentBlockhash = nobody.toBase58();
    expect(await connection.getFeeForMessage(message.compileToLegacyMessage())).toMatchObject({
      value: null,
    });
  });
});

describe('web3.js reads of accounts', () => {
  it('balance: lamports, and zero where there is no account', async () => {
    expect(await connection.getBalance(new PublicKey(ledgerAddress('holder-2')))).toBe(50_000_000_000);
    expect(await connection.getBalance(nobody)).toBe(0);
  });

  it('account, slice of it, and null where there is none', async () => {
    const account = await connection.getAccountInfo(BD);
    expect(account).toMatchObject({ executable: false, owner: TOKENS });
    expect(account?.data).toHaveLength(82);
    const slice = await connection.getAccountInfo(BD, { dataSlice: { offset: 44, length: 1 } });
    expect([...(slice?.data ?? [])]).toEqual([6]);
    expect(await connection.getAccountInfo(nobody)).toBeNull();
    const { value } = await connection.getParsedAccountInfo(BD);
    expect(value?.data).toMatchObject({
      program: 'spl-token',
      parsed: { type: 'mint', info: { decimals: 6, supply: '1000000000000000', mintAuthority: null } },
    });
  });

  it('several accounts at once, in the order asked, null for those that are not there', async () => {
    const accounts = await connection.getMultipleAccountsInfo([holder, nobody, BD]);
    expect(accounts.map((account) => account?.data.length ?? null)).toEqual([0, null, 82]);
    const { value } = await connection.getMultipleParsedAccounts([holding, nobody]);
    expect(value).toMatchObject([{ data: { parsed: { type: 'account' } } }, null]);
  });

  it('of a program: data size, memcmp in base58 and base64, slice', async () => {
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: LEDGER.mint } }];
    const all = await connection.getProgramAccounts(TOKENS, { filters });
    expect(all.length).toBeGreaterThan(20);
    expect(all.every(({ account }) => account.data.subarray(0, 32).equals(BD.toBuffer()))).toBe(true);
    const ofHolder = {
      memcmp: { offset: 32, bytes: holder.toBuffer().toString('base64'), encoding: 'base64' as const },
    };
    const own = await connection.getProgramAccounts(TOKENS, {
      dataSlice: { offset: 32, length: 32 },
      filters: [...filters, ofHolder],
    });
    expect(own).toMatchObject([{ pubkey: holding, account: { data: holder.toBuffer() } }]);
    const wrapped = await connection.getProgramAccounts(TOKENS, {
      filters: [...filters, ofHolder],
      withContext: true,
    });
    expect(wrapped.value).toHaveLength(1);
    const parsed = await connection.getParsedProgramAccounts(TOKENS, { filters: [{ dataSize: 82 }] });
    expect(parsed.map(({ pubkey }) => pubkey.toBase58())).toContain(LEDGER.mint);
    const none = [{ memcmp: { offset: 160, bytes: bs58.encode(Buffer.alloc(10)) } }];
    expect(await connection.getProgramAccounts(TOKENS, { filters: none })).toEqual([]);
  });
});

describe('web3.js reads of tokens', () => {
  it('balance and supply', async () => {
    const { value } = await connection.getTokenAccountBalance(holding);
    expect(value).toEqual({
      amount: '42000000000000',
      decimals: 6,
      uiAmount: 42_000_000,
      uiAmountString: '42000000',
    });
    const supply = await connection.getTokenSupply(BD);
    expect(supply.value).toMatchObject({ amount: '1000000000000000', uiAmountString: '1000000000' });
    await expect(connection.getTokenAccountBalance(holder)).rejects.toThrow('not a Token account');
    await expect(connection.getTokenSupply(nobody)).rejects.toThrow('could not find account');
  });

  it('holdings of an owner, by mint and by program, raw and parsed', async () => {
    const raw = await connection.getTokenAccountsByOwner(holder, { mint: BD });
    expect(raw.value).toMatchObject([{ pubkey: holding, account: { owner: TOKENS } }]);
    const all = await connection.getTokenAccountsByOwner(holder, { programId: TOKENS });
    expect(all.value).toHaveLength(2);
    const parsed = await connection.getParsedTokenAccountsByOwner(holder, { mint: BD });
    expect(parsed.value).toMatchObject([
      {
        pubkey: holding,
        account: {
          data: {
            program: 'spl-token',
            space: 165,
            parsed: {
              type: 'account',
              info: {
                isNative: false,
                mint: LEDGER.mint,
                owner: holder.toBase58(),
                state: 'initialized',
                tokenAmount: { amount: '42000000000000' },
              },
            },
          },
        },
      },
    ]);
    expect((await connection.getTokenAccountsByOwner(nobody, { mint: BD })).value).toEqual([]);
    await expect(connection.getTokenAccountsByOwner(holder, { programId: BD })).rejects.toThrow(
      'unrecognized Token program',
    );
  });

  it('largest accounts: at most twenty, largest first, together no more than the supply', async () => {
    const { value } = await connection.getTokenLargestAccounts(BD);
    const amounts = value.map(({ amount }) => BigInt(amount));
    expect(amounts).toHaveLength(20);
    expect(amounts).toEqual(amounts.toSorted((one, other) => (one > other ? -1 : 1)));
    expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBeLessThanOrEqual(10n ** 15n);
  });
});
