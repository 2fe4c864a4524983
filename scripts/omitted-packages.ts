import { readdirSync } from 'node:fs';
import type { ConfigProblem } from '../data/config/variable-types.ts';

/**
 * Packages that keep their native code in optional packages, one for each platform. Each row contains the package's name, and
 * then the scope and the name prefix of its optional packages.
 */
const NATIVE_PACKAGES = [
  ['@node-rs/argon2', '@node-rs', 'argon2-'],
  ['sharp', '@img', 'sharp-'],
] as const;

function hasPackage(folder: string, prefix: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith(prefix));
  } catch {
    return false;
  }
}

/** A configuration problem if the native code for passwords or pictures is not installed; otherwise null. */
export function omittedPackagesProblem(folder = 'node_modules'): ConfigProblem | null {
  const missing = NATIVE_PACKAGES.filter(([, scope, prefix]) => !hasPackage(`${folder}/${scope}`, prefix));
  if (missing.length === 0) return null;
  const names = missing.map(([name]) => name).join(' and ');
  return {
    variable: 'npm ci --omit=optional',
    message: `left out the native code of ${names}, which the portal needs. Run npm ci --omit=dev without --omit=optional.`,
  };
}
