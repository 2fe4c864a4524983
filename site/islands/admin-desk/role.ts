import { useQuery } from '@tanstack/react-query';
import { type AdminRole, mayActAs } from '../../../data/model/admin-roles.ts';
import { ownSessionQuery } from '../admin/own-session.ts';

/** Whether the admin may do what is asked of a role: not before it is known who they are. The server asks again. */
export function useMay(needed: AdminRole): boolean {
  const { data } = useQuery(ownSessionQuery());
  return data !== undefined && mayActAs(data.user.role, needed);
}
