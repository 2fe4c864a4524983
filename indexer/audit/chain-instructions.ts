import type { CompiledInstruction, VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';

/** An instruction that ran. Addresses are base58; one that the answer does not tell is undefined. */
export interface RunInstruction {
  readonly program: string | undefined;
  readonly accounts: readonly (string | undefined)[];
  readonly data: Uint8Array;
  /** How deep it was called: 1 by the message; null where the node did not record it. */
  readonly height: number | null;
}

/** An instruction of the message, then all that ran within it, in order. */
export type RunGroup = readonly [RunInstruction, ...RunInstruction[]];

type AddressAt = (index: number) => string | undefined;

/** Tells addresses by their index: those of the message, then those loaded from tables. */
export function addressesOf({ meta, transaction }: VersionedTransactionResponse): AddressAt {
  const loaded = meta?.loadedAddresses;
  const keys = transaction.message.getAccountKeys(loaded && { accountKeysFromLookups: loaded });
  return (index) => keys.get(index)?.toBase58();
}

/** All instructions of a transaction in order of execution. Where a node recorded no inner ones, those of the message. */
export function runGroups(
  { meta, transaction }: VersionedTransactionResponse,
  addressAt: AddressAt,
): readonly RunGroup[] {
  const inner = Map.groupBy(meta?.innerInstructions ?? [], ({ index }) => index);
  return transaction.message.compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }, index) => [
      { program: addressAt(programIdIndex), accounts: accountKeyIndexes.map(addressAt), data, height: 1 },
      ...(inner.get(index) ?? [])
        .flatMap(({ instructions }) => instructions)
        .map((instruction) => ({
          program: addressAt(instruction.programIdIndex),
          accounts: instruction.accounts.map(addressAt),
          data: bs58.decode(instruction.data),
          height: heightOf(instruction),
        })),
    ],
  );
}

/** Nodes tell it since 1.14; web3.js hands it on without a name for it. */
function heightOf(
  instruction: CompiledInstruction & { readonly stackHeight?: number | null },
): number | null {
  return instruction.stackHeight ?? null;
}
