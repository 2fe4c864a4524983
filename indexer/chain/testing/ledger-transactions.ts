import {
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createInitializeTransferFeeConfigInstruction,
  createMintToInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
} from '@solana/spl-token';
import { type Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { LEDGER, ledgerKeypair } from '../../ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../ledger/chain.ts';
import type { Engine } from '../../ledger/engine.ts';
import { startRpcServer } from '../../ledger/rpc/server.ts';
import { accepted, callRpc, openTestLedger, sendInstructions } from '../../ledger/testing/test-ledger.ts';
import { record } from '../../rpc/json-shape.ts';
import { getTransaction } from '../../rpc/solana-calls.ts';
import { type AccountAlarm, alarmsOn, classify, type Movement, type WatchedAccount } from '../classify.ts';
import { type DecodedTransaction, decodeTransaction } from '../decode.ts';

export const DECIMALS = 6;
/** The initial balance of each wallet. */
const HELD = 1_000_000n;

/** A mint of either token program with a known authority, a vault and two funded wallets. */
export interface TokenWorld {
  readonly program: PublicKey;
  readonly mint: PublicKey;
  readonly minter: Keypair;
  readonly owner: Keypair;
  readonly alice: Keypair;
  readonly bob: Keypair;
  readonly vault: PublicKey;
  readonly watched: WatchedAccount;
  /** A wallet's associated token account. */
  account(wallet: PublicKey): PublicKey;
}

/** @param feeBasisPoints the Token-2022 transfer fee; none by default */
export function makeTokenWorld(
  ledger: LedgerToRead,
  program: PublicKey,
  feeBasisPoints: number | null = null,
): TokenWorld {
  const mintKey = ledgerKeypair(`world-mint-${program.toBase58()}-${feeBasisPoints}`);
  const minter = ledgerKeypair('holder-3');
  const owner = ledgerKeypair('vault-owner');
  const alice = ledgerKeypair('holder-1');
  const bob = ledgerKeypair('holder-2');
  const mint = mintKey.publicKey;
  const account = (wallet: PublicKey) => getAssociatedTokenAddressSync(mint, wallet, true, program);
  const space = getMintLen(feeBasisPoints === null ? [] : [ExtensionType.TransferFeeConfig]);
  const withholding = (basisPoints: number) =>
    createInitializeTransferFeeConfigInstruction(
      mint,
      minter.publicKey,
      minter.publicKey,
      basisPoints,
      HELD,
      program,
    );
  const made = ledger.send(
    [minter, mintKey],
    SystemProgram.createAccount({
      fromPubkey: minter.publicKey,
      newAccountPubkey: mint,
      lamports: Number(ledger.chain.rentExemption(space)),
      space,
      programId: program,
    }),
    ...(feeBasisPoints === null ? [] : [withholding(feeBasisPoints)]),
    createInitializeMint2Instruction(mint, DECIMALS, minter.publicKey, minter.publicKey, program),
  );
  if (made.err !== null) throw new Error(`The mint was not made: ${JSON.stringify(made.err)}`);
  for (const { publicKey } of [owner, alice, bob]) {
    const held = account(publicKey);
    const funded = ledger.send(
      [minter],
      createAssociatedTokenAccountInstruction(minter.publicKey, held, publicKey, mint, program),
      createMintToInstruction(mint, held, minter.publicKey, HELD, [], program),
    );
    if (funded.err !== null) throw new Error(`A wallet was not funded: ${JSON.stringify(funded.err)}`);
  }
  const vault = account(owner.publicKey);
  return {
    program,
    mint,
    minter,
    owner,
    alice,
    bob,
    vault,
    watched: { address: vault.toBase58(), role: 'vault' },
    account,
  };
}

/** The ledger's vault and pool as watched accounts. */
export const VAULT: WatchedAccount = { address: LEDGER.vault, role: 'vault' };
export const POOL: WatchedAccount = { address: LEDGER.stakeVault, role: 'stake-pool-vault' };

/** A transaction's outcome, with accounts by address. */
interface ReadTransaction {
  /** Its only movement; null if it made none. */
  readonly movement: Movement | null;
  readonly movements: readonly Movement[];
  readonly alarms: readonly AccountAlarm[];
  /** The changes of the mint's token accounts. */
  readonly deltas: Readonly<Record<string, bigint>>;
}

/** The two encodings of one transaction. */
export interface Answers {
  readonly base64: unknown;
  readonly json: unknown;
}

/** A ledger behind its JSON-RPC that gives every transaction its own slot. */
export interface LedgerToRead {
  readonly chain: Engine;
  readonly advance: (milliseconds: number) => void;
  /** Executes instructions, paid by the first signer; a failing transaction is kept. */
  send(signers: readonly Keypair[], ...instructions: TransactionInstruction[]): LedgerTransaction;
  /** The transaction over the ledger's JSON-RPC. */
  answers(transaction: LedgerTransaction): Promise<Answers>;
  /**
   * What the indexer reads from a transaction over JSON-RPC.
   * @param mint the followed mint; BD by default
   * @throws if the two encodings are read differently
   */
  read(transaction: LedgerTransaction, watched: WatchedAccount, mint?: string): Promise<ReadTransaction>;
  close(): Promise<void>;
}

export async function startLedgerToRead(): Promise<LedgerToRead> {
  const { chain, advance } = openTestLedger();
  const server = await startRpcServer(chain, 0);

  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
    record(await callRpc(server.url, method, params), 'the reply').result;

  const answers = async ({ signature }: LedgerTransaction): Promise<Answers> => {
    const { method, params } = getTransaction(signature);
    const [, config] = params;
    return {
      base64: await ask(method, params),
      json: await ask(method, [signature, { ...record(config, 'the config'), encoding: 'json' }]),
    };
  };

  return {
    chain,
    advance,
    answers,
    send(signers, ...instructions) {
      advance(SLOT_MILLISECONDS);
      return accepted(sendInstructions(chain, signers, instructions, { skipPreflight: true }));
    },
    async read(transaction, watched, mint = LEDGER.mint) {
      const encodings = await answers(transaction);
      const decoded = decodeTransaction(encodings.base64, mint);
      const fromJson = decodeTransaction(encodings.json, mint);
      if (plainText(decoded) !== plainText(fromJson))
        throw new Error('The two encodings are read differently.');
      if (decoded.signature !== transaction.signature) throw new Error('It is read with another signature.');
      return readTransaction(decoded, watched);
    },
    async close() {
      await server.close();
      chain.close();
    },
  };
}

export function readTransaction(decoded: DecodedTransaction, watched: WatchedAccount): ReadTransaction {
  const { accounts, changes } = decoded;
  const movements = classify(decoded, watched);
  return {
    movement: movements[0] ?? null,
    movements,
    alarms: alarmsOn(decoded, watched),
    deltas: Object.fromEntries(changes.map(({ account, delta }) => [accounts.addressAt(account), delta])),
  };
}

/** Everything decoded, as text for comparison. */
export function plainText({ accounts, ...decoded }: DecodedTransaction): string {
  const addresses = Array.from({ length: accounts.count }, (_, index) => accounts.addressAt(index));
  return JSON.stringify({ ...decoded, addresses }, (_, value) =>
    typeof value === 'bigint' ? `${value} base units` : value,
  );
}
