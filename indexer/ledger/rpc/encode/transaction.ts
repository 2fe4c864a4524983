/**
 * Transactions and their meta in the shape of a Solana node (Agave, `transaction-status/src/lib.rs`).
 *
 * Members that a node leaves out are left out here: `version` unless the caller named a version it supports,
 * `loadedAddresses` in jsonParsed. `costUnits` and `returnData` are not known to the ledger and always absent.
 */
import bs58 from 'bs58';
import type { LedgerTransaction, TokenBalanceRecord } from '../../chain.ts';
import { parseTransaction, type WireMessage, type WireTransaction } from '../../wire.ts';
import { type Config, isAbsent, readInteger, readWord } from '../params.ts';
import { unsupportedTransactionVersion } from '../rpc-error.ts';
import { resolveInstruction } from './instruction-accounts.ts';
import { parseInstruction } from './parsed-instruction.ts';
import { uiBalanceAmount } from './token-amount.ts';

export type TransactionEncoding = 'json' | 'jsonParsed' | 'base64' | 'base58';

export interface TransactionFormat {
  readonly encoding: TransactionEncoding;
  /** The highest version the caller understands; null for legacy only. */
  readonly maxSupportedVersion: number | null;
}

const ENCODINGS: readonly TransactionEncoding[] = ['json', 'jsonParsed', 'base64', 'base58'];

/** The encoding and highest version that a configuration asks for. */
export function readTransactionFormat(config: Config, at: string): TransactionFormat {
  const version = config.maxSupportedTransactionVersion;
  return {
    encoding: readWord(config.encoding, `${at}.encoding`, ENCODINGS, 'json'),
    maxSupportedVersion: isAbsent(version)
      ? null
      : readInteger(version, `${at}.maxSupportedTransactionVersion`, 0, 255),
  };
}

/** Instructions of the message stand at this height; what they call is higher. */
const TOP_HEIGHT = 1;

function tokenBalance(record: TokenBalanceRecord): object {
  return {
    accountIndex: record.accountIndex,
    mint: record.mint,
    owner: record.owner,
    programId: record.programId,
    uiTokenAmount: uiBalanceAmount(record.amount, record.decimals),
  };
}

function encodeMeta(transaction: LedgerTransaction, keys: readonly string[], isParsed: boolean): object {
  return {
    computeUnitsConsumed: transaction.computeUnits,
    err: transaction.err,
    fee: transaction.fee,
    innerInstructions: transaction.innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((instruction) =>
        isParsed
          ? parseInstruction(resolveInstruction(instruction, keys), instruction.stackHeight)
          : {
              accounts: instruction.accounts,
              data: bs58.encode(instruction.data),
              programIdIndex: instruction.programIdIndex,
              stackHeight: instruction.stackHeight,
            },
      ),
    })),
    ...(isParsed
      ? {}
      : {
          loadedAddresses: {
            readonly: transaction.loadedAddresses.readonly,
            writable: transaction.loadedAddresses.writable,
          },
        }),
    logMessages: transaction.logs,
    postBalances: transaction.postBalances,
    postTokenBalances: transaction.postTokenBalances.map(tokenBalance),
    preBalances: transaction.preBalances,
    preTokenBalances: transaction.preTokenBalances.map(tokenBalance),
    rewards: [],
    status: transaction.err === null ? { Ok: null } : { Err: transaction.err },
  };
}

/** Whether an account is locked for writing, by its index among static keys, loaded writable, loaded readonly. */
function isWritable({ header, staticKeys, lookups, instructions }: WireMessage, index: number): boolean {
  if (index >= staticKeys.length) {
    const writable = lookups.reduce((count, lookup) => count + lookup.writable.length, 0);
    return index < staticKeys.length + writable;
  }
  const isLocked =
    index < header.requiredSignatures
      ? index < header.requiredSignatures - header.readonlySigned
      : index < staticKeys.length - header.readonlyUnsigned;
  // A program that is called cannot be written, whatever the header says.
  return isLocked && !instructions.some((instruction) => instruction.programIdIndex === index);
}

/** The lookup tables of a version 0 message; a legacy message has no such member. */
function tableLookups({ version, lookups }: WireMessage): object {
  if (version === 'legacy') return {};
  return {
    addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
      accountKey: table,
      readonlyIndexes: [...readonly],
      writableIndexes: [...writable],
    })),
  };
}

function rawMessage(message: WireMessage): object {
  return {
    accountKeys: message.staticKeys,
    header: {
      numReadonlySignedAccounts: message.header.readonlySigned,
      numReadonlyUnsignedAccounts: message.header.readonlyUnsigned,
      numRequiredSignatures: message.header.requiredSignatures,
    },
    instructions: message.instructions.map((instruction) => ({
      accounts: [...instruction.accounts],
      data: bs58.encode(instruction.data),
      programIdIndex: instruction.programIdIndex,
      stackHeight: TOP_HEIGHT,
    })),
    recentBlockhash: message.blockhash,
    ...tableLookups(message),
  };
}

function parsedMessage(message: WireMessage, keys: readonly string[]): object {
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: index < message.header.requiredSignatures,
      source: index < message.staticKeys.length ? 'transaction' : 'lookupTable',
      writable: isWritable(message, index),
    })),
    instructions: message.instructions.map((instruction) =>
      parseInstruction(resolveInstruction(instruction, keys), TOP_HEIGHT),
    ),
    recentBlockhash: message.blockhash,
    ...tableLookups(message),
  };
}

function encodeWire(
  { bytes, message, signatures }: WireTransaction,
  keys: readonly string[],
  encoding: TransactionEncoding,
): unknown {
  switch (encoding) {
    case 'json':
      return {
        message: rawMessage(message),
        signatures: signatures.map((signature) => bs58.encode(signature)),
      };
    case 'jsonParsed':
      return {
        message: parsedMessage(message, keys),
        signatures: signatures.map((signature) => bs58.encode(signature)),
      };
    case 'base58':
      return [bs58.encode(bytes), 'base58'];
    case 'base64':
      return [Buffer.from(bytes).toString('base64'), 'base64'];
  }
}

/**
 * The `transaction`, `meta` and (where the caller named a version) `version` members.
 *
 * @throws -32015 where the transaction's version is above what the caller supports
 */
export function encodeTransaction(transaction: LedgerTransaction, format: TransactionFormat): object {
  const parsed = parseTransaction(transaction.wire);
  if (parsed.kind === 'malformed') {
    throw new Error(`transaction ${transaction.signature} of the ledger cannot be read: ${parsed.reason}`);
  }
  const { version, staticKeys } = parsed.value.message;
  if (version !== 'legacy' && (format.maxSupportedVersion === null || version > format.maxSupportedVersion)) {
    throw unsupportedTransactionVersion(version);
  }
  const { loadedAddresses } = transaction;
  const keys = [...staticKeys, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  return {
    meta: encodeMeta(transaction, keys, format.encoding === 'jsonParsed'),
    transaction: encodeWire(parsed.value, keys, format.encoding),
    ...(format.maxSupportedVersion === null ? {} : { version }),
  };
}
