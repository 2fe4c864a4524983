import { useQuery } from '@tanstack/react-query';
import { assigneesQuery } from './team-queries.ts';

interface AdminOptionsProps {
  readonly chosen?: string | undefined;
  /** The values of other options of the select. */
  readonly others?: readonly string[];
}

/** The admins who can own a record, as options of a select. */
export default function AdminOptions({ chosen, others = [] }: AdminOptionsProps) {
  const { data } = useQuery(assigneesQuery());
  const admins = data?.assignees ?? [];
  const isKnown = chosen === undefined || [...others, ...admins.map(({ id }) => id)].includes(chosen);
  return (
    <>
      {isKnown ? null : <option value={chosen}>{data === undefined ? 'Loading...' : 'Former admin'}</option>}
      {admins.map(({ id, username }) => (
        <option key={id} value={id}>
          {username}
        </option>
      ))}
    </>
  );
}
