import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { Loaded } from '../admin/AdminPage.tsx';
import {
  type TeamLink,
  type TeamMember,
  type TeamState,
  teamQuery,
  useChange,
} from '../admin/admin-calls.ts';
import { Notice } from '../admin/form-parts.tsx';
import styles from './admin-account.module.css';
import { InviteAdmin } from './InviteAdmin.tsx';
import { ManageAdmin } from './ManageAdmin.tsx';
import { AccountTable, Age } from './Sessions.tsx';

export default function Team() {
  const reading = useQuery(teamQuery());
  const [managedId, setManagedId] = useState<string | null>(null);
  /** The initial email address in the invitation dialog; null if the dialog is closed. */
  const [invitedEmail, setInvitedEmail] = useState<string | null>(null);
  const sendsMail = reading.data?.sendsMail ?? false;
  const member = reading.data?.team.find(({ id }) => id === managedId);
  return (
    <section aria-labelledby="team">
      <div className={styles.head}>
        <h2 id="team">Team</h2>
        <button type="button" className="button" onClick={() => setInvitedEmail('')}>
          Invite admin
        </button>
      </div>
      <Loaded reading={reading} what="the team">
        {({ team, links }) => (
          <>
            <AccountTable
              caption="The team"
              columns={['Username', 'Role', 'Two-factor', 'Last active']}
              action="Manage"
            >
              {team.map((one) => (
                <MemberRow key={one.id} member={one} onManage={setManagedId} />
              ))}
            </AccountTable>
            <UnusedLinks links={links} onRenew={setInvitedEmail} />
          </>
        )}
      </Loaded>
      {member === undefined ? null : (
        <ManageAdmin member={member} sendsMail={sendsMail} onClose={() => setManagedId(null)} />
      )}
      {invitedEmail === null ? null : (
        <InviteAdmin
          initialEmail={invitedEmail}
          sendsMail={sendsMail}
          onClose={() => setInvitedEmail(null)}
        />
      )}
    </section>
  );
}

interface UnusedLinksProps {
  readonly links: TeamState['links'];
  readonly onRenew: (email: string) => void;
}

function UnusedLinks({ links, onRenew }: UnusedLinksProps) {
  const { isBusy, notice, sendAndNotify } = useChange();
  const withdraw = (id: string) =>
    void sendAndNotify(PATHS.withdrawLink, { id }, () => 'The link was withdrawn. It no longer works.');
  return (
    <>
      <div className={styles.notice}>
        <Notice notice={notice} />
      </div>
      {links.length === 0 ? null : (
        <AccountTable
          caption="Open links"
          columns={['Link', 'Role', 'Sent by', 'Valid until']}
          action="Withdraw"
        >
          {links.map((link) => (
            <LinkRow key={link.id} link={link} isBusy={isBusy} onWithdraw={withdraw} onRenew={onRenew} />
          ))}
        </AccountTable>
      )}
    </>
  );
}

interface LinkRowProps extends Pick<UnusedLinksProps, 'onRenew'> {
  readonly link: TeamLink;
  readonly isBusy: boolean;
  readonly onWithdraw: (id: string) => void;
}

const MOMENT_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

function LinkRow({ link, isBusy, onWithdraw, onRenew }: LinkRowProps) {
  const { id, kind, email, username, role, createdBy, expiresAt, hasExpired } = link;
  const isInvitation = kind === 'invitation';
  const recipient = (isInvitation ? email : username) ?? '';
  return (
    <tr>
      <th scope="row">
        {recipient}
        <span className={styles.email}>{isInvitation ? 'Invited' : 'New password'}</span>
      </th>
      <td data-name="Role">
        <span className={styles.role}>{role}</span>
      </td>
      <td data-name="Sent by">{createdBy}</td>
      <td data-name="Valid until">
        {hasExpired ? (
          <span className={styles.expired}>Expired</span>
        ) : (
          MOMENT_FORMAT.format(Date.parse(expiresAt))
        )}
      </td>
      <td className={styles.buttonCell}>
        {isInvitation ? (
          <button type="button" className="button" disabled={isBusy} onClick={() => onRenew(recipient)}>
            Send again<span className="visually-hidden"> to {recipient}</span>
          </button>
        ) : null}{' '}
        <button type="button" className="button" disabled={isBusy} onClick={() => onWithdraw(id)}>
          Withdraw<span className="visually-hidden"> the link for {recipient}</span>
        </button>
      </td>
    </tr>
  );
}

/** An admin's second factors, such as `App, 2 passkeys`. */
function factorsText({ hasTotp, passkeys }: TeamMember): string {
  const passkeyText = passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`;
  const factors = [...(hasTotp ? ['App'] : []), ...(passkeys > 0 ? [passkeyText] : [])];
  return factors.length === 0 ? 'Off' : factors.join(', ');
}

interface MemberRowProps {
  readonly member: TeamMember;
  readonly onManage: (id: string) => void;
}

function MemberRow({ member, onManage }: MemberRowProps) {
  const { id, username, email, role, disabledAt, lastSeenAt, isSelf } = member;
  return (
    <tr data-disabled={disabledAt !== null}>
      <th scope="row">
        {username}
        {disabledAt === null ? null : <span className={styles.deactivated}>Deactivated</span>}
        {email === null ? null : <span className={styles.email}>{email}</span>}
      </th>
      <td data-name="Role">
        <span className={styles.role}>{role}</span>
      </td>
      <td data-name="Two-factor">{factorsText(member)}</td>
      <td data-name="Last active">{lastSeenAt === null ? 'No open session' : <Age at={lastSeenAt} />}</td>
      <td className={styles.buttonCell}>
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
