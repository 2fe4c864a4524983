import { useQuery } from '@tanstack/react-query';
import { assigneesQuery } from './team-queries.ts';

interface AdminOptionsProps {
  readonly selectedId?: string | undefined;
  /** The values of the select's other options, which are not admins. */
  readonly otherValues?: readonly string[];
}

export default function AdminOptions({ selectedId, otherValues = [] }: AdminOptionsProps) {
  const { data } = useQuery(assigneesQuery());
  const admins = data?.assignees ?? [];
  const isKnown =
    selectedId === undefined || [...otherValues, ...admins.map(({ id }) => id)].includes(selectedId);
  return (
    <>
      {isKnown ? null : (
        <option value={selectedId}>{data === undefined ? 'Loading...' : 'Former admin'}</option>
      )}
      {admins.map(({ id, username }) => (
        <option key={id} value={id}>
          {username}
        </option>
      ))}
    </>
  );
}
