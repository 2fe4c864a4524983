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
 * @param location texts for an operator: where the index is stored, and the setting that selects another location
 * @throws {StoreIdentityError} when the stored identity differs from the expected one
 */
export function assertSameIdentity(
  storedIdentity: IndexIdentity,
  expectedIdentity: IndexIdentity,
  location: { readonly name: string; readonly otherSetting: string },
): void {
  const fields = Object.keys(LABELS) as (keyof IndexIdentity)[];
  const differingFields = fields.filter((field) => storedIdentity[field] !== expectedIdentity[field]);
  if (differingFields.length === 0) return;
  const list = differingFields.map(
    (field) =>
      `${LABELS[field]}: ${storedIdentity[field]} in the index, ${expectedIdentity[field]} configured`,
  );
  throw new StoreIdentityError(
    `${location.name} is the index of a different chain or pool (${list.join('; ')}). Rebuild it with ` +
      `npm run indexer -- --rebuild, or set ${location.otherSetting}.`,
    differingFields,
  );
}

/** The error for a commit to an index that is not claimed. @param name where the index is stored */
export const notClaimedError = (name: string) =>
  new StoreIdentityError(`${name} belongs to no chain yet: claim it before committing to it.`);
