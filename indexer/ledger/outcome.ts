import type { InnerInstructionRecord, SimulationResult, TransactionErrorJson } from './chain.ts';

export interface InnerInstructionGroup {
  readonly index: number;
  readonly instructions: readonly InnerInstructionRecord[];
}

/** What came of running a transaction, with indexes into its own keys and instructions. */
export interface Outcome {
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
  readonly returnData: SimulationResult['returnData'];
  readonly innerInstructions: readonly InnerInstructionGroup[];
}
