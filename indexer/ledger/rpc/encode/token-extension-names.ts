/**
 * Names of token extensions by type number, as a Solana node writes them (`spl-token-2022` `ExtensionType`, Agave
 * `account-decoder/src/parse_token_extension.rs`).
 */
const NAMES: readonly string[] = [
  'uninitialized',
  'transferFeeConfig',
  'transferFeeAmount',
  'mintCloseAuthority',
  'confidentialTransferMint',
  'confidentialTransferAccount',
  'defaultAccountState',
  'immutableOwner',
  'memoTransfer',
  'nonTransferable',
  'interestBearingConfig',
  'cpiGuard',
  'permanentDelegate',
  'nonTransferableAccount',
  'transferHook',
  'transferHookAccount',
  'confidentialTransferFeeConfig',
  'confidentialTransferFeeAmount',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
  'confidentialMintBurn',
  'scaledUiAmountConfig',
  'pausableConfig',
  'pausableAccount',
];

/** The name of an extension type; what is not known is `unparseableExtension`. */
export function tokenExtensionName(type: number): string {
  return NAMES[type] ?? 'unparseableExtension';
}
