import { useStore } from '@nanostores/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatAge } from '../../../data/model/format.ts';
import { $now } from '../../data/ticking-clock.ts';
import { Loaded } from '../admin/AdminPage.tsx';
import { type TeamMember, teamQuery } from '../admin/admin-calls.ts';
import styles from './admin-account.module.css';
import { AccountTable } from './Sessions.tsx';
import { AddAdmin, ManageAdmin } from './TeamDialogs.tsx';

export function Team() {
  const reading = useQuery(teamQuery());
  /** The id of the admin whose dialog is open. */
  const [managed, setManaged] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const member = reading.data?.team.find(({ id }) => id === managed);
  return (
    <section aria-labelledby="team">
      <div className={styles.head}>
        <h2 id="team">Team</h2>
        <button type="button" className="button" onClick={() => setAdding(true)}>
          Add admin
        </button>
      </div>
      <Loaded reading={reading} what="the team">
        {({ team }) => (
          <AccountTable
            caption="The team"
            columns={['Username', 'Role', 'Two-factor', 'Last used']}
            action="Manage"
          >
            {team.map((one) => (
              <MemberRow key={one.id} member={one} onManage={setManaged} />
            ))}
          </AccountTable>
        )}
      </Loaded>
      {member === undefined ? null : <ManageAdmin member={member} onClose={() => setManaged(null)} />}
      {isAdding ? <AddAdmin onClose={() => setAdding(false)} /> : null}
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
    <tr data-disabled={disabledAt !== null}>
      <th scope="row">
        {username}
        {disabledAt === null ? null : <span className={styles.out}>Deactivated</span>}
        {email === null ? null : <span className={styles.email}>{email}</span>}
      </th>
      <td data-name="Role">
        <span className={styles.role}>{role}</span>
      </td>
      <td data-name="Two-factor">{hasTotp ? 'On' : 'Off'}</td>
      <td data-name="Last used">
        {lastSeenAt === null ? (
          'No open session'
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
