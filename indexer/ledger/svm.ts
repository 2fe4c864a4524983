import type {
  Account,
  InnerInstruction,
  InstructionErrorBorshIo,
  InstructionErrorCustom,
  InstructionErrorFieldless,
  SlotHashInput,
  TransactionErrorDuplicateInstruction,
  TransactionErrorFieldless,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
  TransactionErrorProgramExecutionTemporarilyRestricted,
  TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { NO_ACCOUNT } from './account-index.ts';
import { encodeKey, keyBytes } from './base58-cache.ts';
import type { LedgerAccount, LedgerClock, LedgerTransaction, TransactionErrorJson } from './chain.ts';
import { loadLitesvm } from './litesvm.ts';
import { LOADER_PROGRAMS } from './programs.ts';

const litesvm = loadLitesvm();

/** The outcome of running a message in the runtime. Indexes refer to that message. */
export interface RunResult {
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
  readonly innerInstructions: readonly (readonly RunInnerInstruction[])[];
}

/**
 * The outcome of a transaction. Indexes refer to the keys and instructions of the signed transaction, even if a different
 * message ran instead.
 */
export type TransactionOutcome = Omit<RunResult, 'innerInstructions'> &
  Pick<LedgerTransaction, 'innerInstructions'>;

interface RunInnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

const SLOTS_PER_EPOCH = 432_000;

export type Svm = ReturnType<typeof createSvm>;

/**
 * LiteSVM: the Solana runtime with accounts in memory and the standard programs (System, Token, Token-2022, associated
 * tokens, memo, lookup tables). It aborts the process on bytes that it cannot read.
 */
export function createSvm() {
  const svm = new litesvm.LiteSvm();
  svm.setSigverify(false);
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);

  // Cached, because most transactions use programs of several hundred kilobytes, and the programs never change here.
  const programs = new Map<string, LedgerAccount>();
  const readOwned = (program: string) =>
    svm
      .getProgramAccounts(keyBytes(program))
      .map((entry) => [encodeKey(entry.address), readAccount(entry.account())] as const);
  for (const loader of LOADER_PROGRAMS) {
    for (const [address, account] of readOwned(loader)) programs.set(address, account);
  }

  return {
    read(address: string): LedgerAccount | null {
      const bytes = keyBytes(address);
      const program = programs.get(address);
      if (program !== undefined && svm.getBalance(bytes) === program.lamports) return program;
      const account = svm.getAccount(bytes);
      if (account === null || account.lamports() === 0n) return null;
      const ledgerAccount = readAccount(account);
      if (program !== undefined || ledgerAccount.executable) programs.set(address, ledgerAccount);
      return ledgerAccount;
    },
    write(address: string, account: LedgerAccount | null): void {
      const { lamports, data, owner, executable } = account ?? NO_ACCOUNT;
      svm.setAccount(keyBytes(address), new litesvm.Account(lamports, data, keyBytes(owner), executable, 0n));
    },
    readOwned,
    /** Runs a well-formed transaction and keeps its changes. Does not check the signatures or the blockhash. */
    run(wire: Uint8Array): RunResult {
      const outcome = svm.sendVersionedTransaction(wire);
      return outcome instanceof litesvm.FailedTransactionMetadata
        ? { ...readMetadata(outcome.meta()), err: runtimeErrorJson(outcome.err()) }
        : { ...readMetadata(outcome), err: null };
    },
    setClock(clock: LedgerClock): void {
      const epoch = BigInt(Math.floor(clock.slot / SLOTS_PER_EPOCH));
      svm.setClock(
        new litesvm.Clock(
          BigInt(clock.slot),
          BigInt(clock.unixTime),
          epoch,
          epoch + 1n,
          BigInt(clock.unixTime),
        ),
      );
    },
    setSlotHashes: (hashes: SlotHashInput[]): void => svm.setSlotHashes(hashes),
    rentExemption: (dataLength: number): bigint => svm.minimumBalanceForRentExemption(BigInt(dataLength)),
  };
}

/** Copies data and owner out of the runtime on first use, because most reads need only the lamports. */
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
  return {
    logs: meta.logs(),
    computeUnits: meta.computeUnitsConsumed(),
    innerInstructions: meta.innerInstructions().map((group) => group.map(readInner)),
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

/** Names in the order of litesvm's enum `TransactionErrorFieldless`. */
const TRANSACTION_ERROR_NAMES = nameList(`
  AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee
  InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee
  InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure ClusterMaintenance
  AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion InvalidWritableAccount
  WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit TooManyAccountLocks
  AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData
  InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit
  WouldExceedAccountDataTotalLimit MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded
  InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction ProgramCacheHitMaxLimit CommitCancelled
`);

/** Names in the order of litesvm's enum `InstructionErrorFieldless`. */
const INSTRUCTION_ERROR_NAMES = nameList(`
  GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall
  InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized
  UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend
  ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex
  ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged AccountNotExecutable
  AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError
  ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId
  CallDepth MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc
  ComputationalBudgetExceeded PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete
  ProgramFailedToCompile Immutable IncorrectAuthority AccountNotRentExempt InvalidAccountOwner
  ArithmeticOverflow UnsupportedSysvar IllegalOwner MaxAccountsDataAllocationsExceeded MaxAccountsExceeded
  MaxInstructionTraceLengthExceeded BuiltinProgramsMustConsumeComputeUnits BorshIoError
`);

function nameList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

type RuntimeError =
  | TransactionErrorFieldless
  | TransactionErrorInstructionError
  | TransactionErrorDuplicateInstruction
  | TransactionErrorInsufficientFundsForRent
  | TransactionErrorProgramExecutionTemporarilyRestricted;

/** An unknown error becomes `{ UnknownError: <the error as a string> }`. */
function runtimeErrorJson(error: RuntimeError): TransactionErrorJson {
  if (typeof error === 'number') return TRANSACTION_ERROR_NAMES[error] ?? { UnknownError: String(error) };
  if (error instanceof litesvm.TransactionErrorInstructionError) {
    return { InstructionError: [error.index, instructionErrorJson(error.err())] };
  }
  if (error instanceof litesvm.TransactionErrorDuplicateInstruction)
    return { DuplicateInstruction: error.index };
  if (error instanceof litesvm.TransactionErrorInsufficientFundsForRent) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  if (error instanceof litesvm.TransactionErrorProgramExecutionTemporarilyRestricted) {
    return { ProgramExecutionTemporarilyRestricted: { account_index: error.accountIndex } };
  }
  return { UnknownError: String(error) };
}

function instructionErrorJson(
  error: InstructionErrorFieldless | InstructionErrorCustom | InstructionErrorBorshIo,
): TransactionErrorJson {
  if (typeof error === 'number') return INSTRUCTION_ERROR_NAMES[error] ?? { UnknownError: String(error) };
  if (error instanceof litesvm.InstructionErrorCustom) return { Custom: error.code };
  if (error instanceof litesvm.InstructionErrorBorshIo) return { BorshIoError: error.msg };
  return { UnknownError: String(error) };
}
