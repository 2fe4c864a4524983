import {
  createApproveCheckedInstruction,
  createAssociatedTokenAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMint2Instruction,
  createInitializeTransferFeeConfigInstruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  createTransferCheckedWithFeeInstruction as createTransferWithFee,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
} from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  type Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { LEDGER, ledgerKeypair } from '../../ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../ledger/chain.ts';
import type { Engine } from '../../ledger/engine.ts';
import { startRpcServer } from '../../ledger/rpc/server.ts';
import {
  acceptedTransaction,
  callRpc,
  openTestLedger,
  sendInstructions,
} from '../../ledger/testing/test-ledger.ts';
import { readJsonRecord } from '../../rpc/json-shape.ts';
import { transactionCall } from '../../rpc/solana-calls.ts';
import {
  type AccountAlarm,
  alarmsOfAccount,
  classify,
  type Movement,
  type WatchedAccount,
} from '../classify.ts';
import { type DecodedTransaction, decodeTransaction } from '../decode.ts';

const DECIMALS = 6;
const INITIAL_BALANCE = 1_000_000n;
/** The size of a token account without extensions. */
const ACCOUNT_BYTES = 165;

export type TestToken = ReturnType<typeof createTestToken>;

/**
 * Creates a mint of either token program with a known authority, a vault and two funded wallets.
 * @param feeBasisPoints the Token-2022 transfer fee; none by default
 */
export function createTestToken(
  ledger: LedgerToRead,
  program: PublicKey,
  feeBasisPoints: number | null = null,
) {
  const mintKey = ledgerKeypair(`test-mint-${program.toBase58()}-${feeBasisPoints}`);
  const minter = ledgerKeypair('holder-3');
  const owner = ledgerKeypair('vault-owner');
  const alice = ledgerKeypair('holder-1');
  const bob = ledgerKeypair('holder-2');
  const mint = mintKey.publicKey;
  const authority = minter.publicKey;
  const accountOf = (wallet: PublicKey) => getAssociatedTokenAddressSync(mint, wallet, true, program);
  const allocate = (key: PublicKey, space: number) =>
    SystemProgram.createAccount({
      ...{ fromPubkey: authority, newAccountPubkey: key, programId: program, space },
      lamports: Number(ledger.chain.rentExemption(space)),
    });
  const openAssociated = (wallet: PublicKey) =>
    createAssociatedTokenAccountInstruction(authority, accountOf(wallet), wallet, mint, program);
  const mintTo = (to: PublicKey, amount: bigint) =>
    createMintToInstruction(mint, to, authority, amount, [], program);
  const fee = (basisPoints: number) =>
    createInitializeTransferFeeConfigInstruction(
      mint,
      authority,
      authority,
      basisPoints,
      INITIAL_BALANCE,
      program,
    );
  const vault = accountOf(owner.publicKey);
  const created = ledger.send(
    [minter, mintKey],
    allocate(mint, getMintLen(feeBasisPoints === null ? [] : [ExtensionType.TransferFeeConfig])),
    ...(feeBasisPoints === null ? [] : [fee(feeBasisPoints)]),
    createInitializeMint2Instruction(mint, DECIMALS, authority, authority, program),
    ...[owner, alice, bob].flatMap(({ publicKey }) => [
      openAssociated(publicKey),
      mintTo(accountOf(publicKey), INITIAL_BALANCE),
    ]),
  );
  if (created.err !== null) throw new Error(`The token was not created: ${JSON.stringify(created.err)}`);
  return {
    ...{ program, mint, minter, owner, alice, bob, vault, mintTo, openAssociated, allocate },
    watched: { address: vault.toBase58(), role: 'vault' } as WatchedAccount,
    account: accountOf,
    /** Opens a token account at the address `key`. The minter and the key must sign. */
    open: (key: PublicKey, wallet: PublicKey) => [
      allocate(key, ACCOUNT_BYTES),
      createInitializeAccount3Instruction(key, mint, wallet, program),
    ],
    transfer: (wallet: PublicKey, amount: bigint, to = vault) =>
      createTransferInstruction(accountOf(wallet), to, wallet, amount, [], program),
    transferChecked: (wallet: PublicKey, amount: bigint, to = vault) =>
      createTransferCheckedInstruction(accountOf(wallet), mint, to, wallet, amount, DECIMALS, [], program),
    approveChecked: (from: PublicKey, wallet: PublicKey, delegate: PublicKey) =>
      createApproveCheckedInstruction(from, mint, delegate, wallet, 5n, DECIMALS, [], program),
    transferWithFee: (wallet: PublicKey, amount: bigint, feeAmount: bigint) =>
      createTransferWithFee(accountOf(wallet), mint, vault, wallet, amount, DECIMALS, feeAmount, [], program),
  };
}

