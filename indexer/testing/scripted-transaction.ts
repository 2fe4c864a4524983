import { createHash } from 'node:crypto';
import bs58 from 'bs58';

// The scripted cluster's wire formats. For their sources, see `scripted-cluster.ts`.

export type TransactionVersion = 'legacy' | 0 | 1;

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
  readonly inner?: readonly Instruction[];
}

export interface EncodedTransaction {
  /** The addresses of the transaction's accounts. */
  readonly keys: readonly string[];
  readonly wire: Buffer;
  readonly json: object;
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The addresses of a transaction's accounts: the payer first, the programs last. */
export function keysOf(payer: string, instructions: readonly Instruction[]): readonly string[] {
  const all = instructions.flatMap((one) => [one, ...(one.inner ?? [])]);
  const programs = new Set(all.map(({ program }) => program));
  const named = all.flatMap(({ accounts }) => accounts).filter((key) => !programs.has(key));
  return [...new Set([payer, ...named]), ...programs];
}

/** Converts an instruction to its form in a transaction's JSON. `keys` are the transaction's accounts. */
export function compileInstruction({ program, accounts, data }: Instruction, keys: readonly string[]) {
  return {
    programIdIndex: keys.indexOf(program),
    accounts: accounts.map((account) => keys.indexOf(account)),
    data: bs58.encode(data),
  };
}

export function encodeScriptedTransaction(
  signature: string,
  version: TransactionVersion,
  payer: string,
  instructions: readonly Instruction[],
): EncodedTransaction {
  const keys = keysOf(payer, instructions);
  const programs = new Set(
    instructions.flatMap((one) => [one, ...(one.inner ?? [])]).map(({ program }) => program),
  );
  const header = Buffer.of(1, 0, programs.size);
  const keyBytes = Buffer.concat(keys.map((key) => bs58.decode(key)));
  const blockhash = sha256('blockhash');
  const calls = instructions.map((one) => {
    const { programIdIndex, accounts } = compileInstruction(one, keys);
    return { program: programIdIndex, accounts: Buffer.from(accounts), data: one.data };
  });
  const compactLength = (length: number): Buffer =>
    length < 0x80 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7);
  const olderMessage = [
    ...[header, compactLength(keys.length), keyBytes, blockhash, compactLength(calls.length)],
    ...calls.flatMap(({ program, accounts, data }) => [
      ...[Buffer.of(program), compactLength(accounts.length), accounts, compactLength(data.length), data],
    ]),
  ];
  const newerWire = [
    // The config mask (4 zero bytes) has no bit set, so no config values follow the keys.
    ...[Buffer.of(0x80 | Number(version)), header, Buffer.alloc(4), blockhash],
    ...[Buffer.of(calls.length, keys.length), keyBytes],
    ...calls.map(({ program, accounts, data }) =>
      Buffer.of(program, accounts.length, data.length & 0xff, data.length >> 8),
    ),
    ...calls.flatMap(({ accounts, data }) => [accounts, data]),
    bs58.decode(signature),
  ];
  const isOlder = version === 'legacy' || version === 0;
  const wire = isOlder
    ? [
        compactLength(1),
        bs58.decode(signature),
        ...(version === 0 ? [Buffer.of(0x80), ...olderMessage, compactLength(0)] : olderMessage),
      ]
    : newerWire;
  const message = {
    header: {
      numRequiredSignatures: 1,
      numReadonlySignedAccounts: 0,
      numReadonlyUnsignedAccounts: programs.size,
    },
    accountKeys: keys,
    recentBlockhash: bs58.encode(blockhash),
    instructions: instructions.map((one) => ({ ...compileInstruction(one, keys), stackHeight: null })),
    ...(version !== 'legacy' && { addressTableLookups: [] }),
  };
  return { keys, wire: Buffer.concat(wire), json: { signatures: [signature], message } };
}
