import type { Choice } from '../form/SelectField.tsx';

/** The roles, from least to most, and what each may do. */
export const ROLE_CHOICES: readonly Choice[] = [
  { value: 'viewer', label: 'Viewer: looks' },
  { value: 'reviewer', label: 'Reviewer: looks and decides' },
  { value: 'owner', label: 'Owner: runs the team, too' },
];
