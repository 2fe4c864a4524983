import type { StakeEntry, StakePool } from '../../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import type { TransactionErrorJson } from '../chain.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { MessageInstruction } from '../wire.ts';
import {
  decodeStakeInstruction,
  STAKE_ACCOUNTS,
  STAKE_ERRORS,
  type StakeErrorName,
  StakeProgramError,
  UNSTAKE_ACCOUNTS,
} from './idl.ts';
import { nameAccounts, type StakeDraft, stake, unstake } from './rules.ts';
import type { StagedCall, StagedInstruction } from './staged-instructions.ts';

export interface StakeSimulation {
  /** The instructions to run, in order. If an instruction fails, the list ends before it. */
  readonly stagedInstructions: readonly StagedInstruction[];
  /** Program addresses that the stake program signs for in its calls. */
  readonly signers: ReadonlySet<string>;
  readonly failure: StakeFailure | null;
  /** The pools and entries to write once all staged instructions have succeeded. */
  readonly pools: ReadonlyMap<string, StakePool>;
  readonly entries: ReadonlyMap<string, StakeEntry>;
  readonly closedEntries: readonly { readonly entry: string; readonly rentTo: string }[];
}

interface StakeFailure {
  /** The index of the failed instruction in the signed transaction. */
  readonly index: number;
  readonly err: TransactionErrorJson;
  /** The stake program's error; null if the ledger itself rejects the instruction. */
  readonly errorName: StakeErrorName | null;
}

/**
 * Stands in for the stake program: checks each stake instruction of a transaction against the program's rules, and stages the
 * calls to the System and token programs that the stake program would make.
 *
 * Signer flags apply to a whole message, so a program address that signs one instruction signs all of them. Therefore any
 * other instruction that lists such an address is rejected: it could empty the stake vault.
 */
export function simulateStakeInstructions(
  transaction: ResolvedTransaction,
  runtime: Pick<StakeDraft, 'clock' | 'read' | 'rentExemption'>,
): StakeSimulation {
  const draft: StakeDraft = {
    ...runtime,
    stagedInstructions: [],
    signers: new Set(),
    pools: new Map(),
    entries: new Map(),
    closedEntries: [],
  };
  const { instructions, staticKeys } = transaction.wire.message;
  let failure: StakeFailure | null = null;
  for (const [originIndex, instruction] of instructions.entries()) {
    const program = staticKeys[instruction.programIdIndex] ?? '';
    if (program === STAKING_PROGRAM) failure = stageInstruction(draft, transaction, instruction, originIndex);
    else draft.stagedInstructions.push(stageUnchanged(transaction, instruction, originIndex, program));
    if (failure !== null) break;
  }
  const forged = draft.stagedInstructions.find(
    (staged) => !staged.isInner && staged.accounts.some((account) => draft.signers.has(account)),
  );
  if (forged !== undefined) {
    const err = { InstructionError: [forged.originIndex, 'MissingRequiredSignature'] };
    failure = { index: forged.originIndex, err, errorName: null };
  }
  if (failure === null) return { ...draft, failure };
  const { index } = failure;
  return {
    ...draft,
    stagedInstructions: draft.stagedInstructions.filter((staged) => staged.originIndex < index),
    failure,
  };
}

function stageInstruction(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  originIndex: number,
): StakeFailure | null {
  try {
    const calls = stageCalls(draft, transaction, instruction);
    draft.stagedInstructions.push(...calls.map((call) => ({ ...call, originIndex, isInner: true })));
    return null;
  } catch (error) {
    if (!(error instanceof StakeProgramError)) throw error;
    const err = { InstructionError: [originIndex, { Custom: STAKE_ERRORS[error.errorName].code }] };
    return { index: originIndex, err, errorName: error.errorName };
  }
}

function stageCalls(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
): StagedCall[] {
  const decoded = decodeStakeInstruction(instruction.data);
  if (decoded === 'unknown') throw new StakeProgramError('InstructionFallbackNotFound');
  if (decoded === 'broken') throw new StakeProgramError('InstructionDidNotDeserialize');
  if (decoded.name === 'stake') {
    return stake(draft, nameAccounts(transaction, instruction, STAKE_ACCOUNTS), decoded);
  }
  return unstake(draft, nameAccounts(transaction, instruction, UNSTAKE_ACCOUNTS), decoded.closesEntry);
}

function stageUnchanged(
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  originIndex: number,
  program: string,
): StagedInstruction {
  const accounts = [...instruction.accounts].map((index) => transaction.keys[index] ?? '');
  return { originIndex, isInner: false, program, accounts, data: instruction.data };
}
