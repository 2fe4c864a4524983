/** The `jsonParsed` form of associated-token-account instructions (Agave, `transaction-status/src/parse_associated_token.rs`). */
import { nameAccounts, type ParsedInstruction, type ResolvedInstruction } from './instruction-accounts.ts';

const CREATE_ACCOUNTS = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];

/** By instruction number. */
const LAYOUTS: readonly { readonly type: string; readonly accounts: readonly string[] }[] = [
  { type: 'create', accounts: CREATE_ACCOUNTS },
  { type: 'createIdempotent', accounts: CREATE_ACCOUNTS },
  {
    type: 'recoverNested',
    accounts: [
      'nestedSource',
      'nestedMint',
      'destination',
      'nestedOwner',
      'ownerMint',
      'wallet',
      'tokenProgram',
    ],
  },
];

/** The parsed form, or null where there is none. No data at all is the original `create`. */
export function parseAssociatedToken({ accounts, data }: ResolvedInstruction): ParsedInstruction | null {
  const layout = data.length > 1 ? undefined : LAYOUTS[data[0] ?? 0];
  if (layout === undefined) return null;
  const info = nameAccounts(accounts, layout.accounts);
  return info === null ? null : { type: layout.type, info };
}
