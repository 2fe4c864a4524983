/** Lowest role first: a viewer can view, a reviewer can also decide, and an owner can also manage the team. */
export const ADMIN_ROLES = ['viewer', 'reviewer', 'owner'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

export function mayActAs(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}

export function isAdminRole(value: string | undefined): value is AdminRole {
  return ADMIN_ROLES.some((role) => role === value);
}

export const MIN_PASSWORD_LENGTH = 6;
export const PASSWORD_TOO_SHORT = `Password must be at least ${MIN_PASSWORD_LENGTH} characters`;

export function isLongEnough(password: string): boolean {
  return Array.from(password).length >= MIN_PASSWORD_LENGTH;
}

/** The key for looking up an account. Usernames that differ only in case or character width have the same key. */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}
