import type { IndexIdentity } from '../chain-rows.ts';
import { StoreIdentityError } from '../store-errors.ts';

const LABELS = {
  genesisHash: 'chain (genesis hash)',
  mint: 'mint',
  vault: 'vault',
  stakePool: 'stake pool',
  poolVault: "stake pool's vault",
  decimals: 'decimals of the mint',
} as const satisfies Record<keyof IndexIdentity, string>;

/**
 * @param location where the index is stored, and the setting that selects another place, as texts for an operator
 * @throws {StoreIdentityError} when the stored identity differs from the wanted one
 */
export function assertSameIdentity(
  stored: IndexIdentity,
  wanted: IndexIdentity,
  location: { readonly name: string; readonly other: string },
): void {
  const fields = Object.keys(LABELS) as (keyof IndexIdentity)[];
  const differing = fields.filter((field) => stored[field] !== wanted[field]);
  if (differing.length === 0) return;
  const list = differing.map(
    (field) => `${LABELS[field]}: ${stored[field]} in the index, ${wanted[field]} configured`,
  );
  throw new StoreIdentityError(
    `${location.name} is the index of a different chain or pool (${list.join('; ')}). Rebuild it with ` +
      `npm run indexer -- --rebuild, or set ${location.other}.`,
    differing,
  );
}

/** The error for a commit to an index that is not claimed. @param name the name of the place of the index */
export const notClaimedError = (name: string) =>
  new StoreIdentityError(`${name} belongs to no chain yet: claim it before committing to it.`);
