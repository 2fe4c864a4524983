/**
 * Transactions and their meta in a Solana node's format (agave, `transaction-status/src/lib.rs`). `version` is absent
 * unless the caller specified which versions it supports; `costUnits` and `returnData` are always absent.
 */
import bs58 from 'bs58';
import type { LedgerTransaction, TokenBalanceRecord } from '../chain.ts';
import { parseTransaction, type WireMessage, type WireTransaction } from '../wire.ts';
import { RPC_ERROR, RpcError } from './json-rpc.ts';
import type { Param } from './params.ts';
import { uiTokenAmount } from './tokens.ts';

interface TransactionFormat {
  readonly encoding: 'json' | 'base64';
  /** The highest version that the caller supports; null if it supports only legacy transactions. */
  readonly maxVersion: number | null;
}

export function readTransactionFormat(config: Param): TransactionFormat {
  const version = config.get('maxSupportedTransactionVersion');
  const maxVersion = version.isAbsent ? null : version.integer(0, 255);
  return { encoding: config.get('encoding').choice(['json', 'base64'], 'json'), maxVersion };
}

function encodeTokenBalance({ amount, decimals, ...record }: TokenBalanceRecord): object {
  const uiAmount = uiTokenAmount(amount, decimals);
  // For an amount of zero, a node returns a null `uiAmount`.
  return { ...record, uiTokenAmount: amount === 0n ? { ...uiAmount, uiAmount: null } : uiAmount };
}

function encodeMeta(transaction: LedgerTransaction): object {
  return {
    computeUnitsConsumed: transaction.computeUnits,
    err: transaction.err,
    fee: transaction.fee,
    innerInstructions: transaction.innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ data, ...instruction }) => ({
        ...instruction,
        data: bs58.encode(data),
      })),
    })),
    loadedAddresses: transaction.loadedAddresses,
    logMessages: transaction.logs,
    postBalances: transaction.postBalances,
    postTokenBalances: transaction.postTokenBalances.map(encodeTokenBalance),
    preBalances: transaction.preBalances,
    preTokenBalances: transaction.preTokenBalances.map(encodeTokenBalance),
    rewards: [],
    status: transaction.err === null ? { Ok: null } : { Err: transaction.err },
  };
}

function encodeMessage(wireMessage: WireMessage): object {
  const { version, header, staticKeys, blockhash, instructions, lookups } = wireMessage;
  const message = {
    accountKeys: staticKeys,
    header: {
      numReadonlySignedAccounts: header.readonlySigned,
      numReadonlyUnsignedAccounts: header.readonlyUnsigned,
      numRequiredSignatures: header.requiredSignatures,
    },
    instructions: instructions.map(({ accounts, data, programIdIndex }) => ({
      accounts: [...accounts],
      data: bs58.encode(data),
      programIdIndex,
      stackHeight: 1,
    })),
    recentBlockhash: blockhash,
  };
  if (version === 'legacy') return message;
  const addressTableLookups = lookups.map(({ table, writableIndexes, readonlyIndexes }) => ({
    accountKey: table,
    readonlyIndexes: [...readonlyIndexes],
    writableIndexes: [...writableIndexes],
  }));
  return { ...message, addressTableLookups };
}

function encodeWire({ bytes, message, signatures }: WireTransaction, isBase64: boolean): unknown {
  if (isBase64) return [Buffer.from(bytes).toString('base64'), 'base64'];
  return {
    message: encodeMessage(message),
    signatures: signatures.map((signature) => bs58.encode(signature)),
  };
}

/** @throws {RpcError} -32015 if the caller does not support the transaction's version */
export function encodeTransaction(
  transaction: LedgerTransaction,
  { encoding, maxVersion }: TransactionFormat,
): object {
  const parsed = parseTransaction(transaction.wire);
  if (parsed.kind === 'malformed') {
    throw new Error(`stored transaction ${transaction.signature} cannot be read: ${parsed.reason}`);
  }
  const { version } = parsed.value.message;
  if (version !== 'legacy' && (maxVersion === null || version > maxVersion)) {
    throw new RpcError(
      RPC_ERROR.unsupportedTransactionVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
        `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  return {
    blockTime: transaction.blockTime,
    slot: transaction.slot,
    transactionIndex: transaction.position,
    meta: encodeMeta(transaction),
    transaction: encodeWire(parsed.value, encoding === 'base64'),
    ...(maxVersion === null ? {} : { version }),
  };
}
