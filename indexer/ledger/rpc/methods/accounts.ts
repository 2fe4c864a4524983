/** Balances and accounts, at the newest slot. */
import type { LedgerChain } from '../../chain.ts';
import { readStateConfig, withContext } from '../commitment.ts';
import { encodeAccount, mintDecimals, readAccountFormat } from '../encode/account.ts';
import type { RpcMethod } from '../method.ts';
import { checkCount, readAddress, readArray, readCommitment, readConfig, readInteger } from '../params.ts';

/** Accounts that one call may ask for. */
const MOST_ACCOUNTS = 100;
/** The longest data an account can have (10 MiB). */
const MOST_ACCOUNT_DATA = 10 * 1024 * 1024;

/** Lamports; 0 where there is no account. */
export const getBalance: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const address = readAddress(params[0], 'params[0]');
  readStateConfig(chain, params, 1);
  return withContext(chain, chain.account(address)?.lamports ?? 0n);
};

function encodeAll(chain: LedgerChain, addresses: readonly string[], params: readonly unknown[]): unknown[] {
  const format = readAccountFormat(readStateConfig(chain, params, 1), 'params[1]');
  const decimalsOf = mintDecimals(chain);
  return addresses.map((address) => {
    const account = chain.account(address);
    return account === null ? null : encodeAccount(account, format, decimalsOf);
  });
}

export const getAccountInfo: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const address = readAddress(params[0], 'params[0]');
  return withContext(chain, encodeAll(chain, [address], params)[0]);
};

export const getMultipleAccounts: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const addresses = readArray(params[0], 'params[0]', MOST_ACCOUNTS).map((address, index) =>
    readAddress(address, `params[0][${index}]`),
  );
  return withContext(chain, encodeAll(chain, addresses, params));
};

/** Lamports that exempt an account with this many bytes of data from rent. */
export const getMinimumBalanceForRentExemption: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const length = readInteger(params[0], 'params[0]', 0, MOST_ACCOUNT_DATA);
  readCommitment(readConfig(params, 1), 'params[1]');
  return chain.rentExemption(length);
};
