/**
 * Transaction errors in words, as a Solana node puts them into a preflight failure (`solana-transaction-error` and
 * `solana-instruction-error`, their Display texts). A name without a text here is given as it is.
 */
import type { TransactionErrorJson } from '../../chain.ts';

const TRANSACTION_TEXTS: ReadonlyMap<string, string> = new Map([
  ['AccountInUse', 'Account in use'],
  ['AccountLoadedTwice', 'Account loaded twice'],
  ['AccountNotFound', 'Attempt to debit an account but found no record of a prior credit.'],
  ['ProgramAccountNotFound', 'Attempt to load a program that does not exist'],
  ['InsufficientFundsForFee', 'Insufficient funds for fee'],
  ['InvalidAccountForFee', 'This account may not be used to pay transaction fees'],
  ['AlreadyProcessed', 'This transaction has already been processed'],
  ['BlockhashNotFound', 'Blockhash not found'],
  ['SignatureFailure', 'Transaction did not pass signature verification'],
  ['InvalidProgramForExecution', 'This program may not be used for executing instructions'],
  ['SanitizeFailure', 'Transaction failed to sanitize accounts offsets correctly'],
  ['UnsupportedVersion', 'Transaction version is unsupported'],
  ['InvalidWritableAccount', 'Transaction loads a writable account that cannot be written'],
  ['TooManyAccountLocks', 'Transaction locked too many accounts'],
  ['AddressLookupTableNotFound', "Transaction loads an address table account that doesn't exist"],
  ['InvalidAddressLookupTableIndex', 'Transaction address table lookup uses an invalid index'],
  ['InvalidRentPayingAccount', 'Transaction leaves an account with a lower balance than rent-exempt minimum'],
]);

const INSTRUCTION_TEXTS: ReadonlyMap<string, string> = new Map([
  ['GenericError', 'generic instruction error'],
  ['InvalidArgument', 'invalid program argument'],
  ['InvalidInstructionData', 'invalid instruction data'],
  ['InvalidAccountData', 'invalid account data for instruction'],
  ['AccountDataTooSmall', 'account data too small for instruction'],
  ['InsufficientFunds', 'insufficient funds for instruction'],
  ['IncorrectProgramId', 'incorrect program id for instruction'],
  ['MissingRequiredSignature', 'missing required signature for instruction'],
  ['AccountAlreadyInitialized', 'instruction requires an uninitialized account'],
  ['UninitializedAccount', 'instruction requires an initialized account'],
  ['NotEnoughAccountKeys', 'insufficient account keys for instruction'],
  ['MissingAccount', 'An account required by the instruction is missing'],
  ['InvalidAccountOwner', 'Invalid account owner'],
  ['IllegalOwner', 'Provided owner is not allowed'],
  ['InvalidSeeds', 'Provided seeds do not result in a valid address'],
  ['UnsupportedProgramId', 'Unsupported program id'],
  ['PrivilegeEscalation', 'Cross-program invocation with unauthorized signer or writable account'],
  ['ComputationalBudgetExceeded', 'Computational budget exceeded'],
  ['ProgramFailedToComplete', 'Program failed to complete'],
  ['ArithmeticOverflow', 'Program arithmetic overflowed'],
]);

function instructionText(error: unknown): string {
  if (typeof error === 'string') return INSTRUCTION_TEXTS.get(error) ?? error;
  if (typeof error === 'object' && error !== null && 'Custom' in error) {
    return `custom program error: 0x${Number(error.Custom).toString(16)}`;
  }
  return JSON.stringify(error);
}

/** One sentence for an error in JSON-RPC shape. */
export function transactionErrorText(error: TransactionErrorJson): string {
  if (typeof error === 'string') return TRANSACTION_TEXTS.get(error) ?? error;
  const failed = error.InstructionError;
  if (Array.isArray(failed)) {
    return `Error processing Instruction ${String(failed[0])}: ${instructionText(failed[1])}`;
  }
  return JSON.stringify(error);
}
