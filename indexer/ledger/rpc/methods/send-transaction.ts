import bs58 from 'bs58';
import type { SendOutcome } from '../../chain.ts';
import { parseTransaction } from '../../wire.ts';
import { checkMinContextSlot } from '../commitment.ts';
import { transactionErrorText } from '../encode/transaction-error-text.ts';
import type { RpcMethod } from '../method.ts';
import { checkCount, isAbsent, readConfig, readFlag, readInteger, readWord } from '../params.ts';
import { invalidParams, PREFLIGHT_FAILURE, RpcError, SIGNATURE_VERIFICATION_FAILURE } from '../rpc-error.ts';
import { readTransactionText } from '../transaction-text.ts';

/** What a failed preflight carries besides its text; the members a simulation would fill are null. */
function preflightFailure(outcome: Extract<SendOutcome, { kind: 'rejected' }>): RpcError {
  return new RpcError(
    PREFLIGHT_FAILURE,
    `Transaction simulation failed: ${transactionErrorText(outcome.err)}`,
    {
      accounts: null,
      err: outcome.err,
      innerInstructions: null,
      logs: outcome.logs,
      replacementBlockhash: null,
      returnData: null,
      unitsConsumed: outcome.computeUnits,
    },
  );
}

function firstSignature(wire: Uint8Array): string | null {
  const parsed = parseTransaction(wire);
  const signature = parsed.kind === 'parsed' ? parsed.value.signatures[0] : undefined;
  return signature === undefined ? null : bs58.encode(signature);
}

/**
 * Hands a signed transaction to the ledger and answers its signature.
 *
 * `skipPreflight` stores a transaction whose execution fails. One that cannot enter the ledger at all (bad signature, outdated
 * blockhash) is refused even then, where a real node would answer its signature and drop it in silence; only a transaction
 * that is already there is answered with its signature, so that senders may repeat themselves.
 */
export const sendTransaction: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const config = readConfig(params, 1);
  const wire = readTransactionText(params[0], config.encoding, 'params[0]');
  const skipPreflight = readFlag(config.skipPreflight, 'params[1].skipPreflight', false);
  readWord(
    config.preflightCommitment,
    'params[1].preflightCommitment',
    ['processed', 'confirmed', 'finalized'],
    'finalized',
  );
  if (!isAbsent(config.maxRetries)) readInteger(config.maxRetries, 'params[1].maxRetries');
  checkMinContextSlot(config, 'params[1]', chain.clock().slot);

  const outcome = chain.send(wire, { skipPreflight });
  if (outcome.kind === 'accepted') return outcome.transaction.signature;
  if (outcome.kind === 'malformed') {
    throw invalidParams(`failed to deserialize a transaction: ${outcome.reason}`);
  }
  if (skipPreflight && outcome.err === 'AlreadyProcessed') {
    const signature = firstSignature(wire);
    if (signature !== null) return signature;
  }
  if (outcome.err === 'SignatureFailure') {
    throw new RpcError(SIGNATURE_VERIFICATION_FAILURE, 'Transaction signature verification failure');
  }
  throw preflightFailure(outcome);
};
