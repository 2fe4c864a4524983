import type { Organization } from '../../../data/model/organization.ts';

export const ORGANIZATION: Organization = {
  name: 'BlackDuck',
  supportEmail: 'support@example.com',
  postalAddress: 'BlackDuck, Dubai',
};
