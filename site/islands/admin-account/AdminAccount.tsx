import { useQuery, useQueryClient } from '@tanstack/react-query';
import { mayActAs } from '../../../data/model/admin-roles.ts';
import { faultText } from '../../data/call-fault.ts';
import { AdminOnly } from '../admin/AdminOnly.tsx';
import { logOut, type OwnSession, ownSessionQuery } from '../admin/own-session.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import form from '../form/form.module.css';
import styles from './admin-account.module.css';
import { PasswordPart } from './PasswordPart.tsx';
import { SessionsPart } from './SessionsPart.tsx';
import { TeamPart } from './TeamPart.tsx';
import { TwoFactorPart } from './TwoFactorPart.tsx';

/** What admins do with their own account; owners with the team, too. */
export default function AdminAccount() {
  return (
    <LiveRoot>
      <AdminOnly>
        <Account />
      </AdminOnly>
    </LiveRoot>
  );
}

function Account() {
  const { data, error, refetch } = useQuery(ownSessionQuery());
  if (data !== undefined) return <Parts session={data} />;
  if (error === null) return <p>Loading...</p>;
  return (
    <div className={form.failure} role="alert">
      <p>{faultText(error, 'Your account could not be read.')}</p>
      <button type="button" className="button" onClick={() => void refetch()}>
        Try again
      </button>
    </div>
  );
}

function Parts({ session }: { readonly session: OwnSession }) {
  const client = useQueryClient();
  const { username, role } = session.user;
  const leave = async () => {
    await logOut();
    client.clear();
  };
  return (
    <div className={styles.account}>
      <div className={styles.who}>
        <p>
          Signed in as <strong>{username}</strong> <span className={styles.role}>{role}</span>
        </p>
        <p>
          <a className="button" href="/admin/dashboard">
            Dashboard
          </a>
          <button type="button" className="button" onClick={() => void leave()}>
            Logout
          </button>
        </p>
      </div>
      <div className={styles.pair}>
        <PasswordPart username={username} />
        <TwoFactorPart session={session} />
      </div>
      <SessionsPart />
      {mayActAs(role, 'owner') ? <TeamPart /> : null}
    </div>
  );
}
