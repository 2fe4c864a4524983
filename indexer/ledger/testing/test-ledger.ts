import {
  type AddressLookupTableAccount,
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { LedgerChain, LedgerTransaction, SendOutcome } from '../chain.ts';
import type { Engine } from '../engine.ts';
import { openChain } from '../open-chain.ts';
import { signedWire } from '../transactions.ts';

/** Unix milliseconds at which the ledgers of tests start: any moment will do, so long as it is the same. */
export const TEST_START = Date.UTC(2026, 0, 15, 12);

/** A ledger in memory without past, whose clock only the test moves. */
export function openTestLedger(options: { readonly history?: boolean } = {}): {
  readonly chain: Engine;
  readonly advance: (milliseconds: number) => void;
} {
  let now = TEST_START;
  const chain = openChain({ file: ':memory:', now: () => now, history: options.history ?? false });
  return {
    chain,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}

/** Signs instructions with the ledger's newest blockhash and sends them. */
export function sendInstructions(
  chain: LedgerChain,
  signers: readonly Keypair[],
  instructions: readonly TransactionInstruction[],
  options: { readonly skipPreflight?: boolean } = {},
): SendOutcome {
  const wire = signedWire(instructions, signers, chain.latestBlockhash().blockhash);
  return chain.send(wire, { skipPreflight: options.skipPreflight ?? false });
}

/** The stored transaction of an outcome; throws where it was not accepted. */
export function accepted(outcome: SendOutcome): LedgerTransaction {
  if (outcome.kind === 'accepted') return outcome.transaction;
  throw new Error(
    `The ledger refused: ${JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
}

/** A signed version 0 transaction that takes accounts from lookup tables. */
export function signedWireV0(
  chain: LedgerChain,
  signer: Keypair,
  instructions: TransactionInstruction[],
  tables: AddressLookupTableAccount[],
): Uint8Array {
  const message = new TransactionMessage({
    payerKey: signer.publicKey,
    recentBlockhash: chain.latestBlockhash().blockhash,
    instructions,
  }).compileToV0Message(tables);
  const transaction = new VersionedTransaction(message);
  transaction.sign([signer]);
  return transaction.serialize();
}

/** Base units in a token account; 0 where there is none. */
export function tokenAmount(chain: LedgerChain, tokenAccount: string): bigint {
  const account = chain.account(tokenAccount);
  if (account === null) return 0n;
  return new DataView(account.data.buffer, account.data.byteOffset).getBigUint64(64, true);
}
