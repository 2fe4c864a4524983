/**
 * Addresses of the embedded ledger's deterministic genesis. They are the defaults of `BD_MINT`, `BD_VAULT` and
 * `BD_STAKE_POOL`; a test of the ledger holds them against the keys that its genesis derives.
 */
export const EMBEDDED_ADDRESSES = {
  mint: 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
  vault: 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2',
  stakePool: 'CQNNNiXR6o9mYRgJ4iAweQiTpiKuUdGP3VmJUNmcXi7V',
} as const;
