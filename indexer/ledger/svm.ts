import {
  Account,
  Clock,
  FailedTransactionMetadata,
  type InnerInstruction,
  LiteSvm,
  type SlotHashInput,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { encodeKey, keyBytes } from './base58-cache.ts';
import type { LedgerAccount, LedgerClock, TransactionErrorJson } from './chain.ts';
import { LOADER_PROGRAMS, SYSTEM_PROGRAM } from './programs.ts';
import { runtimeErrorJson } from './runtime-errors.ts';

/** What one run in the virtual machine gave. Indexes are those of the message that ran. */
export interface RunResult {
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
  readonly innerInstructions: readonly (readonly RunInnerInstruction[])[];
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
}

export interface RunInnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

/** The Solana runtime with its accounts in memory. It aborts the process on bytes that it cannot read. */
export interface Svm {
  read(address: string): LedgerAccount | null;
  write(address: string, account: LedgerAccount | null): void;
  /** Every account that a program owns, those the runtime itself starts with included. */
  readOwned(program: string): readonly (readonly [address: string, account: LedgerAccount])[];
  /** Runs a well-formed transaction and keeps what it changes. Signatures and blockhash are the caller's to check. */
  run(wire: Uint8Array): RunResult;
  setClock(clock: LedgerClock): void;
  setSlotHashes(hashes: SlotHashInput[]): void;
  rentExemption(dataLength: number): bigint;
}

const SLOTS_PER_EPOCH = 432_000;
const NO_DATA = new Uint8Array(0);

/** A fresh runtime with the standard programs: System, Token, Token-2022, associated tokens, memo, lookup tables. */
export function createSvm(): Svm {
  const svm = new LiteSvm();
  svm.setSigverify(false);
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);

  // Most transactions name a program or two of a hundred kilobytes, and no program can be replaced here.
  const programs = new Map<string, LedgerAccount>();
  const readOwned: Svm['readOwned'] = (program) =>
    svm
      .getProgramAccounts(keyBytes(program))
      .map((entry) => [encodeKey(entry.address), readAccount(entry.account())] as const);
  for (const loader of LOADER_PROGRAMS) {
    for (const [address, account] of readOwned(loader)) programs.set(address, account);
  }

  return {
    read(address) {
      const bytes = keyBytes(address);
      const program = programs.get(address);
      if (program !== undefined && svm.getBalance(bytes) === program.lamports) return program;
      const account = svm.getAccount(bytes);
      if (account === null || account.lamports() === 0n) return null;
      const read = readAccount(account);
      if (program !== undefined || read.executable) programs.set(address, read);
      return read;
    },
    write(address, account) {
      svm.setAccount(
        keyBytes(address),
        account === null
          ? new Account(0n, NO_DATA, keyBytes(SYSTEM_PROGRAM), false, 0n)
          : new Account(account.lamports, account.data, keyBytes(account.owner), account.executable, 0n),
      );
    },
    readOwned,
    run(wire) {
      const outcome = svm.sendVersionedTransaction(wire);
      if (outcome instanceof FailedTransactionMetadata) {
        return { ...readMetadata(outcome.meta()), err: runtimeErrorJson(outcome.err()) };
      }
      return { ...readMetadata(outcome), err: null };
    },
    setClock(clock) {
      const epoch = BigInt(Math.floor(clock.slot / SLOTS_PER_EPOCH));
      svm.setClock(
        new Clock(BigInt(clock.slot), BigInt(clock.unixTime), epoch, epoch + 1n, BigInt(clock.unixTime)),
      );
    },
    setSlotHashes(hashes) {
      svm.setSlotHashes(hashes);
    },
    rentExemption(dataLength) {
      return svm.minimumBalanceForRentExemption(BigInt(dataLength));
    },
  };
}

/** Data is copied out of the runtime when it is first asked for: most reads want the lamports only. */
function readAccount(account: Account): LedgerAccount {
  let data: Uint8Array | undefined;
  let owner: string | undefined;
  return {
    lamports: account.lamports(),
    executable: account.executable(),
    get owner() {
      owner ??= encodeKey(account.owner());
      return owner;
    },
    get data() {
      data ??= account.data();
      return data;
    },
  };
}

function readMetadata(meta: TransactionMetadata): Omit<RunResult, 'err'> {
  const returned = meta.returnData();
  const data = returned.data();
  return {
    logs: meta.logs(),
    computeUnits: meta.computeUnitsConsumed(),
    innerInstructions: meta.innerInstructions().map((group) => group.map(readInner)),
    returnData: data.length === 0 ? null : { programId: encodeKey(returned.programId()), data },
  };
}

function readInner(inner: InnerInstruction): RunInnerInstruction {
  const instruction = inner.instruction();
  return {
    programIdIndex: instruction.programIdIndex(),
    accounts: instruction.accounts(),
    data: instruction.data(),
    stackHeight: inner.stackHeight(),
  };
}
