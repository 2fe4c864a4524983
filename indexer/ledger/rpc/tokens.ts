import {
  decodeMint,
  decodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
} from '../../chain/accounts.ts';
import type { LedgerAccount, LedgerChain } from '../chain.ts';
import { encodeAccount, readAccountFormat } from './accounts.ts';
import { invalidParams } from './json-rpc.ts';
import { type Param, type RpcMethods, readStateConfig, withContext } from './params.ts';

const MAX_LARGEST = 20;
/** With more decimals, a node returns no `uiAmount`, because 10^decimals does not fit in 64 bits. */
const MAX_DECIMALS_WITH_NUMBER = 19;

/** Base units in a node's format (agave, `account-decoder/src/parse_token.rs`). `uiAmount` is rounded; the strings are exact. */
export function uiTokenAmount(amount: bigint, decimals: number): object {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return {
    amount: amount.toString(),
    decimals,
    uiAmount: decimals > MAX_DECIMALS_WITH_NUMBER ? null : Number(amount) / 10 ** decimals,
    uiAmountString: fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`,
  };
}

function requireMint(chain: LedgerChain, address: string) {
  const account = chain.account(address);
  if (account === null) throw invalidParams('Invalid param: could not find account');
  const decimals = decodeMint(account)?.decimals;
  if (decimals === undefined) throw invalidParams('Invalid param: not a Token mint');
  return { program: account.owner, decimals };
}

type Holding = readonly [address: string, account: LedgerAccount, state: TokenAccount];

function* decodeHoldings(accounts: Iterable<readonly [string, LedgerAccount]>): Iterable<Holding> {
  for (const [address, account] of accounts) {
    const state = decodeTokenAccount(account);
    if (state !== null) yield [address, account, state];
  }
}

function listHoldings(
  chain: LedgerChain,
  params: Param,
  find: (address: string) => Iterable<Holding>,
): unknown {
  params.checkCount(3);
  const address = params.get(0).address();
  const filter = params.get(1).object();
  const [mintParam, programId] = [filter.get('mint'), filter.get('programId')];
  if (mintParam.isAbsent && programId.isAbsent) throw invalidParams('params[1] must have mint or programId');
  const mint = mintParam.isAbsent ? null : mintParam.address();
  const program = mint === null ? programId.address() : requireMint(chain, mint).program;
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)
    throw invalidParams('Invalid param: unrecognized Token program id');
  const format = readAccountFormat(readStateConfig(chain, params, 2));
  const matches: object[] = [];
  for (const [pubkey, account, state] of find(address)) {
    if (account.owner !== program || (mint !== null && state.mint !== mint)) continue;
    matches.push({ account: encodeAccount(account, format), pubkey });
  }
  return withContext(chain, matches);
}

export const TOKEN_METHODS: RpcMethods = {
  getTokenAccountBalance(chain, params) {
    params.checkCount(2);
    const account = chain.account(params.get(0).address());
    readStateConfig(chain, params, 1);
    if (account === null) throw invalidParams('Invalid param: could not find account');
    const state = decodeTokenAccount(account);
    if (state === null) throw invalidParams('Invalid param: not a Token account');
    return withContext(chain, uiTokenAmount(state.amount, requireMint(chain, state.mint).decimals));
  },

  /** Largest first; equal amounts by address. */
  getTokenLargestAccounts(chain, params) {
    params.checkCount(2);
    const mint = params.get(0).address();
    readStateConfig(chain, params, 1);
    const { decimals } = requireMint(chain, mint);
    const largest = [...decodeHoldings(chain.tokenAccounts({ mint }))]
      .toSorted(([one, , { amount }], [other, , { amount: otherAmount }]) =>
        amount === otherAmount ? (one < other ? -1 : 1) : amount > otherAmount ? -1 : 1,
      )
      .slice(0, MAX_LARGEST);
    return withContext(
      chain,
      largest.map(([address, , { amount }]) => ({ address, ...uiTokenAmount(amount, decimals) })),
    );
  },

  getTokenAccountsByOwner(chain, params) {
    return listHoldings(chain, params, (owner) => decodeHoldings(chain.tokenAccounts({ owner })));
  },

  getTokenAccountsByDelegate(chain, params) {
    return listHoldings(chain, params, (delegate) =>
      [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]
        .flatMap((program) => [...decodeHoldings(chain.programAccounts(program))])
        .filter(([, , state]) => state.delegate === delegate),
    );
  },
};
