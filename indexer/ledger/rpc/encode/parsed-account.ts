/**
 * The `jsonParsed` form of accounts: mints, token accounts and multisigs of both token programs (Agave,
 * `account-decoder/src/parse_token.rs`). Any other account has no parsed form here and falls back to base64, as an unknown
 * program's does on a real node.
 */
import type { LedgerAccount } from '../../chain.ts';
import { TOKEN_2022_PROGRAM } from '../../programs.ts';
import { uiTokenAmount } from './token-amount.ts';
import { tokenExtensionName } from './token-extension-names.ts';
import { readExtensions, readMint, readMultisig, readTokenAccount } from './token-state.ts';

/** Extensions whose presence says all: they have no state to show. */
const STATELESS_EXTENSIONS: ReadonlySet<number> = new Set([7, 9, 13, 27]);
const MEMO_TRANSFER = 8;
const TRANSFER_FEE_AMOUNT = 2;

/** One extension; those with a state that is not read here are `unparseableExtension`. */
function shownExtension({ type, value }: { readonly type: number; readonly value: Uint8Array }): object {
  const extension = tokenExtensionName(type);
  if (STATELESS_EXTENSIONS.has(type)) return { extension };
  if (type === MEMO_TRANSFER && value.length === 1) {
    return { extension, state: { requireIncomingTransferMemos: value[0] === 1 } };
  }
  if (type === TRANSFER_FEE_AMOUNT && value.length === 8) {
    return {
      extension,
      state: { withheldAmount: new DataView(value.buffer, value.byteOffset).getBigUint64(0, true) },
    };
  }
  return { extension: 'unparseableExtension' };
}

function shownExtensions(data: Uint8Array): object {
  const extensions = readExtensions(data).map(shownExtension);
  return extensions.length > 0 ? { extensions } : {};
}

function tokenAccountInfo(
  account: LedgerAccount,
  decimalsOf: (mint: string) => number | null,
): object | null {
  const state = readTokenAccount(account);
  const decimals = state === null ? null : decimalsOf(state.mint);
  if (state === null || decimals === null) return null;
  return {
    isNative: state.nativeReserve !== null,
    mint: state.mint,
    owner: state.owner,
    state: state.isFrozen ? 'frozen' : 'initialized',
    tokenAmount: uiTokenAmount(state.amount, decimals),
    ...(state.delegate === null
      ? {}
      : { delegate: state.delegate, delegatedAmount: uiTokenAmount(state.delegatedAmount, decimals) }),
    ...(state.nativeReserve === null
      ? {}
      : { rentExemptReserve: uiTokenAmount(state.nativeReserve, decimals) }),
    ...(state.closeAuthority === null ? {} : { closeAuthority: state.closeAuthority }),
    ...shownExtensions(account.data),
  };
}

function mintInfo(account: LedgerAccount): object | null {
  const state = readMint(account);
  if (state === null) return null;
  return {
    decimals: state.decimals,
    freezeAuthority: state.freezeAuthority,
    isInitialized: true,
    mintAuthority: state.mintAuthority,
    supply: state.supply.toString(),
    ...shownExtensions(account.data),
  };
}

function multisigInfo(account: LedgerAccount): object | null {
  const state = readMultisig(account);
  if (state === null) return null;
  return {
    isInitialized: true,
    numRequiredSigners: state.requiredSigners,
    numValidSigners: state.signers.length,
    signers: state.signers,
  };
}

/**
 * The `data` member of a parsed account, or null where the account has no parsed form.
 *
 * @param decimalsOf decimals of a mint by its address; null where there is no such mint
 */
export function parseAccount(
  account: LedgerAccount,
  decimalsOf: (mint: string) => number | null,
): object | null {
  const forms = [
    { type: 'account', info: tokenAccountInfo(account, decimalsOf) },
    { type: 'mint', info: mintInfo(account) },
    { type: 'multisig', info: multisigInfo(account) },
  ];
  const parsed = forms.find((form) => form.info !== null);
  if (parsed === undefined) return null;
  return {
    parsed: { info: parsed.info, type: parsed.type },
    program: account.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token',
    space: account.data.length,
  };
}
