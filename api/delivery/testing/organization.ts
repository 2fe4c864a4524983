import type { Organization } from '../../../data/model/organization.ts';

/** The organization's addresses in tests. */
export const ORGANIZATION: Organization = {
  name: 'BlackDuck',
  supportEmail: 'support@example.com',
  postalAddress: 'BlackDuck, Dubai',
};
