import type { LedgerAccount, LedgerClock } from '../chain.ts';
import type { StakeEntry, StakePool } from './layout.ts';
import type { StagedInstruction } from './staged-instruction.ts';

/** A plan while it grows: later instructions of a transaction see what earlier ones did. */
export interface StakeDraft {
  readonly clock: LedgerClock;
  readonly read: (address: string) => LedgerAccount | null;
  readonly rentExemption: (dataLength: number) => bigint;
  readonly staged: StagedInstruction[];
  /** Program addresses that sign what the stake program would have called. */
  readonly signers: Set<string>;
  readonly pools: Map<string, StakePool>;
  readonly entries: Map<string, StakeEntry>;
  readonly closed: { readonly entry: string; readonly rentTo: string }[];
}
