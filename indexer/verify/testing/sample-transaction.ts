import { MessageV0, PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import { anchorDiscriminator, SPL_TOKEN, STREAMFLOW } from '../chain-accounts.ts';
import type { WatchedTokenAccount } from '../chain-events.ts';

export function sampleAddress(name: string): string {
  return bs58.encode(Buffer.alloc(32, name));
}

const MINT = sampleAddress('mint');
export const POOL_VAULT = sampleAddress('pool vault');
export const POOL: WatchedTokenAccount = { address: POOL_VAULT, account: 'stake-pool', mint: MINT };
export const VAULT: WatchedTokenAccount = { address: sampleAddress('vault'), account: 'vault', mint: MINT };

export interface SampleInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
  readonly calls?: readonly SampleInstruction[];
}

/** A token account's balance before and after the transaction, in base units; null if the account does not exist. */
export interface SampleBalance {
  readonly account: string;
  readonly owner: string;
  readonly before: bigint | null;
  readonly after: bigint | null;
}

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

export function transfer(
  source: string,
  destination: string,
  amount: bigint,
  {
    kind = 'transfer',
    program = SPL_TOKEN,
  }: { readonly kind?: TransferKind; readonly program?: string } = {},
): SampleInstruction {
  const plain = { program, accounts: [source, destination, sampleAddress('signer')] };
  const checked = { program, accounts: [source, MINT, destination, sampleAddress('signer')] };
  switch (kind) {
    case 'transfer':
      return { ...plain, data: Buffer.concat([Uint8Array.of(3), u64(amount)]) };
    case 'checked':
      return { ...checked, data: Buffer.concat([Uint8Array.of(12), u64(amount), Uint8Array.of(6)]) };
    case 'with fee':
      return {
        ...checked,
        data: Buffer.concat([Uint8Array.of(26, 1), u64(amount), Uint8Array.of(6), u64(1n)]),
      };
  }
}
export type TransferKind = 'transfer' | 'checked' | 'with fee';

export const sampleBdAccountOf = (wallet: string) => sampleAddress(`bd of ${wallet.slice(0, 12)}`);

export function stake(
  wallet: string,
  amount: bigint,
  {
    entry = sampleAddress('entry'),
    payer = wallet,
    vault = POOL_VAULT,
    transferOptions = {},
  }: StakeOptions = {},
): SampleInstruction {
  return {
    program: STREAMFLOW,
    accounts: [
      sampleAddress('pool'),
      entry,
      sampleBdAccountOf(payer),
      vault,
      sampleAddress('receipts'),
      payer,
      wallet,
      MINT,
    ],
    data: Buffer.concat([anchorDiscriminator('global', 'stake'), Buffer.alloc(20)]),
    calls: [transfer(sampleBdAccountOf(payer), vault, amount, transferOptions)],
  };
}

export function unstake(
  wallet: string,
  amount: bigint,
  {
    entry = sampleAddress('entry'),
    vault = POOL_VAULT,
    transferOptions = {},
    name = 'unstake',
  }: StakeOptions = {},
): SampleInstruction {
  return {
    program: STREAMFLOW,
    accounts: [
      sampleAddress('pool'),
      entry,
      sampleAddress('receipts'),
      vault,
      sampleBdAccountOf(wallet),
      wallet,
      MINT,
    ],
    data: Buffer.concat([anchorDiscriminator('global', name), Uint8Array.of(0)]),
    calls: [transfer(vault, sampleBdAccountOf(wallet), amount, transferOptions)],
  };
}

interface StakeOptions {
  readonly entry?: string;
  readonly payer?: string;
  readonly vault?: string;
  readonly transferOptions?: { readonly kind?: TransferKind; readonly program?: string };
  readonly name?: 'unstake' | 'unstake_as_worker';
}

/** Flattens instructions and their inner instructions, as nodes record them, and adds the depth of each. */
function flattenCalls(
  calls: readonly SampleInstruction[],
  height: number,
): { instruction: SampleInstruction; height: number }[] {
  return calls.flatMap((instruction) => [
    { instruction, height },
    ...flattenCalls(instruction.calls ?? [], height + 1),
  ]);
}

/** @param options.records what the node recorded about inner instructions */
export function transactionOf(
  instructions: readonly SampleInstruction[],
  balances: readonly SampleBalance[],
  { records = 'all' }: { readonly records?: 'all' | 'no depths' | 'no inner instructions' } = {},
): VersionedTransactionResponse {
  const all = flattenCalls(instructions, 1).map(({ instruction }) => instruction);
  const keys = [
    ...new Set([
      ...all.flatMap(({ program, accounts }) => [program, ...accounts]),
      ...balances.map(({ account }) => account),
    ]),
  ];
  const indexOf = (key: string) => keys.indexOf(key);
  const message = new MessageV0({
    header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
    staticAccountKeys: keys.map((key) => new PublicKey(key)),
    recentBlockhash: sampleAddress('blockhash'),
    compiledInstructions: instructions.map(({ program, accounts, data }) => ({
      programIdIndex: indexOf(program),
      accountKeyIndexes: accounts.map(indexOf),
      data,
    })),
    addressTableLookups: [],
  });
  const inner = instructions.map(({ calls = [] }, index) => ({
    index,
    instructions: flattenCalls(calls, 2).map(({ instruction, height }) => ({
      programIdIndex: indexOf(instruction.program),
      accounts: instruction.accounts.map(indexOf),
      data: bs58.encode(instruction.data),
      ...(records === 'all' && { stackHeight: height }),
    })),
  }));
  const balancesAt = (name: 'before' | 'after') =>
    balances.flatMap((balance) => {
      const amount = balance[name];
      if (amount === null) return [];
      const uiTokenAmount = { amount: String(amount), decimals: 6, uiAmount: null };
      return [{ accountIndex: indexOf(balance.account), mint: MINT, owner: balance.owner, uiTokenAmount }];
    });
  return {
    slot: 7,
    blockTime: 1_000,
    transaction: { message, signatures: ['signature'] },
    meta: {
      err: null,
      fee: 0,
      preBalances: [],
      postBalances: [],
      preTokenBalances: balancesAt('before'),
      postTokenBalances: balancesAt('after'),
      innerInstructions: records === 'no inner instructions' ? null : inner,
    },
  };
}