/** Creates a lookup table, and advances the clock by a slot, so that the table can be used at once. */
export function createLookupTable(ledger: LedgerToRead, payer: Keypair, addresses: PublicKey[]) {
  const signer = { authority: payer.publicKey, payer: payer.publicKey };
  const recentSlot = ledger.chain.clock().slot;
  const [create, key] = AddressLookupTableProgram.createLookupTable({ ...signer, recentSlot });
  const extend = AddressLookupTableProgram.extendLookupTable({ ...signer, lookupTable: key, addresses });
  ledger.send([payer], create, extend);
  ledger.advance(SLOT_MILLISECONDS);
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 };
  return new AddressLookupTableAccount({ key, state: { ...state, addresses } });
}

export const WATCHED_VAULT: WatchedAccount = { address: LEDGER.vault, role: 'vault' };
export const WATCHED_POOL_VAULT: WatchedAccount = { address: LEDGER.stakeVault, role: 'stake-pool-vault' };

interface TransactionEffects {
  /** The first of `movements`; null if there are none. */
  readonly movement: Movement | null;
  readonly movements: readonly Movement[];
  readonly alarms: readonly AccountAlarm[];
  /** Balance changes, by the address of the token account. */
  readonly deltas: Readonly<Record<string, bigint>>;
}

export interface EncodedAnswers {
  readonly base64: unknown;
  readonly json: unknown;
}

/** A ledger that is read over JSON-RPC and gives every transaction its own slot. */
export interface LedgerToRead {
  readonly chain: Engine;
  readonly advance: (milliseconds: number) => void;
  /** Executes instructions in one transaction. The first signer pays the fee. A failed transaction is recorded, too. */
  send(signers: readonly Keypair[], ...instructions: TransactionInstruction[]): LedgerTransaction;
  answers(transaction: LedgerTransaction): Promise<EncodedAnswers>;
  /**
   * @param mint the followed mint; BD by default
   * @throws if the two encodings decode to different transactions
   */
  read(transaction: LedgerTransaction, watched: WatchedAccount, mint?: string): Promise<TransactionEffects>;
  close(): Promise<void>;
}

export async function startLedgerToRead(): Promise<LedgerToRead> {
  const { chain, advance } = openTestLedger();
  const server = await startRpcServer(chain, 0);

  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
    readJsonRecord(await callRpc(server.url, method, params), 'the reply').result;

  const answers = async ({ signature }: LedgerTransaction): Promise<EncodedAnswers> => {
    const { method, params } = transactionCall(signature);
    const [, config] = params;
    return {
      base64: await ask(method, params),
      json: await ask(method, [signature, { ...readJsonRecord(config, 'the config'), encoding: 'json' }]),
    };
  };

  return {
    chain,
    advance,
    answers,
    send(signers, ...instructions) {
      advance(SLOT_MILLISECONDS);
      return acceptedTransaction(sendInstructions(chain, signers, instructions, { skipPreflight: true }));
    },
    async read(transaction, watched, mint = LEDGER.mint) {
      const encodings = await answers(transaction);
      const decoded = decodeTransaction(encodings.base64, mint);
      const fromJson = decodeTransaction(encodings.json, mint);
      if (comparableText(decoded) !== comparableText(fromJson))
        throw new Error('The two encodings decode to different transactions.');
      if (decoded.signature !== transaction.signature)
        throw new Error('The decoded transaction has another signature.');
      return effectsOf(decoded, watched);
    },
    async close() {
      await server.close();
      chain.close();
    },
  };
}

export function effectsOf(decoded: DecodedTransaction, watched: WatchedAccount): TransactionEffects {
  const { accounts, changes } = decoded;
  const movements = classify(decoded, watched);
  return {
    movement: movements[0] ?? null,
    movements,
    alarms: alarmsOfAccount(decoded, watched),
    deltas: Object.fromEntries(
      changes.map(({ accountIndex, delta }) => [accounts.addressAt(accountIndex), delta]),
    ),
  };
}

export function comparableText({ accounts, ...decoded }: DecodedTransaction): string {
  const addresses = Array.from({ length: accounts.count }, (_, index) => accounts.addressAt(index));
  return JSON.stringify({ ...decoded, addresses }, (_, value) =>
    typeof value === 'bigint' ? `${value} base units` : value,
  );
}
