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
 * @param location parts of the error message: where the index is stored, and the setting that selects another location
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

/** @param name where the index is stored */
export const notClaimedError = (name: string) =>
  new StoreIdentityError(`${name} has not been claimed for a chain yet: claim it before committing to it.`);
