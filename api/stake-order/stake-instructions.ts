import type { PublicKey, TransactionInstruction, VersionedMessage } from '@solana/web3.js';
import { LOCK_DAYS, STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { Web3 } from '../chain/chain-reads.ts';

export const LOCK_SECONDS = BigInt(LOCK_DAYS) * 86_400n;

export const TOKEN_PROGRAMS = {
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
} as const;
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

/** The first eight bytes of the `stake` instruction (source: the IDL in @streamflow/staking). */
const STAKE_DISCRIMINATOR = Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108);
/** The first eight bytes of the `unstake` instruction. */
const UNSTAKE_DISCRIMINATOR = Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225);
/**
 * The discriminator, then an optional flag for closing the entry: 1 means that the flag is present, and 0 sets it to false.
 * The entry stays open, because a closed entry could no longer claim what a reward pool owes it.
 */
const UNSTAKE_DATA = Buffer.from([...UNSTAKE_DISCRIMINATOR, 1, 0]);
/** The position of the stake entry among the accounts of `unstake`. */
export const UNSTAKE_ENTRY_INDEX = 1;
/** In bytes: the discriminator, then nonce u32, amount u64 and duration u64, little-endian. */
const STAKE_DATA_SIZE = 28;
/** The number of the associated token program's instruction that creates an account unless it exists. */
const CREATE_IDEMPOTENT = 1;

export interface StakePoolAccounts {
  readonly stakePool: string;
  readonly mint: string;
  readonly tokenProgram: string;
}

interface Stake {
  readonly wallet: string;
  /** Distinguishes the wallet's stake entries. */
  readonly nonce: number;
  /** Base units. */
  readonly amount: bigint;
}

interface Unstake {
  readonly wallet: string;
  readonly entry: string;
}

/** The accounts that all stakes of a wallet use, derived from the wallet and the pool. */
interface StakeAccounts {
  readonly bdAccount: PublicKey;
  /** The wallet's account for the pool's receipt tokens. */
  readonly receiptAccount: PublicKey;
  readonly stakeMint: PublicKey;
  readonly stakeVault: PublicKey;
  readonly rentSponsor: PublicKey;
}

const signerMeta = (pubkey: PublicKey) => ({ pubkey, isSigner: true, isWritable: true });
const writableMeta = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: true });
const readonlyMeta = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: false });

/** Derives the addresses and instructions for one pool, with the seeds from `derive…PDA` in @streamflow/staking 12.1.1. */
export class StakeInstructions {
  readonly #web3: Web3;
  readonly #pool: StakePoolAccounts;
  readonly #stakePool: PublicKey;
  readonly #tokenProgram: PublicKey;
  readonly #program: PublicKey;

  constructor(web3: Web3, pool: StakePoolAccounts) {
    this.#web3 = web3;
    this.#pool = pool;
    this.#stakePool = new web3.PublicKey(pool.stakePool);
    this.#tokenProgram = new web3.PublicKey(pool.tokenProgram);
    this.#program = new web3.PublicKey(STAKING_PROGRAM);
  }

