import { readAccountFilters } from '../account-filters.ts';
import { readStateConfig, withContext } from '../commitment.ts';
import { encodeAccount, mintDecimals, readAccountFormat } from '../encode/account.ts';
import type { RpcMethod } from '../method.ts';
import { checkCount, readAddress, readFlag } from '../params.ts';

/** Every account of a program that passes all filters; `withContext` wraps the list. `sortResults` is always honoured. */
export const getProgramAccounts: RpcMethod = (chain, params) => {
  checkCount(params, 2);
  const program = readAddress(params[0], 'params[0]');
  const config = readStateConfig(chain, params, 1);
  const accepts = readAccountFilters(config.filters, 'params[1].filters');
  const format = readAccountFormat(config, 'params[1]');
  const isWrapped = readFlag(config.withContext, 'params[1].withContext', false);
  const decimalsOf = mintDecimals(chain);

  const found: { account: object; pubkey: string }[] = [];
  for (const [pubkey, account] of chain.programAccounts(program)) {
    if (accepts(account.data)) found.push({ account: encodeAccount(account, format, decimalsOf), pubkey });
  }
  found.sort((one, other) => (one.pubkey < other.pubkey ? -1 : 1));
  return isWrapped ? withContext(chain, found) : found;
};
