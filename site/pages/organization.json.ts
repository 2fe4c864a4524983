import type { APIRoute } from 'astro';
import type { Organization } from '../../data/model/organization.ts';
import { fieldsOf } from '../content/entries.ts';

/** The organization's name and addresses, which the API adds to its emails. */
export const GET: APIRoute = async () => {
  const { name, supportEmail, postalAddress } = await fieldsOf('site');
  return Response.json({ name, supportEmail, postalAddress } satisfies Organization);
};