  #programAddress(...seeds: readonly (string | Uint8Array)[]): PublicKey {
    const bytes = seeds.map((seed) => Buffer.from(seed));
    return this.#web3.PublicKey.findProgramAddressSync(bytes, this.#program)[0];
  }

  #associatedAccount(owner: PublicKey, mint: PublicKey): PublicKey {
    const program = new this.#web3.PublicKey(ASSOCIATED_TOKEN_PROGRAM);
    const seeds = [owner.toBytes(), this.#tokenProgram.toBytes(), mint.toBytes()];
    return this.#web3.PublicKey.findProgramAddressSync(seeds, program)[0];
  }

  entryOf({ wallet, nonce }: Pick<Stake, 'wallet' | 'nonce'>): PublicKey {
    const nonceBytes = Buffer.alloc(4);
    nonceBytes.writeUInt32LE(nonce);
    const owner = new this.#web3.PublicKey(wallet).toBytes();
    return this.#programAddress('stake-entry', this.#stakePool.toBytes(), owner, nonceBytes);
  }

  accounts(wallet: string): StakeAccounts {
    const owner = new this.#web3.PublicKey(wallet);
    const pool = this.#stakePool.toBytes();
    const stakeMint = this.#programAddress('stake-mint', pool);
    return {
      bdAccount: this.#associatedAccount(owner, new this.#web3.PublicKey(this.#pool.mint)),
      receiptAccount: this.#associatedAccount(owner, stakeMint),
      stakeMint,
      stakeVault: this.#programAddress('stake-vault', pool),
      rentSponsor: this.#programAddress('rent-sponsor'),
    };
  }

  /** The two instructions of a stake: create the receipt account unless it exists, and stake for one lock period. */
  build(stake: Stake): TransactionInstruction[] {
    const { receiptAccount, stakeMint } = this.accounts(stake.wallet);
    return [this.#createAccount(stake.wallet, receiptAccount, stakeMint), this.#stake(stake)];
  }

  /** The two instructions of an unstake: create the BD account unless it exists, and end the stake. */
  buildUnstake({ wallet, entry }: Unstake): TransactionInstruction[] {
    const { bdAccount } = this.accounts(wallet);
    const mint = new this.#web3.PublicKey(this.#pool.mint);
    return [this.#createAccount(wallet, bdAccount, mint), this.#unstake({ wallet, entry })];
  }

  #createAccount(wallet: string, account: PublicKey, mint: PublicKey): TransactionInstruction {
    const { PublicKey, SystemProgram, TransactionInstruction } = this.#web3;
    const owner = new PublicKey(wallet);
    return new TransactionInstruction({
      programId: new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
      keys: [
        signerMeta(owner),
        writableMeta(account),
        readonlyMeta(owner),
        readonlyMeta(mint),
        readonlyMeta(SystemProgram.programId),
        readonlyMeta(this.#tokenProgram),
      ],
      data: Buffer.of(CREATE_IDEMPOTENT),
    });
  }

  #stake(stake: Stake): TransactionInstruction {
    const { PublicKey, SystemProgram, TransactionInstruction } = this.#web3;
    const { bdAccount, receiptAccount, stakeMint, stakeVault, rentSponsor } = this.accounts(stake.wallet);
    const owner = new PublicKey(stake.wallet);
    const data = Buffer.alloc(STAKE_DATA_SIZE);
    data.set(STAKE_DISCRIMINATOR);
    data.writeUInt32LE(stake.nonce, 8);
    data.writeBigUInt64LE(stake.amount, 12);
    data.writeBigUInt64LE(LOCK_SECONDS, 20);
    return new TransactionInstruction({
      programId: this.#program,
      keys: [
        writableMeta(this.#stakePool),
        writableMeta(this.entryOf(stake)),
        writableMeta(bdAccount),
        writableMeta(stakeVault),
        writableMeta(receiptAccount),
        signerMeta(owner),
        readonlyMeta(owner),
        writableMeta(new PublicKey(this.#pool.mint)),
        writableMeta(stakeMint),
        writableMeta(rentSponsor),
        readonlyMeta(this.#tokenProgram),
        readonlyMeta(SystemProgram.programId),
      ],
      data,
    });
  }

  #unstake({ wallet, entry }: Unstake): TransactionInstruction {
    const { PublicKey, TransactionInstruction } = this.#web3;
    const { bdAccount, receiptAccount, stakeMint, stakeVault, rentSponsor } = this.accounts(wallet);
    return new TransactionInstruction({
      programId: this.#program,
      keys: [
        writableMeta(this.#stakePool),
        writableMeta(new PublicKey(entry)),
        writableMeta(receiptAccount),
        writableMeta(stakeVault),
        writableMeta(bdAccount),
        signerMeta(new PublicKey(wallet)),
        writableMeta(new PublicKey(this.#pool.mint)),
        writableMeta(stakeMint),
        writableMeta(rentSponsor),
        readonlyMeta(this.#tokenProgram),
      ],
      data: UNSTAKE_DATA,
    });
  }
}

export const isUnstakeData = (data: Uint8Array): boolean => Buffer.compare(data, UNSTAKE_DATA) === 0;

export const isWithdrawal = ({ compiledInstructions }: VersionedMessage): boolean =>
  compiledInstructions.some(({ data }) => isUnstakeData(data));

/** Reads the nonce and amount from a `stake` instruction for one lock period; null for any other data. */
export function readStakeData(data: Uint8Array): Pick<Stake, 'nonce' | 'amount'> | null {
  if (data.length !== STAKE_DATA_SIZE) return null;
  if (!STAKE_DISCRIMINATOR.every((byte, index) => data[index] === byte)) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (view.getBigUint64(20, true) !== LOCK_SECONDS) return null;
  return { nonce: view.getUint32(8, true), amount: view.getBigUint64(12, true) };
}
