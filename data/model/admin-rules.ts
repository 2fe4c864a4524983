/** Roles from least to most rights: a viewer can view, a reviewer can also decide, an owner also manages the team. */
export const ADMIN_ROLES = ['viewer', 'reviewer', 'owner'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Whether a role has the rights of another: each has the rights of those before it. */
export function mayActAs(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}

export function isAdminRole(word: string | undefined): word is AdminRole {
  return ADMIN_ROLES.some((role) => role === word);
}

/** Rules for accounts of the team, the same in forms and on the server. */

/** Characters of the shortest password. */
export const MIN_PASSWORD_LENGTH = 6;
export const PASSWORD_TOO_SHORT = `Password must be at least ${MIN_PASSWORD_LENGTH} characters`;

export function isLongEnough(password: string): boolean {
  return Array.from(password).length >= MIN_PASSWORD_LENGTH;
}

/** Usernames with one key are the same: they look alike or differ in case only. */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}
