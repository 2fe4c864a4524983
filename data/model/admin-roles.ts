/** What an admin may do, from least to most: a viewer looks, a reviewer decides, an owner runs the team. */
export const ADMIN_ROLES = ['viewer', 'reviewer', 'owner'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Whether a role may do what is asked of another: each may do what those before it may. */
export function mayActAs(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}

export function isAdminRole(word: string | undefined): word is AdminRole {
  return ADMIN_ROLES.some((role) => role === word);
}
