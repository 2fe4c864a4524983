import { useStore } from '@nanostores/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { faultText } from '../../data/call-fault.ts';
import { $now } from '../../data/ticking-clock.ts';
import { AddAdmin } from './AddAdmin.tsx';
import { sessionsQuery, type TeamMember, teamQuery } from './account-calls.ts';
import styles from './admin-account.module.css';
import { ManageAdmin } from './ManageAdmin.tsx';

const COLUMNS = ['Username', 'Role', 'Two-factor', 'Last used', 'Manage'];

/** The team, as its owners run it. */
export function TeamPart() {
  const client = useQueryClient();
  const { data, error } = useQuery(teamQuery());
  /** The id of the admin who is managed. */
  const [managed, setManaged] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const onChanged = () => {
    void client.invalidateQueries(teamQuery());
    void client.invalidateQueries(sessionsQuery());
  };
  const member = data?.team.find(({ id }) => id === managed);
  return (
    <section aria-labelledby="team">
      <div className={styles.head}>
        <h2 id="team">Team</h2>
        <button type="button" className="button" onClick={() => setAdding(true)}>
          Add Admin
        </button>
      </div>
      {data === undefined ? (
        <p className={styles.part} role={error === null ? undefined : 'alert'}>
          {error === null ? 'Loading...' : faultText(error, 'The team could not be read.')}
        </p>
      ) : (
        <table className={`table stacked ${styles.part}`}>
          <caption className="visually-hidden">The team</caption>
          <thead>
            <tr>
              {COLUMNS.map((name) => (
                <th key={name} scope="col">
                  {name === 'Manage' ? <span className="visually-hidden">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.team.map((one) => (
              <MemberRow key={one.id} member={one} onManage={setManaged} />
            ))}
          </tbody>
        </table>
      )}
      {member === undefined ? null : (
        <ManageAdmin member={member} onChanged={onChanged} onClose={() => setManaged(null)} />
      )}
      {isAdding ? <AddAdmin onAdded={onChanged} onClose={() => setAdding(false)} /> : null}
    </section>
  );
}

interface MemberRowProps {
  readonly member: TeamMember;
  readonly onManage: (id: string) => void;
}

function MemberRow({ member, onManage }: MemberRowProps) {
  const now = useStore($now);
  const { id, username, email, role, hasTotp, disabledAt, lastSeenAt, isSelf } = member;
  return (
    <tr>
      <th scope="row">
        {username}
        {disabledAt === null ? null : <span className={styles.out}>Shut out</span>}
        {email === null ? null : <span className={styles.email}>{email}</span>}
      </th>
      <td data-name="Role">
        <span className={styles.role}>{role}</span>
      </td>
      <td data-name="Two-factor">{hasTotp ? 'On' : 'Off'}</td>
      <td data-name="Last used">
        {lastSeenAt === null ? (
          'Not signed in'
        ) : (
          <time dateTime={lastSeenAt}>{formatAge(now - Date.parse(lastSeenAt))}</time>
        )}
      </td>
      <td className={styles.act}>
        {isSelf ? (
          <span className={styles.quiet}>You</span>
        ) : (
          <button type="button" className="button" onClick={() => onManage(id)}>
            Manage<span className="visually-hidden"> {username}</span>
          </button>
        )}
      </td>
    </tr>
  );
}
