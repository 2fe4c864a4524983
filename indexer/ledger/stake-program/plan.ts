import type { TransactionErrorJson } from '../chain.ts';
import { STAKE_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { MessageInstruction } from '../wire.ts';
import type { StakeDraft } from './draft.ts';
import { STAKE_ERRORS, type StakeErrorName, StakeProgramError } from './errors.ts';
import { decodeStakeInstruction, type StakeInstruction } from './instructions.ts';
import type { StakeEntry, StakePool } from './layout.ts';
import { closeEntry, stake, unstake } from './rules.ts';
import type { StagedInstruction } from './staged-instruction.ts';

/** What the stake program's instructions of one transaction come to. */
export interface StakePlan {
  /** What to run, in order; where there is a failure, only what comes before it. */
  readonly staged: readonly StagedInstruction[];
  /** Program addresses that sign what the stake program would have called. */
  readonly signers: ReadonlySet<string>;
  readonly failure: StakeFailure | null;
  /** To be written when everything staged succeeded. */
  readonly pools: ReadonlyMap<string, StakePool>;
  readonly entries: ReadonlyMap<string, StakeEntry>;
  readonly closed: readonly { readonly entry: string; readonly rentTo: string }[];
}

export interface StakeFailure {
  readonly index: number;
  readonly err: TransactionErrorJson;
  /** What the stake program refused, or null where the ledger itself did. */
  readonly errorName: StakeErrorName | null;
}

/**
 * Turns a transaction that calls the stake program into one without it: each of its instructions is checked by the
 * program's rules and replaced by the System and Token instructions that the program would have called.
 *
 * Signer flags hold for a whole message, so an address that signs here signs for every instruction of it. Any other
 * instruction that names such an address is therefore refused: it could empty the stake vault otherwise.
 */
export function planStakeInstructions(
  transaction: ResolvedTransaction,
  world: Pick<StakeDraft, 'clock' | 'read' | 'rentExemption'>,
): StakePlan {
  const draft: StakeDraft = {
    ...world,
    staged: [],
    signers: new Set(),
    pools: new Map(),
    entries: new Map(),
    closed: [],
  };
  const { instructions, staticKeys } = transaction.wire.message;
  let failure: StakeFailure | null = null;
  for (const [origin, instruction] of instructions.entries()) {
    const program = staticKeys[instruction.programIdIndex] ?? '';
    if (program === STAKE_PROGRAM) failure = planOne(draft, transaction, instruction, origin);
    else draft.staged.push(asItIs(transaction, instruction, origin, program));
    if (failure !== null) break;
  }
  const usurper = draft.staged.find(
    (staged) => !staged.isInner && staged.accounts.some((account) => draft.signers.has(account)),
  );
  if (usurper !== undefined) {
    const err = { InstructionError: [usurper.origin, 'MissingRequiredSignature'] };
    failure = { index: usurper.origin, err, errorName: null };
  }
  if (failure === null) return { ...draft, failure };
  const { index } = failure;
  return { ...draft, staged: draft.staged.filter((staged) => staged.origin < index), failure };
}

function planOne(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  origin: number,
): StakeFailure | null {
  try {
    const calls = apply(draft, transaction, instruction, decodeStakeInstruction(instruction.data));
    draft.staged.push(...calls.map((call) => ({ ...call, origin, isInner: true })));
    return null;
  } catch (error) {
    if (!(error instanceof StakeProgramError)) throw error;
    const err = { InstructionError: [origin, { Custom: STAKE_ERRORS[error.errorName].code }] };
    return { index: origin, err, errorName: error.errorName };
  }
}

function apply(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  decoded: StakeInstruction | 'unknown' | 'broken',
): Pick<StagedInstruction, 'program' | 'accounts' | 'data'>[] {
  if (decoded === 'unknown') throw new StakeProgramError('InstructionFallbackNotFound');
  if (decoded === 'broken') throw new StakeProgramError('InstructionDidNotDeserialize');
  if (decoded.name === 'stake') return stake(draft, transaction, instruction, decoded);
  if (decoded.name === 'unstake') return unstake(draft, transaction, instruction, decoded.closesEntry);
  closeEntry(draft, transaction, instruction);
  return [];
}

function asItIs(
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  origin: number,
  program: string,
): StagedInstruction {
  const accounts = [...instruction.accounts].map((index) => transaction.keys[index] ?? '');
  return { origin, isInner: false, program, accounts, data: instruction.data };
}
