/** Token balances, supplies and holdings, at the newest slot. */
import type { LedgerAccount, LedgerChain } from '../../chain.ts';
import { readStateConfig, withContext } from '../commitment.ts';
import { encodeAccount, mintDecimals, readAccountFormat } from '../encode/account.ts';
import { uiTokenAmount } from '../encode/token-amount.ts';
import {
  isTokenProgram,
  type MintState,
  readMint,
  readTokenAccount,
  type TokenAccountState,
} from '../encode/token-state.ts';
import type { RpcMethod } from '../method.ts';
import { checkCount, isAbsent, readAddress, readObject } from '../params.ts';
import { invalidParams } from '../rpc-error.ts';

/** How many of the largest token accounts a node lists. */
const LARGEST = 20;

function requireMint(chain: LedgerChain, address: string): { account: LedgerAccount; mint: MintState } {
  const account = chain.account(address);
  if (account === null) throw invalidParams('Invalid param: could not find account');
  const mint = readMint(account);
  if (mint === null) throw invalidParams('Invalid param: not a Token mint');
  return { account, mint };
}

export const getTokenAccountBalance: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const account = chain.account(readAddress(params[0], 'params[0]'));
  readStateConfig(chain, params, 1);
  if (account === null) throw invalidParams('Invalid param: could not find account');
  const state = readTokenAccount(account);
  if (state === null) throw invalidParams('Invalid param: not a Token account');
  const { mint } = requireMint(chain, state.mint);
  return withContext(chain, uiTokenAmount(state.amount, mint.decimals));
};

export const getTokenSupply: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const address = readAddress(params[0], 'params[0]');
  readStateConfig(chain, params, 1);
  const { mint } = requireMint(chain, address);
  return withContext(chain, uiTokenAmount(mint.supply, mint.decimals));
};

/** The accounts of a mint with most tokens, largest first; equal amounts by address. */
export const getTokenLargestAccounts: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const address = readAddress(params[0], 'params[0]');
  readStateConfig(chain, params, 1);
  const { mint } = requireMint(chain, address);
  const holdings: { address: string; amount: bigint }[] = [];
  for (const [holder, account] of chain.tokenAccounts({ mint: address })) {
    const state = readTokenAccount(account);
    if (state !== null) holdings.push({ address: holder, amount: state.amount });
  }
  holdings.sort((one, other) =>
    one.amount === other.amount ? (one.address < other.address ? -1 : 1) : one.amount > other.amount ? -1 : 1,
  );
  return withContext(
    chain,
    holdings
      .slice(0, LARGEST)
      .map((holding) => ({ address: holding.address, ...uiTokenAmount(holding.amount, mint.decimals) })),
  );
};

type HoldingFilter = (account: LedgerAccount, state: TokenAccountState) => boolean;

/** `{ mint }` or `{ programId }`: which of an owner's token accounts are meant. */
function readHoldingFilter(chain: LedgerChain, value: unknown): HoldingFilter {
  const filter = readObject(value, 'params[1]');
  if (!isAbsent(filter.mint)) {
    const mint = readAddress(filter.mint, 'params[1].mint');
    const program = requireMint(chain, mint).account.owner;
    return (account, state) => state.mint === mint && account.owner === program;
  }
  if (isAbsent(filter.programId)) throw invalidParams('params[1] must have mint or programId');
  const program = readAddress(filter.programId, 'params[1].programId');
  if (!isTokenProgram(program)) throw invalidParams('Invalid param: unrecognized Token program id');
  return (account) => account.owner === program;
}

export const getTokenAccountsByOwner: RpcMethod = (chain, params) => {
  checkCount(params, 3);
  const owner = readAddress(params[0], 'params[0]');
  const accepts = readHoldingFilter(chain, params[1]);
  const format = readAccountFormat(readStateConfig(chain, params, 2), 'params[2]');
  const decimalsOf = mintDecimals(chain);
  const found: { account: object; pubkey: string }[] = [];
  for (const [pubkey, account] of chain.tokenAccounts({ owner })) {
    const state = readTokenAccount(account);
    if (state !== null && accepts(account, state)) {
      found.push({ account: encodeAccount(account, format, decimalsOf), pubkey });
    }
  }
  return withContext(chain, found);
};
