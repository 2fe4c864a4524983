import type { LedgerChain, SimulationResult } from '../../chain.ts';
import { readStateConfig, withContext } from '../commitment.ts';
import { encodeAccount, mintDecimals } from '../encode/account.ts';
import type { RpcMethod } from '../method.ts';
import {
  type Config,
  checkCount,
  isAbsent,
  readAddress,
  readArray,
  readFlag,
  readObject,
  readWord,
} from '../params.ts';
import { invalidParams, RpcError, SIGNATURE_VERIFICATION_FAILURE } from '../rpc-error.ts';
import { readTransactionText } from '../transaction-text.ts';

/** No message names more accounts than this. */
const MOST_ACCOUNTS = 256;

type AccountsEncoding = 'base64' | 'base64+zstd' | 'jsonParsed';

interface AccountsRequest {
  readonly addresses: readonly string[];
  readonly encoding: AccountsEncoding;
}

/** The accounts whose state after the run is asked for, or null where none are. */
function readAccountsRequest(config: Config): AccountsRequest | null {
  if (isAbsent(config.accounts)) return null;
  const accounts = readObject(config.accounts, 'params[1].accounts');
  return {
    addresses: readArray(accounts.addresses, 'params[1].accounts.addresses', MOST_ACCOUNTS).map(
      (address, index) => readAddress(address, `params[1].accounts.addresses[${index}]`),
    ),
    encoding: readWord(
      accounts.encoding,
      'params[1].accounts.encoding',
      ['base64', 'base64+zstd', 'jsonParsed'],
      'base64',
    ),
  };
}

function encodeResult(
  chain: LedgerChain,
  result: SimulationResult,
  request: AccountsRequest | null,
  replacesBlockhash: boolean,
): object {
  const decimalsOf = mintDecimals(chain);
  return {
    accounts:
      request === null
        ? null
        : result.accounts.map((account) =>
            account === null
              ? null
              : encodeAccount(account, { encoding: request.encoding, dataSlice: null }, decimalsOf),
          ),
    err: result.err,
    fee: null,
    innerInstructions: null,
    loadedAddresses: null,
    logs: result.logs,
    postBalances: null,
    postTokenBalances: null,
    preBalances: null,
    preTokenBalances: null,
    replacementBlockhash: replacesBlockhash ? chain.latestBlockhash() : null,
    returnData:
      result.returnData === null
        ? null
        : {
            data: [Buffer.from(result.returnData.data).toString('base64'), 'base64'],
            programId: result.returnData.programId,
          },
    unitsConsumed: result.computeUnits,
  };
}

/**
 * Runs a transaction without storing it. Fee, balances and inner instructions, which newer nodes add, are null: the ledger
 * keeps them for stored transactions only.
 */
export const simulateTransaction: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const config = readStateConfig(chain, params, 1);
  const wire = readTransactionText(params[0], config.encoding, 'params[0]');
  const verifySignatures = readFlag(config.sigVerify, 'params[1].sigVerify', false);
  const replaceBlockhash = readFlag(config.replaceRecentBlockhash, 'params[1].replaceRecentBlockhash', false);
  if (verifySignatures && replaceBlockhash) {
    throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  }
  readFlag(config.innerInstructions, 'params[1].innerInstructions', false);
  const request = readAccountsRequest(config);
  const outcome = chain.simulate(wire, {
    verifySignatures,
    replaceBlockhash,
    accounts: request?.addresses ?? [],
  });
  if (outcome.kind === 'malformed') {
    throw invalidParams(`failed to deserialize a transaction: ${outcome.reason}`);
  }
  if (verifySignatures && outcome.result.err === 'SignatureFailure') {
    throw new RpcError(SIGNATURE_VERIFICATION_FAILURE, 'Transaction signature verification failure');
  }
  return withContext(chain, encodeResult(chain, outcome.result, request, replaceBlockhash));
};
