/**
 * The `jsonParsed` form of instructions of both token programs: the 25 of the original program. Instructions of token
 * extensions have none here (Agave, `transaction-status/src/parse_token.rs`).
 */
import { ByteReader, decodeUtf8 } from './byte-reader.ts';
import { nameAccounts, type ParsedInstruction, type ResolvedInstruction } from './instruction-accounts.ts';
import { uiTokenAmount } from './token-amount.ts';
import { tokenExtensionName } from './token-extension-names.ts';

interface Layout {
  readonly type: string;
  readonly accounts: readonly string[];
  /** The names of the authority behind the accounts: alone, or a multisig with its signers following. */
  readonly authority?: readonly [single: string, multisig: string];
  /** Whether every account after the named ones is listed as `signers`. */
  readonly listsSigners?: true;
  readonly fields?: (reader: ByteReader) => Record<string, unknown>;
}

const AUTHORITY = ['authority', 'multisigAuthority'] as const;
const OWNER = ['owner', 'multisigOwner'] as const;
const MINT_AUTHORITY = ['mintAuthority', 'multisigMintAuthority'] as const;
const FREEZE_AUTHORITY = ['freezeAuthority', 'multisigFreezeAuthority'] as const;

const AUTHORITY_TYPES: readonly string[] = [
  'mintTokens',
  'freezeAccount',
  'accountOwner',
  'closeAccount',
  'transferFeeConfig',
  'withheldWithdraw',
  'closeMint',
  'interestRate',
  'permanentDelegate',
  'confidentialTransferMint',
  'transferHookProgramId',
  'confidentialTransferFeeConfig',
  'metadataPointer',
  'groupPointer',
  'groupMemberPointer',
  'scaledUiAmount',
  'pause',
];
const ACCOUNT_AUTHORITIES: readonly string[] = ['accountOwner', 'closeAccount'];

function amount(reader: ByteReader): Record<string, unknown> {
  return { amount: reader.u64().toString() };
}

function checkedAmount(reader: ByteReader): Record<string, unknown> {
  const units = reader.u64();
  return { tokenAmount: uiTokenAmount(units, reader.u8()) };
}

function optionalAddress(reader: ByteReader): string | null {
  return reader.u8() === 1 ? reader.address() : null;
}

function mintFields(reader: ByteReader): Record<string, unknown> {
  const fields = { decimals: reader.u8(), mintAuthority: reader.address() };
  const freezeAuthority = optionalAddress(reader);
  return freezeAuthority === null ? fields : { ...fields, freezeAuthority };
}

function extensionTypes(reader: ByteReader): Record<string, unknown> {
  const names = Array.from({ length: Math.floor(reader.remaining / 2) }, () =>
    tokenExtensionName(reader.u16()),
  );
  return names.length > 0 ? { extensionTypes: names } : {};
}

/** By instruction number. `setAuthority` (6) stands apart: the name of its first account depends on its data. */
const LAYOUTS: Readonly<Record<number, Layout>> = {
  0: { type: 'initializeMint', accounts: ['mint', 'rentSysvar'], fields: mintFields },
  1: { type: 'initializeAccount', accounts: ['account', 'mint', 'owner', 'rentSysvar'] },
  2: {
    type: 'initializeMultisig',
    accounts: ['multisig', 'rentSysvar'],
    listsSigners: true,
    fields: (reader) => ({ m: reader.u8() }),
  },
  3: { type: 'transfer', accounts: ['source', 'destination'], authority: AUTHORITY, fields: amount },
  4: { type: 'approve', accounts: ['source', 'delegate'], authority: OWNER, fields: amount },
  5: { type: 'revoke', accounts: ['source'], authority: OWNER },
  7: { type: 'mintTo', accounts: ['mint', 'account'], authority: MINT_AUTHORITY, fields: amount },
  8: { type: 'burn', accounts: ['account', 'mint'], authority: AUTHORITY, fields: amount },
  9: { type: 'closeAccount', accounts: ['account', 'destination'], authority: OWNER },
  10: { type: 'freezeAccount', accounts: ['account', 'mint'], authority: FREEZE_AUTHORITY },
  11: { type: 'thawAccount', accounts: ['account', 'mint'], authority: FREEZE_AUTHORITY },
  12: {
    type: 'transferChecked',
    accounts: ['source', 'mint', 'destination'],
    authority: AUTHORITY,
    fields: checkedAmount,
  },
  13: {
    type: 'approveChecked',
    accounts: ['source', 'mint', 'delegate'],
    authority: OWNER,
    fields: checkedAmount,
  },
  14: {
    type: 'mintToChecked',
    accounts: ['mint', 'account'],
    authority: MINT_AUTHORITY,
    fields: checkedAmount,
  },
  15: { type: 'burnChecked', accounts: ['account', 'mint'], authority: AUTHORITY, fields: checkedAmount },
  16: {
    type: 'initializeAccount2',
    accounts: ['account', 'mint', 'rentSysvar'],
    fields: (reader) => ({ owner: reader.address() }),
  },
  17: { type: 'syncNative', accounts: ['account'] },
  18: {
    type: 'initializeAccount3',
    accounts: ['account', 'mint'],
    fields: (reader) => ({ owner: reader.address() }),
  },
  19: {
    type: 'initializeMultisig2',
    accounts: ['multisig'],
    listsSigners: true,
    fields: (reader) => ({ m: reader.u8() }),
  },
  20: { type: 'initializeMint2', accounts: ['mint'], fields: mintFields },
  21: { type: 'getAccountDataSize', accounts: ['mint'], fields: extensionTypes },
  22: { type: 'initializeImmutableOwner', accounts: ['account'] },
  23: { type: 'amountToUiAmount', accounts: ['mint'], fields: amount },
  24: {
    type: 'uiAmountToAmount',
    accounts: ['mint'],
    fields: (reader) => ({ uiAmount: decodeUtf8(reader.take(reader.remaining)) }),
  },
};
const SET_AUTHORITY = 6;

function setAuthorityLayout(reader: ByteReader): Layout | undefined {
  const authorityType = AUTHORITY_TYPES[reader.u8()];
  if (authorityType === undefined) return undefined;
  const newAuthority = optionalAddress(reader);
  return {
    type: 'setAuthority',
    accounts: [ACCOUNT_AUTHORITIES.includes(authorityType) ? 'account' : 'mint'],
    authority: AUTHORITY,
    fields: () => ({ authorityType, newAuthority }),
  };
}

function authorityOf(
  following: readonly string[],
  [single, multisig]: readonly [string, string],
): Record<string, unknown> | null {
  const [authority, ...signers] = following;
  if (authority === undefined) return null;
  return signers.length > 0 ? { [multisig]: authority, signers } : { [single]: authority };
}

/** The parsed form, or null where there is none. */
export function parseToken({ accounts, data }: ResolvedInstruction): ParsedInstruction | null {
  const reader = new ByteReader(data);
  const number = reader.u8();
  const layout = number === SET_AUTHORITY ? setAuthorityLayout(reader) : LAYOUTS[number];
  if (layout === undefined) return null;
  const named = nameAccounts(accounts, layout.accounts);
  const following = accounts.slice(layout.accounts.length);
  const authority = layout.authority === undefined ? {} : authorityOf(following, layout.authority);
  if (named === null || authority === null) return null;
  const signers = layout.listsSigners === true ? { signers: following } : {};
  return { type: layout.type, info: { ...named, ...authority, ...signers, ...layout.fields?.(reader) } };
}
