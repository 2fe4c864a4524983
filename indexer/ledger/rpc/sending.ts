import bs58 from 'bs58';
import type { LedgerChain, SendOutcome, SimulationResult, TransactionErrorJson } from '../chain.ts';
import { parseTransaction } from '../wire.ts';
import { encodeAccount } from './accounts.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  COMMITMENTS,
  checkMinContextSlot,
  decodeBase64,
  describeRejected,
  type Param,
  type RpcMethods,
  readStateConfig,
  withContext,
} from './params.ts';

/** The maximum length of an encoded packet (1,232 bytes). Longer strings are rejected without decoding. */
const MAX_CHARACTERS = { base58: 1683, base64: 1644 } as const;
const MAX_ACCOUNTS = 256;

function readWireBytes(params: Param, config: Param): Uint8Array {
  const text = params.get(0).text();
  const encoding = config.get('encoding').value ?? 'base58';
  if (encoding !== 'base58' && encoding !== 'base64') {
    throw invalidParams(
      `unsupported encoding: ${describeRejected(encoding)}. Supported encodings: base58, base64`,
    );
  }
  const max = MAX_CHARACTERS[encoding];
  if (text.length > max) {
    throw invalidParams(`${encoding} encoded transaction too large: ${text.length} characters (max ${max})`);
  }
  const bytes = encoding === 'base64' ? decodeBase64(text) : bs58.decodeUnsafe(text);
  if (!bytes) throw invalidParams(`params[0] is not ${encoding}`);
  return bytes;
}

/** Messages that clients search for (`Display` of agave's `TransactionError`). Any other error is shown by name. */
const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
};

/** The text for a transaction error, as a node writes it in a preflight failure. */
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

/** The error's data has the fields of a response to simulateTransaction. Those that sendTransaction does not fill in are null. */
function preflightError({ err, logs, computeUnits }: Extract<SendOutcome, { kind: 'rejected' }>): RpcError {
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

function signatureError(): RpcError {
  return new RpcError(RPC_ERROR.signatureVerificationFailure, 'Transaction signature verification failure');
}

function malformedError(reason: string): RpcError {
  return invalidParams(`failed to deserialize a transaction: ${reason}`);
}

function firstSignature(wire: Uint8Array): string | null {
  const parsed = parseTransaction(wire);
  const signature = parsed.kind === 'parsed' ? parsed.value.signatures[0] : undefined;
  return signature === undefined ? null : bs58.encode(signature);
}

/** Null if the caller requests no accounts. */
function readAccountAddresses(config: Param): readonly string[] | null {
  const accounts = config.get('accounts');
  if (accounts.isAbsent) return null;
  accounts.object().get('encoding').choice(['base64'], 'base64');
  const items = accounts.get('addresses').items(MAX_ACCOUNTS);
  return items.map((item) => item.address());
}

function encodeSimulation(
  chain: LedgerChain,
  { accounts, err, logs, computeUnits }: SimulationResult,
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
    returnData: null,
    unitsConsumed: computeUnits,
  };
}

export const SENDING_METHODS: RpcMethods = {
  /**
   * Sends a signed transaction and returns its signature.
   *
   * With `skipPreflight`, a transaction is stored even if its execution fails, and sending the same bytes again returns the
   * signature. A transaction with a bad signature or an expired blockhash is rejected even then, whereas a real node would
   * return the signature and drop the transaction.
   */
  sendTransaction(chain, params) {
    params.checkCount(2);
    const config = params.config(1);
    const wire = readWireBytes(params, config);
    const skipPreflight = config.get('skipPreflight').flag();
    config.get('preflightCommitment').choice(COMMITMENTS, 'finalized');
    config.get('maxRetries').integer(0, Number.MAX_SAFE_INTEGER, 0);
    checkMinContextSlot(config, chain.clock().slot);

    const outcome = chain.send(wire, { skipPreflight });
    if (outcome.kind === 'accepted') return outcome.transaction.signature;
    if (outcome.kind === 'malformed') throw malformedError(outcome.reason);
    const storedSignature = skipPreflight && outcome.err === 'AlreadyProcessed' ? firstSignature(wire) : null;
    if (storedSignature !== null) return storedSignature;
    throw outcome.err === 'SignatureFailure' ? signatureError() : preflightError(outcome);
  },

  simulateTransaction(chain, params) {
    params.checkCount(2);
    const config = readStateConfig(chain, params, 1);
    const wire = readWireBytes(params, config);
    const verifySignatures = config.get('sigVerify').flag();
    const replaceBlockhash = config.get('replaceRecentBlockhash').flag();
    if (verifySignatures && replaceBlockhash) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const addresses = readAccountAddresses(config);
    const outcome = chain.simulate(wire, { verifySignatures, replaceBlockhash, accounts: addresses ?? [] });
    if (outcome.kind === 'malformed') throw malformedError(outcome.reason);
    const { result } = outcome;
    if (verifySignatures && result.err === 'SignatureFailure') throw signatureError();
    const hasAccounts = addresses !== null;
    return withContext(chain, encodeSimulation(chain, result, { hasAccounts, replaceBlockhash }));
  },
};
