/** Sends and simulates transactions. */
import bs58 from 'bs58';
import type { LedgerChain, SendOutcome, SimulationResult, TransactionErrorJson } from '../chain.ts';
import { parseTransaction } from '../wire.ts';
import { encodeAccount } from './accounts.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  type Config,
  checkCount,
  checkMinContextSlot,
  decodeBase64,
  isAbsent,
  type RpcMethods,
  readAddress,
  readArray,
  readChoice,
  readConfig,
  readFlag,
  readInteger,
  readObject,
  readStateConfig,
  readText,
  shown,
  withContext,
} from './params.ts';

/** The maximum length of an encoded packet (1,232 bytes). Longer strings are rejected without decoding. */
const MAX_CHARACTERS = { base58: 1683, base64: 1644 } as const;
/** How many accounts one simulation may return. */
const MAX_ACCOUNTS = 256;

/** The wire bytes of a transaction. The default encoding is base58. */
function readTransaction(value: unknown, encoding: unknown, at: string): Uint8Array {
  const text = readText(value, at);
  const known = isAbsent(encoding) ? 'base58' : encoding;
  if (known !== 'base58' && known !== 'base64') {
    throw invalidParams(`unsupported encoding: ${shown(encoding)}. Supported encodings: base58, base64`);
  }
  const most = MAX_CHARACTERS[known];
  if (text.length > most) {
    throw invalidParams(`${known} encoded transaction too large: ${text.length} characters (max ${most})`);
  }
  const bytes = known === 'base64' ? decodeBase64(text) : bs58.decodeUnsafe(text);
  if (isAbsent(bytes)) throw invalidParams(`${at} is not ${known}`);
  return bytes;
}

/** Messages that clients look for (`Display` of agave's `TransactionError`). Any other error is shown by name. */
const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
};

/** The message of a transaction error in a node's preflight failure. */
function errorMessage(error: TransactionErrorJson): string {
  if (typeof error === 'string') return ERROR_MESSAGES[error] ?? error;
  if (!Array.isArray(error.InstructionError)) return JSON.stringify(error);
  const [index, cause]: unknown[] = error.InstructionError;
  const isCustom = typeof cause === 'object' && cause !== null && 'Custom' in cause;
  const text = isCustom
    ? `custom program error: 0x${Number(cause.Custom).toString(16)}`
    : typeof cause === 'string'
      ? cause
      : JSON.stringify(cause);
  return `Error processing Instruction ${String(index)}: ${text}`;
}

/** The members that only a simulation would fill are null. */
function preflightFailure({ err, logs, computeUnits }: Extract<SendOutcome, { kind: 'rejected' }>): RpcError {
  return new RpcError(RPC_ERROR.preflightFailure, `Transaction simulation failed: ${errorMessage(err)}`, {
    accounts: null,
    err,
    innerInstructions: null,
    logs,
    replacementBlockhash: null,
    returnData: null,
    unitsConsumed: computeUnits,
  });
}

function signatureFailure(): RpcError {
  return new RpcError(RPC_ERROR.signatureVerificationFailure, 'Transaction signature verification failure');
}

function malformed(reason: string): RpcError {
  return invalidParams(`failed to deserialize a transaction: ${reason}`);
}

function firstSignature(wire: Uint8Array): string | null {
  const parsed = parseTransaction(wire);
  const signature = parsed.kind === 'parsed' ? parsed.value.signatures[0] : undefined;
  return signature === undefined ? null : bs58.encode(signature);
}

/** Addresses whose accounts a simulation returns, or null if it returns none. */
function readAccountAddresses(config: Config): readonly string[] | null {
  if (isAbsent(config.accounts)) return null;
  const at = 'params[1].accounts';
  const accounts = readObject(config.accounts, at);
  readChoice(accounts.encoding, `${at}.encoding`, ['base64'], 'base64');
  return readArray(accounts.addresses, `${at}.addresses`, MAX_ACCOUNTS).map((address, index) =>
    readAddress(address, `${at}.addresses[${index}]`),
  );
}

function encodeSimulation(
  chain: LedgerChain,
  { accounts, returnData, err, logs, computeUnits }: SimulationResult,
  options: { readonly hasAccounts: boolean; readonly replaceBlockhash: boolean },
): object {
  const encoded = accounts.map(
    (account) => account && encodeAccount(account, { encoding: 'base64', dataSlice: null }),
  );
  return {
    accounts: options.hasAccounts ? encoded : null,
    err,
    innerInstructions: null,
    logs,
    replacementBlockhash: options.replaceBlockhash ? chain.latestBlockhash() : null,
    returnData: returnData && {
      data: [Buffer.from(returnData.data).toString('base64'), 'base64'],
      programId: returnData.programId,
    },
    unitsConsumed: computeUnits,
  };
}

export const SENDING_METHODS: RpcMethods = {
  /**
   * Sends a signed transaction. @returns its signature
   *
   * With `skipPreflight`, a transaction is stored even if its execution fails. One that cannot enter the ledger (bad
   * signature, expired blockhash) is still rejected, whereas a real node returns its signature and drops it. For one that
   * the ledger already has, the signature is returned, so that senders may retry.
   */
  sendTransaction(chain, params) {
    checkCount(params, 2);
    const config = readConfig(params, 1);
    const wire = readTransaction(params[0], config.encoding, 'params[0]');
    const skipPreflight = readFlag(config.skipPreflight, 'params[1].skipPreflight');
    readChoice(
      config.preflightCommitment,
      'params[1].preflightCommitment',
      ['processed', 'confirmed', 'finalized'],
      'finalized',
    );
    if (!isAbsent(config.maxRetries)) readInteger(config.maxRetries, 'params[1].maxRetries');
    checkMinContextSlot(config, 'params[1]', chain.clock().slot);

    const outcome = chain.send(wire, { skipPreflight });
    if (outcome.kind === 'accepted') return outcome.transaction.signature;
    if (outcome.kind === 'malformed') throw malformed(outcome.reason);
    const known = skipPreflight && outcome.err === 'AlreadyProcessed' ? firstSignature(wire) : null;
    if (known !== null) return known;
    throw outcome.err === 'SignatureFailure' ? signatureFailure() : preflightFailure(outcome);
  },

  /** Runs a transaction without storing it. */
  simulateTransaction(chain, params) {
    checkCount(params, 2);
    const config = readStateConfig(chain, params, 1);
    const wire = readTransaction(params[0], config.encoding, 'params[0]');
    const verifySignatures = readFlag(config.sigVerify, 'params[1].sigVerify');
    const replaceBlockhash = readFlag(config.replaceRecentBlockhash, 'params[1].replaceRecentBlockhash');
    if (verifySignatures && replaceBlockhash) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const addresses = readAccountAddresses(config);
    const outcome = chain.simulate(wire, { verifySignatures, replaceBlockhash, accounts: addresses ?? [] });
    if (outcome.kind === 'malformed') throw malformed(outcome.reason);
    const { result } = outcome;
    if (verifySignatures && result.err === 'SignatureFailure') throw signatureFailure();
    const hasAccounts = addresses !== null;
    return withContext(chain, encodeSimulation(chain, result, { hasAccounts, replaceBlockhash }));
  },
};
